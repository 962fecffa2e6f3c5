import { useState } from 'react'

/** Where pages begin that were come by, so that deep ones cost no more than the first. */
interface PageCursors {
  /** Which list they are of. */
  of: string
  byPage: Readonly<Record<number, string>>
}

/** With where a page begins; another list begins anew. @param cursor null or undefined: there is no such page */
export function withCursor(
  known: PageCursors,
  of: string,
  page: number,
  cursor: string | null | undefined,
): PageCursors {
  const byPage = known.of === of ? known.byPage : {}
  return { of, byPage: cursor ? { ...byPage, [page]: cursor } : byPage }
}

/** @param of names the list, with its filters */
export function usePageCursors(of: string) {
  const [known, setKnown] = useState<PageCursors>({ of, byPage: {} })
  return {
    cursorOf: (page: number) => (known.of === of ? known.byPage[page] : undefined),
    keep: (page: number, cursor: string | null | undefined) => setKnown(withCursor(known, of, page, cursor)),
  }
}
