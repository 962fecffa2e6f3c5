import { PLAN_LEVELS, type PlanLevel } from '@x-automated/contract/platform/plans'
import { SUPPORT, supportOf } from '@x-automated/contract/platform/support'
import { Table, Td, Tr } from '../../../ui/table'
import { limitText } from './plan-text'

/** A row: its name, and the text for each plan. */
export type PlanFeature = readonly [name: string, textOf: (level: PlanLevel) => string]

const limits: readonly PlanFeature[] = [
  ['Scraped leads a month', (level) => limitText(level, 'scrapedLeads')],
  ['DMs a month', (level) => limitText(level, 'dms')],
  ['X accounts', (level) => limitText(level, 'xAccounts')],
  ['Workspace members', (level) => limitText(level, 'people')],
  ['Imported leads', () => 'Unlimited'],
]

const support: PlanFeature = [
  'First answer from support',
  (level) => {
    const times = (['monthly', 'yearly'] as const).map((cycle) => SUPPORT[supportOf(level, cycle)].firstAnswer)
    return times[0] === times[1] ? (times[0] ?? 'No promised time') : `${times[0]}; yearly: ${times[1]}`
  },
]

const levels = Object.keys(PLAN_LEVELS) as PlanLevel[]

/**
 * Limits and features of each plan, including Free. Responsive through CSS alone, because guests
 * see the page before hydration.
 */
export function LimitsTable({ features }: { features: readonly PlanFeature[] }) {
  return (
    <Table
      label="Compare plans"
      columns={[
        { name: 'What', hidden: true },
        ...levels.map((level) => ({ name: PLAN_LEVELS[level].name, end: true })),
      ]}
    >
      {[...limits, ...features, support].map(([label, textOf]) => (
        <Tr key={label}>
          <Td className="max-md:font-strong">{label}</Td>
          {levels.map((level) => (
            <Td key={level} label={PLAN_LEVELS[level].name} end data-numeric>
              {textOf(level)}
            </Td>
          ))}
        </Tr>
      ))}
    </Table>
  )
}
