import { useState } from 'react'
import { fieldProblems } from '../../../api'
import { assignProblems, emptySequence, type Problems, type SequenceDraft } from './sequence-draft'

const NONE: Problems = new Map()

/** A sequence in an editor, with the problems that the server found in it. */
export function useSequenceDraft(initial: () => SequenceDraft = emptySequence) {
  const [draft, setDraft] = useState(initial)
  const [problems, setProblems] = useState(NONE)
  return {
    draft,
    problems,
    change: (next: SequenceDraft | ((draft: SequenceDraft) => SequenceDraft)) => setDraft(next),
    reset(next: SequenceDraft) {
      setDraft(next)
      setProblems(NONE)
    },
    /** Shows a failed call's problems next to their fields. @returns whether there were any */
    show(error: unknown): boolean {
      const { draft: opened, placed } = assignProblems(draft, fieldProblems(error))
      setDraft(opened)
      setProblems(placed)
      return placed.size > 0
    },
  }
}

export type SequenceEditor = ReturnType<typeof useSequenceDraft>
