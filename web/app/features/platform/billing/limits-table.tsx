import { sequenceLimits } from '@x-automated/contract/outreach/sequence-limits'
import { PLAN_LEVELS, type PlanLevel } from '@x-automated/contract/platform/plans'
import { SUPPORT, supportOf } from '@x-automated/contract/platform/support'
import { Table, Td, Tr } from '../../../ui/table'
import { limitText } from './plan-text'

const rows = [
  ['Scraped leads a month', 'scrapedLeads'],
  ['DMs a month', 'dms'],
  ['X accounts', 'xAccounts'],
  ['Workspace members', 'people'],
  ['Imported leads', null],
] as const

/** What plans differ in besides limits. */
const features: readonly [string, (level: PlanLevel) => string][] = [
  ['Messages in a sequence', (level) => String(sequenceLimits(level, []).steps)],
  ['A/B tests', (level) => included(sequenceLimits(level, []).hasVariants)],
  ['Re-engagement', (level) => included(sequenceLimits(level, []).hasReengagement)],
  [
    'First answer from support',
    (level) => {
      const times = (['monthly', 'yearly'] as const).map((cycle) => SUPPORT[supportOf(level, cycle)].firstAnswer)
      return times[0] === times[1] ? (times[0] ?? 'No promised time') : `${times[0]}; yearly: ${times[1]}`
    },
  ],
]
const included = (has: boolean) => (has ? 'Yes' : 'No')

const levels = Object.keys(PLAN_LEVELS) as PlanLevel[]

/** Limits and features by plan, Free included. Responsive by CSS alone, as the page defers hydration. */
export function LimitsTable() {
  return (
    <Table
      label="Compare plans"
      columns={[
        { name: 'What', hidden: true },
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
      {features.map(([label, textOf]) => (
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
