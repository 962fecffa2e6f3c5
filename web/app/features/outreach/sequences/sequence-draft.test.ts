import type { Sequence } from '@x-automated/contract/outreach/sequences'
import { describe, expect, it } from 'vitest'
import {
  addStep,
  addVariant,
  assignProblems,
  draftFromTexts,
  draftOf,
  draftOfTemplate,
  draftOfTyped,
  emptySequence,
  firstChange,
  isWritten,
  missingText,
  moveStep,
  openVariant,
  removeStep,
  restoreStep,
  type SequenceDraft,
  stepInputs,
  templateSteps,
  typedSteps,
  withStep,
  withVariant,
} from './sequence-draft'

/** Creates a draft whose steps have these texts. */
function draftWith(...texts: string[]): SequenceDraft {
  const draft = texts.slice(1).reduce(addStep, emptySequence())
  return draft.steps.reduce(
    (written, step, index) => withVariant(written, step.openVariantKey, { messageTemplate: texts[index] ?? '' }),
    draft,
  )
}

const texts = ({ steps }: SequenceDraft) => steps.map((step) => openVariant(step).messageTemplate)

const saved: Sequence = {
  version: 4,
  steps: [
    {
      id: 's1',
      number: 1,
      delay: null,
      condition: null,
      allocation: 'weights',
      switchToWinner: true,
      testWindowDays: 5,
      variants: [
        { id: 'v1', name: 'A', messageTemplate: 'Old', weight: 1, isActive: false, isFrozen: true },
        { id: 'v2', name: 'B', messageTemplate: 'Hi', weight: 3, isActive: true, isFrozen: true },
      ],
    },
  ],
  reengagement: null,
}

