import type { Verdict } from '@x-automated/contract/outreach/sequences'
import type { Actor } from '../../../actor.ts'
import { findCampaign, findSteps } from '../../../core/sequences/sequence.ts'
import { findTests } from '../../../core/sequences/tests.ts'
import { evidenceNeeded } from '../../../core/sequences/verdict.ts'
import type { StepTest } from '../../../core/tables/sequences.ts'
import type { Db } from '../../../db/open.ts'
import { NOTHING, readFigures } from './figures.ts'

/** The results of each step and variant. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function results(db: Db, actor: Actor, id: string) {
  const campaign = await findCampaign(db, actor, id)
  const [steps, figures, tests] = await Promise.all([
    findSteps(db, campaign),
    readFigures(db, [id]),
    findTests(db, campaign),
  ])
  return {
    steps: steps.map((step, index) => ({
      id: step.id,
      number: index + 1,
      kind: step.kind,
      allocation: step.allocation,
      isSplitOff: tests.get(step.id)?.isSplitOff ?? false,
      variants: step.variants.map((variant) => ({
        id: variant.id,
        name: variant.name,
        isActive: variant.isActive,
        ...(figures.get(variant.id) ?? NOTHING),
      })),
      verdict: verdictIn(tests.get(step.id)),
    })),
  }
}

/**
 * The verdict of a step's test; null: there is no test, the allocation is adaptive, or the split
 * differs from the plan.
 */
function verdictIn(test: StepTest | undefined): Verdict | null {
  if (!test || test.allocation === 'adaptive' || test.isSplitOff) return null
  return (
    test.verdict ?? {
      status: 'collecting',
      variantId: null,
      evidence: 1,
      evidenceNeeded: evidenceNeeded(test.variants.length),
      estimatedDays: null,
    }
  )
}
