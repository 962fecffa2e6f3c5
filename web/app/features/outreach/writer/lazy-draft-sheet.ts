import { lazy } from 'react'

/** The sheet for drafts, loaded when it is first opened. */
export const LazyDraftSheet = lazy(() => import('./draft-sheet').then((module) => ({ default: module.DraftSheet })))
