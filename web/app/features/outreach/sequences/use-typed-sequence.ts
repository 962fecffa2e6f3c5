import { useEffect } from 'react'
import { useTypedField } from '../../../ui/use-typed-text'
import { messagesOf } from './lint'
import type { SequenceDraft } from './sequence-draft'
import type { SequenceEditor } from './use-sequence-draft'

const KEYS = ['key', 'openVariantKey']

/** A draft as a text that only depends on its contents. */
export function textOfDraft(draft: SequenceDraft): string {
  return JSON.stringify(draft, (name, value) => (KEYS.includes(name) ? undefined : value))
}

/** The reverse of `textOfDraft`. */
export function draftOfText(text: string): SequenceDraft {
  const { steps, reengagement } = JSON.parse(text) as SequenceDraft
  const withKey = <Part>(part: Part) => ({ ...part, key: crypto.randomUUID() })
  return {
    steps: steps.map((step) => {
      const variants = step.variants.map(withKey)
      return { ...withKey(step), variants, openVariantKey: variants[0]?.key ?? '' }
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
    set: (text) => reset(draftOfText(text)),
    preview: (text) => messagesOf(draftOfText(text)).find((message) => message.text.trim() !== '')?.text ?? '',
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the user changes the sequence
  useEffect(touch, [value])
}
