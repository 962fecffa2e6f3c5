import { useEffect } from 'react'
import { useTypedField } from '../../../ui/use-typed-text'
import { messagesOf } from './lint'
import type { SequenceDraft } from './sequence-draft'
import type { SequenceEditor } from './use-sequence-draft'

/** What nobody types: keys, and what the server reports about sent messages, which changes while somebody types. */
const OMITTED = ['key', 'openVariantKey', 'isFrozen', 'retiredNames']

/** A draft as a text that only depends on what was typed. */
export function textOfDraft(draft: SequenceDraft): string {
  return JSON.stringify(draft, (name, value) => (OMITTED.includes(name) ? undefined : value))
}

/** The reverse of `textOfDraft`. @param loaded the sequence from which to take what the text omits */
export function draftOfText(text: string, loaded: SequenceDraft): SequenceDraft {
  const { steps, reengagement } = JSON.parse(text) as SequenceDraft
  const frozenIds = new Set(
    loaded.steps.flatMap(({ variants }) => variants.flatMap(({ id, isFrozen }) => (isFrozen && id) || [])),
  )
  const retiredNames = new Map(loaded.steps.map((step) => [step.id, step.retiredNames]))
  const withKey = <Part>(part: Part) => ({ ...part, key: crypto.randomUUID() })
  return {
    steps: steps.map((step) => {
      const variants = step.variants.map((variant) => ({
        ...withKey(variant),
        isFrozen: variant.id !== undefined && frozenIds.has(variant.id),
      }))
      return {
        ...withKey(step),
        variants,
        retiredNames: (step.id !== undefined && retiredNames.get(step.id)) || [],
        openVariantKey: variants[0]?.key ?? '',
      }
    }),
    reengagement: reengagement && withKey(reengagement),
  }
}

/** Stores a sequence while it is edited, with the form around it. */
export function useTypedSequence({ draft, reset }: SequenceEditor): void {
  const value = textOfDraft(draft)
  const touch = useTypedField({
    key: 'sequence',
    label: 'Messages',
    value,
    set: (text) => reset(draftOfText(text, draft)),
    preview: (text) => messagesOf(draftOfText(text, draft)).find((message) => message.text.trim() !== '')?.text ?? '',
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the user changes the sequence
  useEffect(touch, [value])
}
