/** What is used of a browser's storage. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/**
 * A storage of which nothing is lost before the page is left: where the browser forbids its own (only to look at it throws then), or has
 * no room left, what is to be kept is kept here.
 * @param find looks at the browser's own
 */
export function withMemoryFallback(find: () => KeyValueStorage | undefined): KeyValueStorage {
  const kept = new Map<string, string>()
  const own = () => {
    try {
      return find()
    } catch {
      return undefined
    }
  }
  return {
    getItem: (key) => kept.get(key) ?? own()?.getItem(key) ?? null,
    setItem(key, value) {
      kept.set(key, value)
      const storage = own()
      if (!storage) return
      try {
        storage.setItem(key, value)
        kept.delete(key)
      } catch {
        // What stood there before does not hold any more, after a reload either.
        storage.removeItem(key)
      }
    },
    removeItem(key) {
      kept.delete(key)
      own()?.removeItem(key)
    },
  }
}

/** Of this browser, in all its tabs. There is none while prerendering. */
export const localStorage = withMemoryFallback(() => globalThis.localStorage)
/** Of this tab. */
export const sessionStorage = withMemoryFallback(() => globalThis.sessionStorage)
