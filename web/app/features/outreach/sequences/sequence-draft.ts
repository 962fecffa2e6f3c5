import type { CampaignDraft } from '@x-automated/contract/outreach/campaign-drafts'
import type { Sequence } from '@x-automated/contract/outreach/sequences'
import type { Delay, StepCondition, StepInput, TemplateStep } from '@x-automated/contract/outreach/steps'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { stepName } from './step-text'

/** A variant in the editor. Changing it creates a new object, so that an outdated problem disappears. */
export interface VariantDraft {
  key: string
  /** Undefined until it is saved. */
  id?: string | undefined
  name: string
  messageTemplate: string
  /** Null while the field is empty, like the other numbers. */
  weight: number | null
  /** The variant has been sent, so changing its text creates a new variant. */
  isFrozen: boolean
}

export interface StepDraft {
  key: string
  id?: string | undefined
  /** The first step has one, too, in case it is moved. */
  delay: { amount: number | null; unit: Delay['unit'] }
  condition: StepCondition
  allocation: StepInput['allocation']
  switchToWinner: boolean
  testWindowDays: number | null
  variants: readonly VariantDraft[]
  /** Names of retired variants, whose results are still displayed. New variants must not reuse them. */
  retiredNames: readonly string[]
  /** The key of the open variant. */
  openVariantKey: string
}

export interface ReengagementDraft {
  key: string
  afterDays: number | null
  messageTemplate: string
}

export interface SequenceDraft {
  steps: readonly StepDraft[]
  reengagement: ReengagementDraft | null
}

const newKey = () => crypto.randomUUID()
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Takes the first free letter, and adds it to `used`. */
function takeName(used: string[]): string {
  const name = [...LETTERS].find((letter) => !used.includes(letter)) ?? ''
  used.push(name)
  return name
}

function newVariant(name: string): VariantDraft {
  return { key: newKey(), name, messageTemplate: '', weight: 1, isFrozen: false }
}

function newStep(): StepDraft {
  const variant = newVariant('A')
  return {
    key: newKey(),
    delay: { amount: 3, unit: 'days' },
    condition: 'no_reply',
    allocation: 'weights',
    switchToWinner: false,
    testWindowDays: 7,
    variants: [variant],
    retiredNames: [],
    openVariantKey: variant.key,
  }
}

/** A sequence with one empty step. */
export function emptySequence(): SequenceDraft {
  return { steps: [newStep()], reengagement: null }
}

/** A saved sequence as a draft, without retired variants. */
export function draftOf({ steps, reengagement }: Sequence): SequenceDraft {
  return {
    steps: steps.map((step) => {
      const { delay, condition } = newStep()
      const variants = step.variants
        .filter(({ isActive }) => isActive)
        .map((variant) => ({ ...variant, key: newKey() }))
      return {
        ...step,
        key: newKey(),
        delay: step.delay ?? delay,
        condition: step.condition ?? condition,
        variants,
        retiredNames: step.variants.filter(({ isActive }) => !isActive).map(({ name }) => name),
        openVariantKey: variants[0]?.key ?? '',
      }
    }),
    reengagement: reengagement && { ...reengagement, key: newKey() },
  }
}

/** A template's messages as a draft, without retired variants and re-engagement. */
export function draftOfTemplate(steps: readonly TemplateStep[]): SequenceDraft {
  return {
    steps: steps.map(({ delay, condition, variants: all, ...step }) => {
      const blank = newStep()
      const used = all.flatMap(({ name }) => name ?? [])
      const variants = all
        .filter(({ isActive }) => isActive)
        .map(({ name, messageTemplate, weight }, index, active) => {
          const isFree = name !== undefined && active.findIndex((other) => other.name === name) === index
          return { ...newVariant(isFree ? name : takeName(used)), messageTemplate, weight }
        })
      return {
        ...blank,
        ...step,
        delay: delay ?? blank.delay,
        condition: condition ?? blank.condition,
        variants,
        openVariantKey: variants[0]?.key ?? '',
      }
    }),
    reengagement: null,
  }
}

/** A draft's steps in a template's format. */
export function templateSteps(draft: SequenceDraft): TemplateStep[] {
  return stepInputs(draft).map(({ id: _, variants, ...step }) => ({
    ...step,
    variants: variants.map(({ id: _, ...variant }) => variant),
  }))
}

/** New steps with these texts. */
export function draftFromTexts(texts: readonly { text: string; delay?: Delay | undefined }[]): SequenceDraft {
  const steps = texts.map(({ text, delay }) => {
    const step = newStep()
    const [variant] = step.variants
    return { ...step, delay: delay ?? step.delay, variants: variant ? [{ ...variant, messageTemplate: text }] : [] }
  })
  return { steps, reengagement: null }
}

