import { useState } from 'react'

/** A form's values: the saved ones, overridden by the user's changes. A refetch only updates unchanged fields. */
export function useFormDraft<T extends object>(saved: T) {
  const [changes, setChanges] = useState<Partial<T>>({})
  const draft = { ...saved, ...changes }
  return {
    draft,
    isChanged: JSON.stringify(draft) !== JSON.stringify(saved),
    set: (change: Partial<T>) => setChanges((now) => ({ ...now, ...change })),
    /** Call it after a save. Fields that were changed after sending stay changed. */
    settle: (sent: T) => setChanges((now) => unsentChanges(now, sent)),
    discard: () => setChanges({}),
  }
}

/** Changes that were not part of `sent`. */
export function unsentChanges<T extends object>(changes: Partial<T>, sent: T): Partial<T> {
  const unsent: Partial<T> = {}
  for (const key of Object.keys(changes) as (keyof T)[]) if (changes[key] !== sent[key]) unsent[key] = changes[key]
  return unsent
}
