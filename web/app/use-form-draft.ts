import { useState } from 'react'

/** A form's values: the saved ones with the user's changes. A refetch updates only unchanged fields. */
export function useFormDraft<T extends object>(saved: T) {
  const [changes, setChanges] = useState<Partial<T>>({})
  const draft = { ...saved, ...changes }
  return {
    draft,
    isChanged: JSON.stringify(draft) !== JSON.stringify(saved),
    set: (change: Partial<T>) => setChanges((now) => ({ ...now, ...change })),
    /** Call after a save. Fields that were changed after it was sent stay changed. */
    settle: (sent: T) => setChanges((now) => unsentChanges(now, sent)),
    discard: () => setChanges({}),
  }
}

/** The changes that were not part of `sent`. */
export function unsentChanges<T extends object>(changes: Partial<T>, sent: T): Partial<T> {
  const unsent: Partial<T> = {}
  for (const key of Object.keys(changes) as (keyof T)[]) if (changes[key] !== sent[key]) unsent[key] = changes[key]
  return unsent
}
