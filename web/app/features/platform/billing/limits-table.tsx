import { PLAN_LEVELS, type PlanLevel } from '@x-automated/contract/platform/plans'
import { Table, Td, Th, Tr } from '../../../ui/table'
import { limitText } from './plan-text'

const rows = [
  ['Scraped leads a month', 'scrapedLeads'],
  ['DMs a month', 'dms'],
  ['X accounts', 'xAccounts'],
  ['Workspace members', 'people'],
] as const

const levels = Object.keys(PLAN_LEVELS) as PlanLevel[]

/** Limits by plan, Free included. Responsive by CSS alone, as the page defers hydration. */
export function LimitsTable() {
  return (
    <Table label="Compare plans">
      <thead>
        <Tr>
          <Th>
            <span className="sr-only">Limit</span>
          </Th>
          {levels.map((level) => (
            <Th key={level} end>
              {PLAN_LEVELS[level].name}
            </Th>
          ))}
        </Tr>
      </thead>
      <tbody>
        {rows.map(([label, what]) => (
          <Tr key={what}>
            <Td className="max-md:font-strong">{label}</Td>
            {levels.map((level) => (
              <Td key={level} label={PLAN_LEVELS[level].name} end data-numeric>
                {limitText(level, what)}
              </Td>
            ))}
          </Tr>
        ))}
        <Tr>
          <Td className="max-md:font-strong">Imported leads</Td>
          {levels.map((level) => (
            <Td key={level} label={PLAN_LEVELS[level].name} end>
              Unlimited
            </Td>
          ))}
        </Tr>
      </tbody>
    </Table>
  )
}