describe('sequence drafts', () => {
  it('sends a delay and a condition for every step but the first', () => {
    const [first, second] = stepInputs(draftWith('Hi', 'Still there? '))
    expect([first?.delay, first?.condition]).toEqual([undefined, undefined])
    expect(second).toMatchObject({ delay: { amount: 3, unit: 'days' }, condition: 'no_reply' })
    expect(second?.variants[0]?.messageTemplate).toBe('Still there?')
  })

  it('keeps the ids of a saved sequence and leaves retired variants out', () => {
    expect(stepInputs(draftOf(saved))).toMatchObject([
      { id: 's1', switchToWinner: true, testWindowDays: 5, variants: [{ id: 'v2', name: 'B', weight: 3 }] },
    ])
  })

  it('turns a template into new steps and back, without retired variants', () => {
    const text = (messageTemplate: string, isActive = true) => ({ messageTemplate, weight: 2, isActive })
    const step = { allocation: 'adaptive' as const, switchToWinner: true, testWindowDays: 3 }
    const draft = draftOfTemplate([
      { ...step, variants: [text('One'), text('Retired', false), text('Two')] },
      { ...step, delay: { amount: 5, unit: 'hours' }, condition: 'read', variants: [text('Three')] },
    ])
    expect(templateSteps(draft)).toEqual([
      {
        ...step,
        variants: [
          { name: 'A', ...text('One') },
          { name: 'B', ...text('Two') },
        ],
      },
      { ...step, delay: { amount: 5, unit: 'hours' }, condition: 'read', variants: [{ name: 'A', ...text('Three') }] },
    ])
    expect(stepInputs(draft).flatMap(({ id, variants }) => [id, ...variants.map((variant) => variant.id)])).toEqual(
      Array(5).fill(undefined),
    )
  })

  it('gives the variants of a template different names', () => {
    const variant = (name: string) => ({ name, messageTemplate: 'Hi', weight: 1, isActive: true })
    const step = { allocation: 'weights' as const, switchToWinner: false, testWindowDays: 7 }
    const [named] = draftOfTemplate([{ ...step, variants: [variant('B'), variant('B'), variant('A')] }]).steps
    expect(named?.variants.map(({ name }) => name)).toEqual(['B', 'C', 'A'])
  })

  it('gives a new variant the first free name, not that of a retired one, and opens it', () => {
    const draft = draftOf(saved)
    const [step] = addVariant(draft, draft.steps[0] as never).steps
    expect(step && openVariant(step).name).toBe('C')
  })

  it('moves steps, and not beyond an end', () => {
    const draft = draftWith('1', '2', '3')
    expect(texts(moveStep(draft, 2, 0))).toEqual(['3', '1', '2'])
    expect(moveStep(draft, 0, -1)).toBe(draft)
    expect(moveStep(draft, 2, 3)).toBe(draft)
  })

  it('restores a removed step at its place', () => {
    const draft = draftWith('1', '2', '3')
    const step = draft.steps[1] as never
    const without = removeStep(draft, draft.steps[1]?.key ?? '')
    expect(texts(without)).toEqual(['1', '3'])
    expect(texts(restoreStep(without, step, 1))).toEqual(['1', '2', '3'])
  })

  it('finds the first step that differs', () => {
    const draft = draftOf(saved)
    expect(firstChange(draft, draftOf(saved))).toBeNull()
    expect(firstChange(draft, addStep(draft))).toBe(2)
    expect(firstChange(draft, { ...draft, reengagement: { key: 'r', afterDays: 30, messageTemplate: 'x' } })).toBe(2)
    expect(firstChange(addStep(draft), moveStep(addStep(draft), 0, 1))).toBe(1)
  })

  it('is written when no message is blank', () => {
    expect(isWritten(draftWith('Hi', 'You'))).toBe(true)
    expect(isWritten(draftWith('Hi', ' '))).toBe(false)
    expect(isWritten({ ...draftWith('Hi'), reengagement: { key: 'r', afterDays: 30, messageTemplate: '' } })).toBe(
      false,
    )
  })

  it('names the field that keeps the messages from being saved', () => {
    const draft = draftWith('Hi', 'You', 'Bye')
    const [first, second] = draft.steps
    if (!first || !second) throw new Error('The draft has three steps.')
    const delay = { amount: null, unit: 'days' } as const
    expect(missingText(addVariant(draft, second))).toBe('Variant B of follow-up 1 is empty.')
    expect(missingText(draftWith('x'.repeat(10_001)))).toBe('First message is too long.')
    expect(missingText(withStep(draft, second.key, { delay }))).toBe('Follow-up 1 needs a delay.')
    const tested = withVariant(addVariant(draft, first), first.openVariantKey, { weight: null })
    expect(missingText(tested)).toBe('Variant A of the first message needs a share.')
    expect(missingText(draft)).toBeNull()
  })

  it('names two variants of one name, which older versions could save', () => {
    const [step] = saved.steps
    if (!step) throw new Error('The sequence has a step.')
    const variants = step.variants.map((variant) => ({ ...variant, name: 'A', isActive: true }))
    expect(missingText(draftOf({ ...saved, steps: [{ ...step, variants }] }))).toBe(
      'Two variants of the first message are called A: remove one and add it again.',
    )
  })

  it('ignores blank numbers whose fields are hidden', () => {
    const draft = draftWith('Hi', 'You')
    const [first, second] = draft.steps
    if (!first || !second) throw new Error('The draft has two steps.')
    const blank = { delay: { amount: null, unit: 'days' }, testWindowDays: null } as const
    const moved = moveStep(withStep(draft, second.key, blank), 1, 0)
    expect(missingText(withVariant(moved, first.openVariantKey, { weight: null }))).toBeNull()
  })

  it('places problems at their field, opens the variant, and drops them when the field changes', () => {
    const twoVariants = addVariant(draftWith('Hi', 'You'), draftWith('x').steps[0] as never)
    const [, second] = twoVariants.steps
    const withB = addVariant(twoVariants, second as never)
    const onA = withStep(withB, second?.key ?? '', { openVariantKey: second?.openVariantKey ?? '' })
    const { draft, placed } = assignProblems(onA, {
      'steps.1.variants.1.messageTemplate': 'Unknown variable: {compny}.',
      'steps.1.delay.amount': 'Amount must be at most 90 days.',
      name: 'Name is required.',
    })
    const step = draft.steps[1] as NonNullable<(typeof draft.steps)[1]>
    expect(openVariant(step).name).toBe('B')
    expect(placed.get(openVariant(step))).toBe('Unknown variable: {compny}.')
    expect(placed.get(step.delay)).toBe('Amount must be at most 90 days.')
    expect(placed.size).toBe(2)
    const changed = withVariant(draft, openVariant(step).key, { messageTemplate: 'Better' })
    expect(placed.has(openVariant(changed.steps[1] as never))).toBe(false)
  })
})

it('typedSteps and draftOfTyped keep texts as typed, and empty numbers empty', () => {
  const written = draftFromTexts([{ text: 'Hi ' }, { text: '' }])
  const [first, second] = written.steps
  const variants = [
    { ...first!.variants[0]!, weight: null },
    { ...first!.variants[0]!, key: 'b', name: 'B', weight: 3 },
  ]
  const draft = {
    ...written,
    steps: [
      { ...first!, testWindowDays: null, variants },
      { ...second!, delay: { amount: null, unit: 'days' as const } },
    ],
  }
  const { steps } = draftOfTyped(typedSteps(draft))
  expect(steps[0]).toMatchObject({
    testWindowDays: null,
    variants: [
      { name: 'A', messageTemplate: 'Hi ', weight: null },
      { name: 'B', weight: 3 },
    ],
  })
  expect(steps[1]).toMatchObject({ delay: { amount: null }, testWindowDays: 7, variants: [{ messageTemplate: '' }] })
})
