import { useState } from 'react'

/**
 * A form's values: the saved ones, with what the user has changed. A refetch updates only the fields
 * that are unchanged.
 */
export function useFormDraft<T extends object>(saved: T) {
  const [changes, setChanges] = useState<Partial<T>>({})
  const draft = { ...saved, ...changes }
  return {
    draft,
    isChanged: JSON.stringify(draft) !== JSON.stringify(saved),
    set: (change: Partial<T>) => setChanges((now) => ({ ...now, ...change })),
    /** After a save: fields that were changed since it was sent stay changed. */
    settle: (sent: T) => setChanges((now) => unsentChanges(now, sent)),
    discard: () => setChanges({}),
  }
}

/** The changes that `sent` does not contain. */
export function unsentChanges<T extends object>(changes: Partial<T>, sent: T): Partial<T> {
  const unsent: Partial<T> = {}
  for (const key of Object.keys(changes) as (keyof T)[]) if (changes[key] !== sent[key]) unsent[key] = changes[key]
  return unsent
}
