import { useState } from 'react'

/** Cursors of visited pages: with one, a deep page costs no more than the first. */
interface PageCursors {
  /** The list with its filters. */
  of: string
  byPage: Readonly<Record<number, string>>
}

/**
 * Adds the cursor of a page. Cursors of another list are dropped. @param cursor null or undefined
 * if the page doesn't exist
 */
export function withCursor(
  known: PageCursors,
  of: string,
  page: number,
  cursor: string | null | undefined,
): PageCursors {
  const byPage = known.of === of ? known.byPage : {}
  return { of, byPage: cursor ? { ...byPage, [page]: cursor } : byPage }
}

/** @param of identifies the list with its filters */
export function usePageCursors(of: string) {
  const [known, setKnown] = useState<PageCursors>({ of, byPage: {} })
  return {
    cursorOf: (page: number) => (known.of === of ? known.byPage[page] : undefined),
    keep: (page: number, cursor: string | null | undefined) => setKnown(withCursor(known, of, page, cursor)),
    clear: () => setKnown({ of, byPage: {} }),
  }
}
