import { formatList } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import {
  launchLimitText,
  ONLY_AGENCY,
  sequenceLimits,
  stepsLimitText,
} from '@x-automated/contract/outreach/sequence-limits'
import { Callout } from '../../../ui/callout'
import { PlanLock } from '../../platform/billing/plan-lock'
import type { SequenceDraft } from './sequence-draft'
import { useSequenceLimits } from './use-sequence-limits'

/** Texts about the parts that the plan does not include. Null for parts that it includes. */
interface PlanLocks {
  steps: string | null
  variants: string | null
  reengagement: string | null
}

/** What the workspace's plan and rewards do not include in a sequence. */
export function usePlanLocks({ steps }: SequenceDraft): PlanLocks {
  // Until the limits have loaded, nothing is locked, and the server decides.
  const { plan, limits } = useSequenceLimits() ?? { plan: 'agency', limits: sequenceLimits('agency', []) }
  return {
    steps: steps.length < limits.steps ? null : stepsLimitText(plan, limits),
    variants: limits.hasVariants ? null : ONLY_AGENCY.variants,
    reengagement: limits.hasReengagement ? null : ONLY_AGENCY.reengagement,
  }
}

/** Says in one place what the plan does not include. Empty if it includes everything. */
export function Locks({ locks: { steps, variants, reengagement } }: { locks: PlanLocks }) {
  const names = [
    ...(steps ? ['follow-ups'] : []),
    ...(variants ? ['A/B variants'] : []),
    ...(reengagement ? ['re-engagement'] : []),
  ]
  const text = [steps, variants ?? reengagement].filter((lock) => lock !== null).join(' ')
  if (names.length === 0) return null
  // On the highest plan, only the number of steps is limited.
  if (!variants && !reengagement) return <p className="text-xs text-muted">{text}</p>
  const label = formatList(names)
  return <PlanLock label={`${label.charAt(0).toUpperCase()}${label.slice(1)}`} text={text} />
}

/** What launching a saved campaign leaves out, because the plan that included it has ended. */
export function LaunchLimit({ campaign, draft }: { campaign: Campaign; draft: SequenceDraft }) {
  const planLimits = useSequenceLimits()
  const { status, totalLeadsInList } = campaign
  if (!planLimits || (status !== 'draft' && status !== 'paused') || totalLeadsInList > 0) return null
  const text = launchLimitText(planLimits.plan, planLimits.limits, {
    steps: draft.steps.length,
    hasVariants: draft.steps.some(({ variants }) => variants.length > 1),
    hasReengagement: draft.reengagement !== null,
  })
  return text && <Callout tone="warn">{text}</Callout>
}
