import { useQueries } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { ENROLLMENTS_COUNTED_MAX } from '@x-automated/contract/outreach/sequence-limits'
import type { Sequence } from '@x-automated/contract/outreach/sequences'
import { api } from '../../../api'

/** Who gets a change to a running campaign. */
export type ApplyTo = 'unpassed' | 'unstarted'

interface ReachProps {
  campaignId: string
  /** The number of the first changed step. */
  changedStep: number
  /** The saved sequence. */
  savedSteps: Sequence
  applyTo: ApplyTo
}

/** How many people get a change to the sequence. */
export function Reach({ campaignId, changedStep, savedSteps, applyTo }: ReachProps) {
  const isNewStep = changedStep > savedSteps.steps.length + (savedSteps.reengagement ? 1 : 0)
  const counts = useQueries({
    queries: (['active', 'paused', 'finished'] as const).flatMap((state) => {
      const people = { id: campaignId, state, pageSize: 1 }
      const passed = { outcome: 'sent' as const, ...(applyTo === 'unpassed' && { stepNumber: changedStep }) }
      return [
        api.enrollments.list.queryOptions({ input: people }),
        api.enrollments.list.queryOptions({
          input: { ...people, ...passed },
          enabled: applyTo === 'unstarted' || !isNewStep,
        }),
      ]
    }),
  })
  if (counts.some(({ isLoading }) => isLoading)) return <p className="text-muted">Counting people…</p>
  const totals = counts.map(({ data }) => data?.total ?? 0)
  if (counts.some(({ isError }) => isError)) return null
  if (totals.some((total) => total >= ENROLLMENTS_COUNTED_MAX))
    return <p className="text-muted">This may reach more than {formatNumber(ENROLLMENTS_COUNTED_MAX)} people.</p>
  const reached = totals.reduce((sum, total, index) => (index % 2 === 0 ? sum + total : sum - total), 0)
  return (
    <p className="text-muted" data-numeric role="status">
      {reached === 0
        ? 'This reaches nobody who is in the campaign now.'
        : `This reaches ${formatCount(reached, 'person', 'people')}.`}
    </p>
  )
}