/** A draft's steps in the format of a request. An empty number counts as 1, and `missingText` reports it. */
export function stepInputs({ steps }: SequenceDraft): StepInput[] {
  return steps.map(({ id, delay, condition, allocation, switchToWinner, testWindowDays, variants }, index) => ({
    id,
    ...(index > 0 && { delay: { ...delay, amount: delay.amount ?? 1 }, condition }),
    allocation,
    switchToWinner,
    testWindowDays: testWindowDays ?? 1,
    variants: variants.map((variant) => ({
      id: variant.id,
      name: variant.name,
      messageTemplate: variant.messageTemplate.trim(),
      weight: variant.weight ?? 1,
      isActive: true,
    })),
  }))
}

type TypedSteps = NonNullable<CampaignDraft['steps']>

/** A draft's steps for PUT /campaign-drafts: texts as typed, and without numbers whose field is empty. */
export function typedSteps(draft: SequenceDraft): TypedSteps {
  return stepInputs(draft).map(({ delay, testWindowDays, variants, ...step }, at) => {
    const typed = draft.steps[at]
    return {
      ...step,
      ...(delay && typed?.delay.amount !== null && { delay }),
      ...(typed?.testWindowDays !== null && { testWindowDays }),
      variants: variants.map(({ weight, ...variant }, index) => ({
        ...variant,
        ...(typed?.variants[index]?.weight !== null && { weight }),
        messageTemplate: typed?.variants[index]?.messageTemplate ?? '',
      })),
    }
  })
}

/** The reverse of `typedSteps`. */
export function draftOfTyped(steps: TypedSteps): SequenceDraft {
  const { steps: filled, ...draft } = draftOfTemplate(
    steps.map(({ id: _, variants, testWindowDays = 7, ...step }) => ({
      ...step,
      testWindowDays,
      variants: variants.map(({ id: __, weight = 1, ...variant }) => ({ ...variant, weight })),
    })),
  )
  return {
    ...draft,
    steps: filled.map((step, at) => ({
      ...step,
      ...(at > 0 && !steps[at]?.delay && { delay: { ...step.delay, amount: null } }),
      ...(steps[at]?.testWindowDays === undefined && { testWindowDays: null }),
      variants: step.variants.map((variant, index) => ({
        ...variant,
        weight: steps[at]?.variants[index]?.weight ?? null,
      })),
    })),
  }
}

/** A draft's re-engagement as typed; null if it has none. */
export function typedReengagement({ reengagement }: SequenceDraft) {
  if (!reengagement) return null
  const { afterDays, messageTemplate } = reengagement
  return { messageTemplate, ...(afterDays !== null && { afterDays }) }
}

/** A draft's re-engagement in the format of a request; null if it has none. */
export function reengagementInput({ reengagement }: SequenceDraft) {
  return (
    reengagement && {
      afterDays: reengagement.afterDays ?? 1,
      messageTemplate: reengagement.messageTemplate.trim(),
    }
  )
}

/** The first reason why a draft cannot be saved ('Variant B of follow-up 2 is empty.'), or null. */
export function missingText({ steps, reengagement }: SequenceDraft): string | null {
  const texts = steps.flatMap(({ delay, allocation, testWindowDays, variants }, index) => {
    const name = stepName(index, steps.length)
    const message = index === 0 ? 'the first message' : name.toLowerCase()
    const isTest = variants.length > 1
    const names = variants.map((variant) => variant.name)
    const repeated = names.find((candidate, position) => names.indexOf(candidate) < position)
    return [
      repeated !== undefined && `Two variants of ${message} are called ${repeated}: remove one and add it again.`,
      // Only visible numbers are required. Hidden ones have a default.
      index > 0 && delay.amount === null && `${name} needs a delay.`,
      isTest && testWindowDays === null && `The test of ${message} needs a number of days.`,
      ...variants.flatMap((variant) => {
        const part = isTest ? `Variant ${variant.name} of ${message}` : name
        return [
          variant.messageTemplate.trim() === '' && `${part} is empty.`,
          variant.messageTemplate.trim().length > MESSAGE_MAX && `${part} is too long.`,
          isTest && allocation === 'weights' && variant.weight === null && `${part} needs a share.`,
        ]
      }),
    ]
  })
  if (reengagement?.afterDays === null) texts.push('Re-engagement needs a number of days.')
  if (reengagement?.messageTemplate.trim() === '') texts.push('Re-engagement is empty.')
  if (reengagement && reengagement.messageTemplate.trim().length > MESSAGE_MAX) texts.push('Re-engagement is too long.')
  return texts.find((text) => text !== false) ?? null
}

/** Whether a draft can be saved. */
export const isWritten = (draft: SequenceDraft) => missingText(draft) === null

