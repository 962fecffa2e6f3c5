import { useQuery } from '@tanstack/react-query'
import { formatNumber, formatPercent, formatRate } from '@x-automated/contract/format'
import {
  OUTCOMES,
  type Outcome,
  type Sequence,
  type StepResults,
  type VariantResults,
} from '@x-automated/contract/outreach/sequences'
import { ADAPTIVE_TEXT, SPLIT_OFF_TEXT, verdictText } from '@x-automated/contract/outreach/verdict-text'
import { Users } from 'lucide-react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { Skeleton } from '../../../ui/skeleton'
import { Table, Td, Tr } from '../../../ui/table'
import { ExportCsv } from '../../platform/billing/export-csv'
import { shareText } from '../campaigns/campaign-progress'
import { OUTCOME_NAMES } from './enrollment-text'
import type { PeopleFilter } from './people-sheet'
import { CONDITIONS, delayText, stepName } from './step-text'

interface ResultsSectionProps {
  campaignId: string
  pollEveryMs: number | false
  /** Shows the people behind a number. */
  onShow: (filter: PeopleFilter) => void
}

/** The results of each step and variant of a campaign. */
export function ResultsSection({ campaignId, pollEveryMs, onShow }: ResultsSectionProps) {
  const input = { id: campaignId }
  const results = useQuery(api.sequences.results.queryOptions({ input, refetchInterval: pollEveryMs }))
  const sequence = useQuery(api.sequences.find.queryOptions({ input }))
  if (results.isError && !results.data) return <QueryError query={results} />
  if (!results.data || sequence.isPending) return <Skeleton className="h-64" />
  const { steps } = results.data
  const count = steps.filter(({ kind }) => kind === 'step').length
  const nameOf = ({ kind, number }: StepResults) => (kind === 'step' ? stepName(number - 1, count) : 'Re-engagement')
  return (
    <div className="grid grid-cols-1 gap-8">
      <section className="grid gap-3">
        <div className="flex min-h-8 items-center justify-between gap-4">
          <h2 className="text-base">Funnel</h2>
          <span className="flex flex-wrap justify-end gap-1">
            <ExportCsv path={`/api/campaigns/${campaignId}/results/export`} fileName="campaign-results" />
            <Button
              size="sm"
              variant="ghost"
              icon={<Users />}
              onClick={() => onShow({ title: 'People in this campaign' })}
            >
              All people
            </Button>
          </span>
        </div>
        <Table
          label="Funnel"
          narrow="scroll"
          columns={['Step', ...FUNNEL.map((outcome) => ({ name: COLUMN_NAMES[outcome], end: true }))]}
        >
          {steps.map((step) => {
            const name = nameOf(step)
            const figures = sumOf(step.variants)
            const show = (outcome: Outcome) =>
              onShow({ title: `${OUTCOME_NAMES[outcome]}: ${name}`, stepNumber: step.number, outcome })
            return (
              <Tr key={step.id}>
                <Td>
                  <span className="grid">
                    <span className="font-strong whitespace-nowrap">{name}</span>
                    <span className="text-xs text-muted">{aboutStep(step, sequence.data)}</span>
                  </span>
                </Td>
                {FUNNEL.map((outcome) => (
                  <Td key={outcome} end>
                    <Figure outcome={outcome} figures={figures} onShow={() => show(outcome)} />
                    {outcome === 'failed' && figures.skipped > 0 && (
                      <button
                        type="button"
                        onClick={() => show('skipped')}
                        className={cn('mt-2 text-xs whitespace-nowrap text-muted', LISTED)}
                      >
                        {formatNumber(figures.skipped)} skipped
                      </button>
                    )}
                  </Td>
                ))}
              </Tr>
            )
          })}
        </Table>
      </section>
      {steps
        .filter(({ variants }) => variants.length > 1)
        .map((step) => (
          <TestResults
            key={step.id}
            step={step}
            name={nameOf(step)}
            sequence={sequence.data}
            onShow={(variant, outcome) =>
              onShow({
                title: `${OUTCOME_NAMES[outcome]}: ${nameOf(step)}, variant ${variant.name}`,
                stepNumber: step.number,
                variantId: variant.id,
                outcome,
              })
            }
          />
        ))}
    </div>
  )
}

