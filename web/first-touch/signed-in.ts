/**
 * Inlined into the SPA fallback page: reports slow or failed loading. Runs before the app's scripts
 * and before the body exists.
 */
import { STARTED_PAGES_KEY } from '../app/started-pages'
import { HYDRATED } from '../app/ui/hydrated-event'
import { isImportFailure, lateRoom, SLOW, SLOW_AFTER_MS, say } from './late'

/** Automatic reloads in a row before giving up. */
const MAX_STARTS = 3
const BROKEN = "This page didn't load. Check your connection, then reload it."

const awake = new AbortController()
const { signal } = awake

const offerReload = (text: string) => say(text, lateRoom().reload)
const slow = setTimeout(() => offerReload(SLOW), SLOW_AFTER_MS)

/** Updates the number of starts in a row; 0 if storage is blocked. */
const updateStarts = (change: (starts: number) => number) => {
  try {
    const starts = change(Number(sessionStorage.getItem(STARTED_PAGES_KEY)))
    sessionStorage.setItem(STARTED_PAGES_KEY, String(starts))
    return starts
  } catch {
    return 0
  }
}

const giveUp = () => {
  clearTimeout(slow)
  document.documentElement.dataset.broken = ''
  offerReload(BROKEN)
  addEventListener('online', () => location.reload(), { signal })
}

document.addEventListener(
  HYDRATED,
  () => {
    clearTimeout(slow)
    awake.abort()
    say('')
  },
  { signal },
)
document.addEventListener(
  'click',
  ({ target }) => {
    if (!(target instanceof Node) || !lateRoom().reload?.contains(target)) return
    updateStarts(() => 0)
    location.reload()
  },
  { signal },
)
// Script load errors don't bubble, so listen in the capture phase.
addEventListener('error', ({ target }) => target instanceof HTMLScriptElement && giveUp(), { capture: true, signal })
addEventListener('unhandledrejection', (event) => isImportFailure(event) && giveUp(), { signal })

// Only reloads count: leaving a page before its scripts have loaded is not a failure.
const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
if (updateStarts((starts) => (navigation?.type === 'reload' ? starts + 1 : 1)) > MAX_STARTS) {
  // The entry script checks this (build-steps/first-touch.ts).
  document.documentElement.dataset.broken = ''
  // The user's next reload tries again.
  updateStarts(() => 0)
  document.addEventListener('DOMContentLoaded', giveUp, { signal })
}
