/**
 * The whole script of the page that signed-in pages begin from, until its app is there: written into it. It says that the app takes
 * long, or does not come. It runs before the app is asked for, when nothing of the page is there yet.
 */
import { STARTED_PAGES_KEY } from '../app/started-pages'
import { HYDRATED } from '../app/ui/hydrated-event'
import { isImportFailure, lateRoom, SLOW, SLOW_AFTER_MS, say } from './late'

/** After this many reloads in a row the page stops loading itself. */
const BEGUN_MAX = 3
const BROKEN = "This page didn't load. Check your connection, then reload it."

const awake = new AbortController()
const { signal } = awake

const offerReload = (words: string) => say(words, lateRoom().reload)
const slow = setTimeout(() => offerReload(SLOW), SLOW_AFTER_MS)

/** Keeps how many pages in a row were begun. Where nothing may be stored nobody knows. */
const keepBegun = (change: (begun: number) => number) => {
  try {
    const begun = change(Number(sessionStorage.getItem(STARTED_PAGES_KEY)))
    sessionStorage.setItem(STARTED_PAGES_KEY, String(begun))
    return begun
  } catch {
    return 0
  }
}

const giveUp = () => {
  clearTimeout(slow)
  // Nothing turns any more.
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
    keepBegun(() => 0)
    location.reload()
  },
  { signal },
)
// Of a script that does not come the document is not told, but on the way down to it.
addEventListener('error', ({ target }) => target instanceof HTMLScriptElement && giveUp(), { capture: true, signal })
addEventListener('unhandledrejection', (event) => isImportFailure(event) && giveUp(), { signal })

// Only a reload can be React Router's own: pages that were left before their scripts came do not count.
const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
if (keepBegun((begun) => (navigation?.type === 'reload' ? begun + 1 : 1)) > BEGUN_MAX) {
  // What would start the app looks here (web/build-steps/first-touch.ts).
  document.documentElement.dataset.broken = ''
  // The user's next reload tries again.
  keepBegun(() => 0)
  document.addEventListener('DOMContentLoaded', giveUp, { signal })
}
