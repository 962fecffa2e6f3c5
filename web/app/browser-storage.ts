/** The part of `Storage` that the app uses. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Browser storage, or memory if the browser blocks it or it is full. @param find may throw */
export function withMemoryFallback(
  find: () => KeyValueStorage | undefined,
): KeyValueStorage & { removeAll(prefix: string): void } {
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
    removeAll(prefix) {
      for (const key of [...memory.keys(), ...Object.keys(own() ?? {})])
        if (key.startsWith(prefix)) this.removeItem(key)
    },
  }
}

/** Shared by all tabs. Not available while prerendering. */
export const localStorage = withMemoryFallback(() => globalThis.localStorage)
/** This tab only. */
export const sessionStorage = withMemoryFallback(() => globalThis.sessionStorage)

/** Keys of what people have typed begin with this. It is deleted when they sign out. */
export const TYPED = 'typed.'
