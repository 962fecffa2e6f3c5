import { z } from 'zod'
import { isId, requiredName, requiredText, wholeNumber } from '../fields.ts'
import { DELAY_MAX, STEPS_MAX, VARIANTS_MAX } from './sequence-limits.ts'
import { MESSAGE_MAX } from './template.ts'

/** Time since the previous message. Days count only if they have a sending window. */
export const Delay = z
  .strictObject({ amount: wholeNumber(1, DELAY_MAX.minutes), unit: z.enum(['minutes', 'hours', 'days']) })
  .refine(({ amount, unit }) => amount <= DELAY_MAX[unit], {
    message: `must be at most ${DELAY_MAX.days} days`,
    path: ['amount'],
  })
export type Delay = z.output<typeof Delay>

/** Conditions on the previous message. If one is not met when its step is due, the step is skipped. */
export const STEP_CONDITIONS = ['no_reply', 'read', 'not_read'] as const
export type StepCondition = (typeof STEP_CONDITIONS)[number]

export const ALLOCATIONS = ['weights', 'adaptive'] as const

export const Variant = z.object({
  id: z.string(),
  name: z.string(),
  messageTemplate: z.string(),
  weight: z.number().int(),
  isActive: z.boolean(),
  /** The variant was sent, so its text is final: an edit retires it and creates a new one. */
  isFrozen: z.boolean(),
})

export const Step = z.object({
  id: z.string(),
  /** The position of the step in the sequence, from 1. */
  number: z.number().int(),
  /** Null for the first step. */
  delay: z.object({ amount: z.number().int(), unit: z.enum(['minutes', 'hours', 'days']) }).nullable(),
  condition: z.enum(STEP_CONDITIONS).nullable(),
  allocation: z.enum(ALLOCATIONS),
  /** Moves everyone who has not been sent the step to the winner of its test. */
  switchToWinner: z.boolean(),
  /** Number of days within which a positive reply counts for the test. */
  testWindowDays: z.number().int(),
  variants: z.array(Variant),
})

const messageTemplate = requiredText(MESSAGE_MAX)
/** An id from an earlier response. It is only compared, never looked up. */
const previousId = z
  .string()
  .refine(isId, 'must be an id of an earlier response')
  .transform((id) => id.toLowerCase())
  .optional()

/** A variant in a request. */
export const VariantInput = z.strictObject({
  /** Without an id, the variant is new. */
  id: previousId,
  name: requiredName(50).optional(),
  messageTemplate,
  weight: wholeNumber(1, 100).default(1),
  isActive: z.boolean().default(true),
})

/** Returns a schema for 1 to VARIANTS_MAX active variants, and inactive ones. All names must differ. */
export function variantsOf<V extends z.ZodType<{ isActive: boolean; name?: string | undefined }>>(variant: V) {
  return z
    .array(variant)
    .min(1)
    .max(50)
    .refine((variants) => variants.some(({ isActive }) => isActive), 'must include an active variant')
    .refine(
      (variants) => variants.filter(({ isActive }) => isActive).length <= VARIANTS_MAX,
      `must include at most ${VARIANTS_MAX} active variants`,
    )
    .superRefine((variants, context) => {
      for (const [index, { name }] of variants.entries())
        if (name !== undefined && variants.findIndex((variant) => variant.name === name) < index)
          context.addIssue({
            code: 'custom',
            path: [index, 'name'],
            message: 'must differ from those of other variants',
          })
    })
}

/** A step in a request. Steps and variants that are left out are removed. */
export const StepInput = z.strictObject({
  /** Without an id, the step is new. */
  id: previousId,
  /** Required for every step but the first. */
  delay: Delay.nullish(),
  condition: z.enum(STEP_CONDITIONS).nullish(),
  allocation: z.enum(ALLOCATIONS).default('weights'),
  switchToWinner: z.boolean().default(false),
  testWindowDays: wholeNumber(1, 30).default(7),
  variants: variantsOf(VariantInput),
})
export type StepInput = z.output<typeof StepInput>

/** Requires a delay for every step but the first, which must have neither a delay nor a condition. */
function refineDelays(steps: readonly Pick<StepInput, 'delay' | 'condition'>[], context: z.RefinementCtx): void {
  const first = steps[0]
  if (first?.delay) context.addIssue({ code: 'custom', path: [0, 'delay'], message: 'must be null for the first step' })
  if (first?.condition)
    context.addIssue({ code: 'custom', path: [0, 'condition'], message: 'must be null for the first step' })
  for (const [index, { delay }] of steps.entries())
    if (index > 0 && !delay) context.addIssue({ code: 'custom', path: [index, 'delay'], message: 'is required' })
}

export const StepInputs = z
  .array(StepInput)
  .min(1)
  .max(STEPS_MAX)
  .superRefine(refineDelays)
  .superRefine((steps, context) => {
    const ids = steps.flatMap(({ id, variants }) => [id, ...variants.map((variant) => variant.id)])
    const existingIds = ids.filter((id) => id !== undefined)
    if (new Set(existingIds).size < existingIds.length)
      context.addIssue({ code: 'custom', path: [], message: 'must not contain an id twice' })
  })

/** A step of a template: like one in a request, without ids. */
export const TemplateStep = StepInput.omit({ id: true }).extend({
  variants: variantsOf(VariantInput.omit({ id: true })),
})
export type TemplateStep = z.output<typeof TemplateStep>

export const TemplateSteps = z.array(TemplateStep).min(1).max(STEPS_MAX).superRefine(refineDelays)

/** An optional last message, sent some days after the previous one if nothing has happened since. */
export const ReengagementInput = z.strictObject({
  afterDays: wholeNumber(1, DELAY_MAX.days).default(30),
  messageTemplate,
})
export type ReengagementInput = z.output<typeof ReengagementInput>

/** Rejects a campaign without exactly one of `messageTemplate` and `steps`. */
export function refineMessages(
  { messageTemplate, steps }: { messageTemplate?: unknown; steps?: unknown },
  context: z.RefinementCtx,
): void {
  if (messageTemplate === undefined && steps === undefined)
    context.addIssue({ code: 'custom', path: ['messageTemplate'], message: 'is required, unless there are steps' })
  if (messageTemplate !== undefined && steps !== undefined)
    context.addIssue({ code: 'custom', path: ['messageTemplate'], message: 'must be left out if there are steps' })
}
