import { randomUUID } from 'node:crypto'
import { ONLY_AGENCY, type SequenceLimits, stepsLimitText } from '@x-automated/contract/outreach/sequence-limits'
import type { ReengagementInput, StepInput } from '@x-automated/contract/outreach/steps'
import type { PlanLevel } from '@x-automated/contract/platform/plans'
import type { VersionStep } from '../tables/sequences.ts'
import { editVariants, type Ids } from './versions.ts'

/** A sequence as a request describes it. `reengagement`: undefined keeps it, null removes it. */
interface SequenceEdit {
  steps: readonly StepInput[]
  reengagement?: ReengagementInput | null | undefined
}

/** The steps of a new campaign. */
export function newSteps(edit: SequenceEdit): VersionStep[] {
  return editSteps([], edit, { isUsed: () => false, isFrozen: () => false, newId: randomUUID })
}

/** The steps after an edit, with re-engagement as the last one. Existing ids and sent texts stay. */
export function editSteps(before: readonly VersionStep[], edit: SequenceEdit, ids: Ids): VersionStep[] {
  const steps = edit.steps.map((input): VersionStep => {
    const was = before.find(({ id, kind }) => id === input.id && kind === 'step')
    return {
      id: was?.id ?? ids.newId(),
      kind: 'step',
      delay: input.delay ?? null,
      condition: input.delay ? (input.condition ?? 'no_reply') : null,
      allocation: input.allocation,
      switchToWinner: input.switchToWinner,
      testWindowDays: input.testWindowDays,
      variants: editVariants(was?.variants ?? [], input.variants, ids),
    }
  })
  const last = reengagementOf(before)
  if (edit.reengagement === undefined) return last ? [...steps, last] : steps
  return edit.reengagement ? [...steps, editReengagement(last, edit.reengagement, ids)] : steps
}

function editReengagement(before: VersionStep | null, input: ReengagementInput, ids: Ids): VersionStep {
  const active = before?.variants.find(({ isActive }) => isActive)
  const { messageTemplate } = input
  return {
    id: before?.id ?? ids.newId(),
    kind: 'reengagement',
    delay: { amount: input.afterDays, unit: 'days' },
    condition: 'no_reply',
    allocation: 'weights',
    switchToWinner: false,
    testWindowDays: 7,
    variants: editVariants(
      before?.variants ?? [],
      [{ id: active?.id, messageTemplate, weight: 1, isActive: true }],
      ids,
    ),
  }
}

/** The steps with a new text for the first step's first active variant. */
export function withFirstMessage(before: readonly VersionStep[], messageTemplate: string, ids: Ids): VersionStep[] {
  const [first, ...others] = before
  if (!first) throw new Error('A sequence has a first step.')
  const changed = first.variants.find(({ isActive }) => isActive)
  const edits = first.variants
    .filter(({ id, isActive }) => isActive || !ids.isUsed(id))
    .map((variant) => (variant === changed ? { ...variant, messageTemplate } : variant))
  return [{ ...first, variants: editVariants(first.variants, edits, ids) }, ...others]
}

/** The test settings of a sequence of one step with one variant. */
export const ONE_STEP = { allocation: 'weights', switchToWinner: false, testWindowDays: 7 } as const

/** The steps of a version without its re-engagement. */
export function stepsOf(steps: readonly VersionStep[]): VersionStep[] {
  return steps.filter(({ kind }) => kind === 'step')
}

/** The re-engagement of a version; null: it has none. */
export function reengagementOf(steps: readonly VersionStep[]): VersionStep | null {
  return steps.find(({ kind }) => kind === 'reengagement') ?? null
}

/** The text of the first active variant of the first step. */
export function firstMessage(steps: readonly VersionStep[]): string {
  return steps[0]?.variants.find(({ isActive }) => isActive)?.messageTemplate ?? ''
}

/** The variants that people may get. */
export const activeVariants = ({ variants }: VersionStep) => variants.filter(({ isActive }) => isActive)

/** Why the limits refuse a change, as a text with the limit and the use; null: they allow it. */
export function beyondPlan(
  plan: PlanLevel,
  limits: SequenceLimits,
  before: readonly VersionStep[],
  after: readonly VersionStep[],
): { text: string; limit: number; used: number } | null {
  const [was, is] = [stepsOf(before).length, stepsOf(after).length]
  if (is > limits.steps && is > was) return { text: stepsLimitText(plan, limits), limit: limits.steps, used: is }
  if (!limits.hasVariants) {
    const grown = after.find((step) => {
      const previous = before.find(({ id }) => id === step.id)
      return activeVariants(step).length > Math.max(1, previous ? activeVariants(previous).length : 1)
    })
    if (grown) return { text: ONLY_AGENCY.variants, limit: 1, used: activeVariants(grown).length }
  }
  if (!limits.hasReengagement && reengagementOf(after) && !reengagementOf(before))
    return { text: ONLY_AGENCY.reengagement, limit: 0, used: 1 }
  return null
}

/** The part of a sequence that the limits allow to be launched: its first steps, with one variant each. */
export function allowedBy(limits: SequenceLimits, steps: readonly VersionStep[]): VersionStep[] {
  return steps
    .filter(({ kind }, index) => (kind === 'step' ? index < limits.steps : limits.hasReengagement))
    .map((step) => {
      const [first] = activeVariants(step)
      if (limits.hasVariants || !first || activeVariants(step).length === 1) return step
      return { ...step, variants: step.variants.map((variant) => ({ ...variant, isActive: variant === first })) }
    })
}
