/** The part of `Storage` that the app uses. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Wraps browser storage, with memory as a fallback if it is blocked or full. @param find may throw */
export function withMemoryFallback(
  find: () => KeyValueStorage | undefined,
): KeyValueStorage & { removeAll(isMatch: (key: string) => boolean): void } {
  const memory = new Map<string, string>()
  const own = () => {
    try {
      return find()
    } catch {
      return undefined
    }
  }
  return {
    getItem: (key) => memory.get(key) ?? own()?.getItem(key) ?? null,
    setItem(key, value) {
      memory.set(key, value)
      const storage = own()
      if (!storage) return
      try {
        storage.setItem(key, value)
        memory.delete(key)
      } catch {
        // Otherwise the old value would reappear after a reload.
        storage.removeItem(key)
      }
    },
    removeItem(key) {
      memory.delete(key)
      own()?.removeItem(key)
    },
    removeAll(isMatch) {
      for (const key of [...memory.keys(), ...Object.keys(own() ?? {})]) if (isMatch(key)) this.removeItem(key)
    },
  }
}

/** Storage shared by all tabs. While prerendering, values are only kept in memory. */
export const localStorage = withMemoryFallback(() => globalThis.localStorage)
/** Storage of this tab only. */
export const sessionStorage = withMemoryFallback(() => globalThis.sessionStorage)
