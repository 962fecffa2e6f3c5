import { PLAN_LEVELS, type PlanLevel } from '@x-automated/contract/platform/plans'
import { Table, Td, Tr } from '../../../ui/table'
import { limitText } from './plan-text'

const rows = [
  ['Scraped leads a month', 'scrapedLeads'],
  ['DMs a month', 'dms'],
  ['X accounts', 'xAccounts'],
  ['Workspace members', 'people'],
  ['Imported leads', null],
] as const

const levels = Object.keys(PLAN_LEVELS) as PlanLevel[]

/** Limits by plan, Free included. Responsive by CSS alone, as the page defers hydration. */
export function LimitsTable() {
  return (
    <Table
      label="Compare plans"
      columns={[
        { name: 'Limit', hidden: true },
        ...levels.map((level) => ({ name: PLAN_LEVELS[level].name, end: true })),
      ]}
    >
      {rows.map(([label, what]) => (
        <Tr key={label}>
          <Td className="max-md:font-strong">{label}</Td>
          {levels.map((level) => (
            <Td key={level} label={PLAN_LEVELS[level].name} end data-numeric>
              {what ? limitText(level, what) : 'Unlimited'}
            </Td>
          ))}
        </Tr>
      ))}
    </Table>
  )
}