const TESTED = ['sent', 'positive', 'optedOut'] as const satisfies readonly Outcome[]
/** Skipped people are listed below the failed ones. */
const FUNNEL = ['sent', 'read', 'replied', 'positive', 'optedOut', 'failed'] as const satisfies readonly Outcome[]
type Figures = Record<Outcome, number>

const COLUMN_NAMES = { ...OUTCOME_NAMES, positive: 'Positive' }

function sumOf(variants: readonly VariantResults[]): Figures {
  const sum = (outcome: Outcome) => variants.reduce((total, variant) => total + variant[outcome], 0)
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, sum(outcome)])) as Figures
}

/** '2 variants', 'after 3 days, no reply'. */
function aboutStep({ id, kind, variants }: StepResults, sequence: Sequence | undefined): string {
  const active = variants.filter(({ isActive }) => isActive).length
  const step = sequence?.steps.find((candidate) => candidate.id === id)
  return [
    step?.delay && `after ${delayText(step.delay)}, ${CONDITIONS[step.condition ?? 'no_reply']}`,
    kind === 'reengagement' &&
      sequence?.reengagement &&
      `after ${delayText({ amount: sequence.reengagement.afterDays, unit: 'days' })}`,
    active > 1 && `${formatNumber(active)} variants`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The style of numbers that open a list. */
export const LISTED =
  'rounded-sm underline decoration-line-strong decoration-dotted underline-offset-4 hover:decoration-current'

interface FigureProps {
  outcome: Outcome
  figures: Figures
  /** Shows the share with a decimal, for comparing. */
  isExact?: boolean
  onShow: () => void
}

/** A number of people and its share of those who were sent the step. Opens their list. */
function Figure({ outcome, figures, isExact, onShow }: FigureProps) {
  const count = figures[outcome]
  const share = isExact && figures.sent > 0 ? formatRate(count / figures.sent) : shareText(count, figures.sent)
  const hasShare = outcome !== 'sent' && outcome !== 'failed'
  return (
    <span className="grid gap-1" data-numeric>
      <span className="flex items-baseline justify-end gap-1.5">
        {count === 0 ? (
          <span className="text-muted">0</span>
        ) : (
          <button type="button" onClick={onShow} className={cn(LISTED, outcome === 'positive' && 'font-strong')}>
            {formatNumber(count)}
            <span className="sr-only"> people: {OUTCOME_NAMES[outcome].toLowerCase()}</span>
          </button>
        )}
        {hasShare && <span className="min-w-8 text-xs text-muted">{share}</span>}
      </span>
      {hasShare && figures.sent > 0 && (
        <span aria-hidden className="h-1 overflow-hidden rounded-full bg-line">
          <span
            className={cn('block h-full rounded-full', outcome === 'positive' ? 'bg-accent-line' : 'bg-line-strong')}
            style={{ width: `${(count / figures.sent) * 100}%` }}
          />
        </span>
      )}
    </span>
  )
}

interface TestResultsProps {
  step: StepResults
  name: string
  sequence: Sequence | undefined
  onShow: (variant: VariantResults, outcome: Outcome) => void
}

/** A step's variants side by side, below the verdict. */
function TestResults({ step, name, sequence, onShow }: TestResultsProps) {
  const { allocation, isSplitOff, verdict, variants } = step
  const saved = sequence?.steps.find(({ id }) => id === step.id)
  const isTest = allocation === 'weights'
  const active = variants.filter(({ isActive }) => isActive)
  const scale = scaleOf(variants)
  return (
    <section className="grid gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-base">
          {isTest ? 'A/B test' : 'Variants'}, {name.toLowerCase()}
        </h2>
        <p className="text-xs text-muted">
          {isTest
            ? saved && `positive replies within ${delayText({ amount: saved.testWindowDays, unit: 'days' })}`
            : ADAPTIVE_TEXT}
        </p>
      </div>
      {isSplitOff && <p className="text-lg text-warn">{SPLIT_OFF_TEXT}, so there is no verdict.</p>}
      {verdict && (
        <>
          <p className="text-lg font-strong">
            {verdict.status === 'collecting' && active.every(({ positive }) => positive === 0)
              ? 'No positive replies to compare yet.'
              : verdictText(verdict, active)}
          </p>
          <p className="flex flex-wrap items-center gap-3 text-xs text-muted" data-numeric>
            <span aria-hidden className="h-1 w-36 overflow-hidden rounded-full bg-line">
              <span
                className={cn(
                  'block h-full',
                  verdict.evidence >= verdict.evidenceNeeded ? 'bg-accent-line' : 'bg-line-strong',
                )}
                style={{ width: `${evidenceShare(verdict.evidence, verdict.evidenceNeeded) * 100}%` }}
              />
            </span>
            Evidence {formatNumber(Math.floor(verdict.evidence * 10) / 10)} of the{' '}
            {formatNumber(verdict.evidenceNeeded)} a verdict needs
          </p>
        </>
      )}
      <Table
        label={`Variants: ${name}`}
        narrow="scroll"
        columns={[
          'Variant',
          ...TESTED.map((outcome) => ({ name: COLUMN_NAMES[outcome], end: true })),
          `0% to ${formatPercent(scale)}`,
        ]}
      >
        {variants.map((variant) => (
          <Tr key={variant.id}>
            <Td className="w-full max-w-56">
              <span className="block truncate">
                <span className="font-strong">{variant.name}</span>{' '}
                {!variant.isActive && <span className="text-xs">off </span>}
                <span className="text-muted">
                  {saved?.variants.find(({ id }) => id === variant.id)?.messageTemplate}
                </span>
              </span>
            </Td>
            {TESTED.map((outcome) => (
              <Td key={outcome} end>
                <Figure outcome={outcome} figures={variant} isExact onShow={() => onShow(variant, outcome)} />
              </Td>
            ))}
            <Td>
              <RateRange successes={variant.positive} count={variant.sent} scale={scale} />
            </Td>
          </Tr>
        ))}
      </Table>
    </section>
  )
}

/** The end of the scale on which the variants' intervals are drawn. */
function scaleOf(variants: readonly VariantResults[]): number {
  return Math.max(...variants.map(({ positive, sent }) => rateInterval(positive, sent).to))
}

function RateRange({ successes, count, scale }: { successes: number; count: number; scale: number }) {
  const { from, to } = rateInterval(successes, count)
  const at = (share: number) => `${(share / scale) * 100}%`
  return (
    <span
      role="img"
      aria-label={count === 0 ? 'not known yet' : `most likely between ${formatRate(from)} and ${formatRate(to)}`}
      className="relative block h-1 w-28 rounded-full bg-line"
    >
      {count > 0 && (
        <>
          <span
            className="absolute inset-y-0 rounded-full bg-control"
            style={{ left: at(from), right: `calc(100% - ${at(to)})` }}
          />
          <span
            className="absolute top-1/2 size-2 -translate-1/2 rounded-full bg-ink"
            style={{ left: at(successes / count) }}
          />
        </>
      )}
    </span>
  )
}

/** The quantile for a 95% interval. */
const Z = 1.96

/** The confidence interval of a rate (Wilson score), from 0 to 1. */
export function rateInterval(successes: number, count: number): { from: number; to: number } {
  if (count === 0) return { from: 0, to: 1 }
  const rate = successes / count
  const middle = rate + Z ** 2 / (2 * count)
  const margin = Z * Math.sqrt((rate * (1 - rate)) / count + Z ** 2 / (4 * count ** 2))
  const scale = 1 + Z ** 2 / count
  return { from: Math.max(0, (middle - margin) / scale), to: Math.min(1, (middle + margin) / scale) }
}

/** How close the evidence is to what a verdict needs, on a log scale from 0 to 1. */
export function evidenceShare(evidence: number, needed: number): number {
  return Math.min(1, Math.max(0, Math.log(Math.max(1, evidence)) / Math.log(needed)))
}
