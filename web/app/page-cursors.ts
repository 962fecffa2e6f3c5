import { useState } from 'react'

/** Cursors of visited pages. With its cursor, a deep page costs no more than the first. */
interface PageCursors {
  /** Identifies the list and its filters. */
  of: string
  byPage: Readonly<Record<number, string>>
}

/** Adds a page's cursor. Drops cursors of other lists. @param cursor null or undefined if the page doesn't exist */
export function withCursor(
  cursors: PageCursors,
  of: string,
  page: number,
  cursor: string | null | undefined,
): PageCursors {
  const byPage = cursors.of === of ? cursors.byPage : {}
  return { of, byPage: cursor ? { ...byPage, [page]: cursor } : byPage }
}

/** Keeps the cursors of visited pages. @param of identifies the list and its filters */
export function usePageCursors(of: string) {
  const [cursors, setCursors] = useState<PageCursors>({ of, byPage: {} })
  return {
    cursorOf: (page: number) => (cursors.of === of ? cursors.byPage[page] : undefined),
    keep: (page: number, cursor: string | null | undefined) => setCursors(withCursor(cursors, of, page, cursor)),
    clear: () => setCursors({ of, byPage: {} }),
  }
}
