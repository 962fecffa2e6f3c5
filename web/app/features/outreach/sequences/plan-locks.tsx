import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import {
  launchLimitText,
  ONLY_AGENCY,
  sequenceLimits,
  stepsLimitText,
} from '@x-automated/contract/outreach/sequence-limits'
import { Callout } from '../../../ui/callout'
import { SeePlans } from '../../platform/billing/usage-notice'
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

/** The locks' texts. A locked element refers to its text by the id `${id}-${name of the lock}`. */
export function Locks({ locks, id }: { locks: PlanLocks; id: string }) {
  const texts = Object.entries(locks).filter(([, text]) => text !== null)
  if (texts.length === 0) return null
  return (
    <div className="grid justify-items-start gap-2">
      <ul className="grid gap-1 text-xs text-muted">
        {texts.map(([name, text]) => (
          <li key={name} id={`${id}-${name}`}>
            {text}
          </li>
        ))}
      </ul>
      {locks.variants !== null && <SeePlans />}
    </div>
  )
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
