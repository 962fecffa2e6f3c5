/** A field of a form, whatever its control is. Its value is a text. */
export interface TypedField {
  /** The same after a reload. */
  key: string
  label: string
  /** False for choices, which are easily made again. */
  isText: boolean
  isDisabled: boolean
  get(): string
  /** Changes the value as if the user had done so. */
  set(value: string): void
  /** False if the control offers no such value, or does not offer it yet. */
  accepts?(value: string): boolean
  /** What to show of a stored value. */
  preview?(value: string): string
}

interface TypedValue {
  typed: string
  /** The value that the user changed. */
  base: string
}

/** What was typed into a form and not submitted, by field. */
export type TypedValues = Readonly<Record<string, TypedValue>>

/** `conflicts`: fields that have changed since, so that what was typed is not in them. */
export interface RestoredText {
  isRestored: boolean
  conflicts: readonly { key: string; label: string; typed: string }[]
}

export const NOTHING_RESTORED: RestoredText = { isRestored: false, conflicts: [] }

interface Options {
  /** The fields that are on the screen. */
  fields(): readonly TypedField[]
  read(): TypedValues | null
  write(values: TypedValues | null): void
  /** True if the fields are empty at first. What is in them was then typed before hydration. */
  isGuest: boolean
  show(restored: RestoredText): void
}

/** Stores what is typed into a form, and puts it back into the form when it is opened again. */
export function createTypedForm({ fields, read, write: store, isGuest, show }: Options) {
  let values = new Map(Object.entries(read() ?? {}))
  /** The value of each field before the user changed it. */
  const bases = new Map<string, string>()
  const restored = new Set<string>()
  const conflicts = new Map<string, { label: string; typed: string; preview: string }>()
  const touched = new Set<string>()
  /** What this form has read or written last. */
  let written = new Map(values)
  /** Writes what has changed here, and leaves what another tab has stored meanwhile. */
  function write(): void {
    const changed = [...new Set([...written.keys(), ...values.keys()])].filter(
      (key) => written.get(key) !== values.get(key),
    )
    if (changed.length === 0) return
    const merged = new Map(Object.entries(read() ?? {}))
    for (const key of changed) {
      const value = values.get(key)
      if (value) merged.set(key, value)
      else merged.delete(key)
    }
    written = new Map(values)
    store(merged.size > 0 ? Object.fromEntries(merged) : null)
  }
  const showNow = () =>
    show({
      isRestored: restored.size > 0,
      conflicts: [...conflicts].map(([key, { label, preview: typed }]) => ({ key, label, typed })),
    })
  const fieldOf = (key: string) => fields().find((field) => field.key === key)

  function restore(field: TypedField, { typed, base }: TypedValue): void {
    field.set(typed)
    bases.set(field.key, base)
    restored.add(field.key)
    touched.add(field.key)
  }

  /**
   * Stores a field that the user has changed, or removes it if its value is the former one again.
   * What the question is about stays until the user answers it.
   */
  function storeField(field: TypedField): void {
    if (conflicts.has(field.key)) return
    const typed = field.get()
    const base = bases.get(field.key) ?? ''
    if (typed === base) values.delete(field.key)
    else values.set(field.key, { typed, base })
  }

  return {
    /** Call it when fields may have appeared. Fills them with what was typed. */
    scan() {
      const shownBefore = restored.size + conflicts.size
      for (const field of fields()) {
        if (field.isDisabled || bases.has(field.key)) continue
        const value = field.get()
        const stored = values.get(field.key)
        if (stored && field.accepts?.(stored.typed) === false) continue
        bases.set(field.key, isGuest ? '' : value)
        if (isGuest && value !== '') storeField(field)
        else if (!stored) continue
        else if (value === stored.base) restore(field, stored)
        // It was saved elsewhere.
        else if (value === stored.typed || !field.isText) values.delete(field.key)
        else {
          const { typed } = stored
          conflicts.set(field.key, { label: field.label, typed, preview: field.preview?.(typed) ?? typed })
        }
      }
      write()
      if (restored.size + conflicts.size !== shownBefore) showNow()
    },

    /** Call it before the user changes a field. */
    enter(key: string) {
      const field = fieldOf(key)
      if (!field || isGuest || touched.has(key)) return
      if (!values.has(key) || !bases.has(key)) bases.set(key, field.get())
    },

    /** Call it after the user has changed fields. */
    change(keys: readonly string[]) {
      for (const key of keys) {
        const field = fieldOf(key)
        if (!field) continue
        touched.add(key)
        storeField(field)
      }
      write()
    },

    /** Removes what was restored from the form and from the storage. Leaves what the question is about. */
    discard() {
      for (const key of restored) {
        fieldOf(key)?.set(bases.get(key) ?? '')
        values.delete(key)
        touched.delete(key)
      }
      restored.clear()
      write()
      showNow()
    },

    /** Removes what the question is about from the storage. Leaves the form as it is. */
    discardConflicts() {
      const keys = [...conflicts.keys()]
      conflicts.clear()
      for (const key of keys) {
        values.delete(key)
        const field = fieldOf(key)
        if (field && touched.has(key)) storeField(field)
      }
      write()
      showNow()
    },

    /** Replaces the newer values by what was typed. */
    takeTyped() {
      for (const [key, { typed }] of conflicts) {
        const field = fieldOf(key)
        if (!field) continue
        const base = touched.has(key) ? (bases.get(key) ?? '') : field.get()
        restore(field, { typed, base })
        values.set(key, { typed, base })
      }
      conflicts.clear()
      write()
      showNow()
    },

    /** Removes everything from the storage. */
    clear() {
      values = new Map()
      touched.clear()
      restored.clear()
      conflicts.clear()
      bases.clear()
      write()
      showNow()
    },

    /** Call it when the form is submitted. @returns a function to call once the server has the values */
    submit(): (isOpen: boolean) => void {
      const sent = new Map(fields().map((field) => [field.key, field.get()]))
      touched.clear()
      return (isOpen) => {
        for (const key of values.keys()) if (!conflicts.has(key)) values.delete(key)
        if (!isOpen) return write()
        const later = [...touched]
        restored.clear()
        for (const field of fields()) bases.set(field.key, isGuest ? '' : field.get())
        for (const key of later) {
          bases.set(key, sent.get(key) ?? '')
          const field = fieldOf(key)
          if (field) storeField(field)
        }
        write()
        showNow()
      }
    },
  }
}

export type TypedForm = ReturnType<typeof createTypedForm>
