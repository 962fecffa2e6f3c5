import { expect, it } from 'vitest'
import { addStep, addVariant, draftFromTexts } from './sequence-draft'
import { draftOfText, textOfDraft } from './use-typed-sequence'

it('restores all steps and variants of a draft, whatever their keys are', () => {
  const first = draftFromTexts([{ text: 'Hello' }, { text: 'Again', delay: { amount: 2, unit: 'hours' } }])
  const draft = addStep(addVariant(first, first.steps[0]!))
  const text = textOfDraft({ ...draft, reengagement: { key: 'r', afterDays: null, messageTemplate: 'Later' } })
  const restored = draftOfText(text, draft)
  expect(textOfDraft(restored)).toBe(text)
  expect(restored.steps).toHaveLength(3)
  const keys = restored.steps.flatMap(({ key, variants }) => [key, ...variants.map((variant) => variant.key)])
  expect(new Set(keys).size).toBe(7)
  expect(restored.steps.every(({ openVariantKey, variants }) => openVariantKey === variants[0]?.key)).toBe(true)
})

it('a message sent meanwhile changes nothing that was typed, and stays frozen in what is restored', () => {
  const [step] = draftFromTexts([{ text: 'Hello' }]).steps
  const draftWith = (isFrozen: boolean, retiredNames: string[]) => ({
    steps: [{ ...step!, id: 's', retiredNames, variants: [{ ...step!.variants[0]!, id: 'v', isFrozen }] }],
    reengagement: null,
  })
  const typed = textOfDraft(draftWith(false, []))
  const loaded = draftWith(true, ['B'])
  expect(textOfDraft(loaded)).toBe(typed)
  const [restored] = draftOfText(typed, loaded).steps
  expect(restored).toMatchObject({ retiredNames: ['B'], variants: [{ isFrozen: true }] })
})
