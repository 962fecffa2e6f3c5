import { type RefObject, useEffect, useRef, useState } from 'react'
import {
  addStep,
  addVariant,
  moveStep,
  type ReengagementDraft,
  removeStep,
  removeVariant,
  restoreStep,
  restoreVariant,
  type StepDraft,
  type VariantDraft,
} from './sequence-draft'
import { stepName } from './step-text'
import { undoable } from './undoable'
import type { SequenceEditor } from './use-sequence-draft'

/** Adds, removes and moves messages. A new one gets the focus; a removed one gets an Undo. */
export function useSequenceActions({ draft, change }: SequenceEditor, list: RefObject<HTMLElement | null>) {
  const { steps, reengagement } = draft
  const focusNext = useFocusNext(list)
  const [announcement, setAnnouncement] = useState('')
  const changeReengagement = (next: ReengagementDraft | null) => change((now) => ({ ...now, reengagement: next }))
  return {
    /** For screen readers. */
    announcement,
    changeReengagement,
    add() {
      change(addStep)
      focusNext(steps.length)
    },
    remove(step: StepDraft, index: number) {
      change((now) => removeStep(now, step.key))
      focusNext(Math.max(0, index - 1))
      undoable(`${stepName(index, steps.length)} removed.`, () => change((now) => restoreStep(now, step, index)))
    },
    move(from: number, to: number) {
      if (to < 0 || to >= steps.length) return
      change((now) => moveStep(now, from, to))
      setAnnouncement(`Moved to position ${to + 1} of ${steps.length}.`)
    },
    addVariant(step: StepDraft, index: number) {
      change((now) => addVariant(now, step))
      focusNext(index)
    },
    removeVariant(step: StepDraft, variant: VariantDraft) {
      const index = step.variants.indexOf(variant)
      change((now) => removeVariant(now, step, variant.key))
      undoable(`Variant ${variant.name} removed.`, () => change((now) => restoreVariant(now, step.key, variant, index)))
    },
    addReengagement() {
      changeReengagement({ key: crypto.randomUUID(), afterDays: 30, messageTemplate: '' })
      focusNext(steps.length)
    },
    removeReengagement() {
      changeReengagement(null)
      undoable('Re-engagement removed.', () => changeReengagement(reengagement))
    },
  }
}

/** Focuses a message's text after the next render, by index. */
function useFocusNext(list: RefObject<HTMLElement | null>) {
  const next = useRef<number | null>(null)
  useEffect(() => {
    if (next.current !== null) list.current?.querySelectorAll('textarea')[next.current]?.focus()
    next.current = null
  })
  return (index: number) => {
    next.current = index
  }
}
