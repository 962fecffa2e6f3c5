import type { Opener } from '@x-automated/contract/outreach/openers'
import { type RefObject, useEffect, useRef, useState } from 'react'

type Version = Pick<Opener, 'id' | 'version'>
type Seen = ReadonlyMap<string, number>

/** Unapproved openers that have been visible, with the version that was displayed. */
export function useSeen() {
  const [seen, setSeen] = useState<Seen>(new Map())
  const change = (edit: (next: Map<string, number>) => void) =>
    setSeen((before) => {
      const next = new Map(before)
      edit(next)
      return next
    })
  return {
    versions: [...seen].map(([id, version]) => ({ id, version })),
    add: ({ id, version }: Version) => change((next) => next.set(id, version)),
    remove: (ids: readonly string[]) =>
      change((next) => {
        for (const id of ids) next.delete(id)
      }),
  }
}

/** Calls `onSeen` when at least half of the element has scrolled into view, once per key. */
export function useOnScreen(element: RefObject<HTMLElement | null>, key: string | null, onSeen: () => void) {
  const latest = useRef(onSeen)
  latest.current = onSeen
  useEffect(() => {
    if (!element.current || key === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        latest.current()
      },
      { threshold: 0.5 },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, key])
}