/** The number of the first step that differs, or null. Re-engagement counts as the last step. */
export function firstChange(before: SequenceDraft, after: SequenceDraft): number | null {
  const [was, is] = [before, after].map((draft) =>
    [...stepInputs(draft), ...(draft.reengagement ? [reengagementInput(draft)] : [])].map((part) =>
      JSON.stringify(part),
    ),
  )
  const index = [...Array(Math.max(was?.length ?? 1, is?.length ?? 1)).keys()].find((at) => was?.[at] !== is?.[at])
  return index === undefined ? null : index + 1
}

/** The open variant of a step. */
export function openVariant({ variants, openVariantKey }: StepDraft): VariantDraft {
  const variant = variants.find(({ key }) => key === openVariantKey) ?? variants[0]
  if (!variant) throw new Error('A step has a variant.')
  return variant
}

// Changes

/** Changes the step with this key. */
export function withStep(draft: SequenceDraft, key: string, change: Partial<StepDraft>): SequenceDraft {
  return { ...draft, steps: draft.steps.map((step) => (step.key === key ? { ...step, ...change } : step)) }
}

/** Changes the variant with this key, whichever step it belongs to. */
export function withVariant(draft: SequenceDraft, key: string, change: Partial<VariantDraft>): SequenceDraft {
  return {
    ...draft,
    steps: draft.steps.map((step) =>
      step.variants.some((variant) => variant.key === key)
        ? {
            ...step,
            variants: step.variants.map((variant) => (variant.key === key ? { ...variant, ...change } : variant)),
          }
        : step,
    ),
  }
}

/** Adds an empty step at the end. */
export function addStep(draft: SequenceDraft): SequenceDraft {
  return { ...draft, steps: [...draft.steps, newStep()] }
}

/** Adds a variant with the first free name, and opens it. */
export function addVariant(draft: SequenceDraft, step: StepDraft): SequenceDraft {
  const variant = newVariant(takeName([...step.variants.map(({ name }) => name), ...step.retiredNames]))
  return withStep(draft, step.key, { variants: [...step.variants, variant], openVariantKey: variant.key })
}

/** Removes a variant, and opens the step's first one. */
export function removeVariant(draft: SequenceDraft, step: StepDraft, key: string): SequenceDraft {
  const variants = step.variants.filter((variant) => variant.key !== key)
  return withStep(draft, step.key, { variants, openVariantKey: variants[0]?.key ?? '' })
}

/** Removes a step; `restoreStep` reverses it. */
export function removeStep(draft: SequenceDraft, key: string): SequenceDraft {
  return { ...draft, steps: draft.steps.filter((step) => step.key !== key) }
}

/** Restores a removed step at its former index. */
export function restoreStep(draft: SequenceDraft, step: StepDraft, index: number): SequenceDraft {
  return { ...draft, steps: draft.steps.toSpliced(index, 0, step) }
}

/** Restores a removed variant at its former index, and opens it. */
export function restoreVariant(draft: SequenceDraft, stepKey: string, variant: VariantDraft, index: number) {
  const step = draft.steps.find(({ key }) => key === stepKey)
  if (!step) return draft
  return withStep(draft, stepKey, { variants: step.variants.toSpliced(index, 0, variant), openVariantKey: variant.key })
}

/** Moves a step, but not beyond the ends. */
export function moveStep(draft: SequenceDraft, from: number, to: number): SequenceDraft {
  const step = draft.steps[from]
  if (!step || to < 0 || to >= draft.steps.length) return draft
  return { ...draft, steps: draft.steps.toSpliced(from, 1).toSpliced(to, 0, step) }
}

// Problems

/** The server's problems, by the part of the draft that has them. Replacing a part clears its problem. */
export type Problems = ReadonlyMap<object, string>

/** Assigns a request's problems to the parts of a draft that have them, and opens their variants. */
export function assignProblems(
  draft: SequenceDraft,
  problems: Readonly<Record<string, string>>,
): { draft: SequenceDraft; placed: Problems } {
  const placed = new Map<object, string>()
  let opened = draft
  for (const [path, problem] of Object.entries(problems)) {
    const [, stepIndex, part, variantIndex] = /^steps\.(\d+)\.(\w+)(?:\.(\d+)\.messageTemplate)?/.exec(path) ?? []
    const step = stepIndex === undefined ? undefined : opened.steps[Number(stepIndex)]
    const variant = variantIndex === undefined ? undefined : step?.variants[Number(variantIndex)]
    if (step && variant) opened = withStep(opened, step.key, { openVariantKey: variant.key })
    const target =
      variant ??
      (part === 'delay' ? step?.delay : undefined) ??
      (path.startsWith('reengagement') ? draft.reengagement : null)
    if (target) placed.set(target, problem)
  }
  return { draft: opened, placed }
}
