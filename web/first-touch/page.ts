/**
 * Inlined into every prerendered page. Counts the view, adds the referral code to links and starts
 * the app: on interaction if hydration is deferred, otherwise once painted or needed.
 */
import { joinedText } from '../app/features/waitlist/waitlist/joined-text'
import { VIEW_COUNTED, viewOf } from '../app/first-view'
import { FOR_GUESTS, referralCodeIn, withReferralCode } from '../app/referral-query'
import { HYDRATED } from '../app/ui/hydrated-event'
import { isImportFailure, lateRoom, SLOW, SLOW_AFTER_MS, say as sayLate } from './late'

/** Controls that need the app. */
const CONTROLS = 'button, input, label'
const WORKS_ALONE = '[data-works-alone]'
/** Text fields work without the app, which picks up their values. */
const TYPED = 'input:not([type="radio"], [type="checkbox"])'
/** Session storage: the missing scripts for which this page was reloaded. */
const RELOADED = 'scriptsMissing'
/** Delays before retrying a script. */
const RETRY_DELAYS_MS = [500, 2_000]
/** Assume the page is painted by then; not every browser reports it. */
const DRAWN_AFTER_MS = 3_000
/** Longest task before yielding to the page. */
const MAX_TASK_MS = 5

const BROKEN = "This page didn't finish loading. Check your connection, then try again."
const KEPT = ' Your input is kept.'
const OUTDATED = 'This page may be out of date. Reload it to continue.'

const root = document.documentElement
const code = referralCodeIn(location.search)
const held = document.querySelector<HTMLScriptElement>('script[data-app]')

const carry = () => {
  if (!code) return
  for (const link of document.querySelectorAll<HTMLAnchorElement>(FOR_GUESTS))
    link.setAttribute('href', withReferralCode(link.pathname, code))
}

const count = () => {
  fetch('/api/track-view', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(viewOf(location.pathname, code)),
  })
    // Read the body to free the connection.
    .then((answer) => answer.arrayBuffer())
    .catch(() => {})
}

/** Shows the number of members, if the page has a place for it. */
const showJoined = async () => {
  const room = document.querySelector('[data-joined]')
  if (!room) return
  // Aborted once the app takes over.
  const answer = await fetch('/api/waitlist/count', { signal })
  if (answer.ok) room.textContent = joinedText(((await answer.json()) as { count: number }).count)
}

const awake = new AbortController()
const { signal } = awake
/** Pressed before hydration; clicked again after it. */
let pressed: HTMLElement | null = null
/** Fields blurred before hydration; forms validate them after it. */
const left = new Set<Element>()
let state: 'resting' | 'starting' | 'failed' = 'resting'

const { again, reload } = lateRoom()
let slow: ReturnType<typeof setTimeout> | undefined

/** Whether there is input that a reload would lose. */
const isTyped = () =>
  [...document.querySelectorAll<HTMLInputElement>(TYPED)].some(
    (field) => field.value !== '' || field === document.activeElement,
  )

const say: typeof sayLate = (text, remedy) => {
  clearTimeout(slow)
  sayLate(text, remedy)
}

/** Releases the pressed control; the next press tries again. */
const giveUp = (text: string, remedy: HTMLElement | undefined) => {
  state = 'failed'
  pressed?.removeAttribute('aria-busy')
  pressed = null
  say(text, remedy)
}

/** A missing or broken script suggests a new version: reload once, unless input would be lost. */
const reloadOutdated = () => {
  const scripts = held?.dataset.scripts ?? ''
  try {
    if (!isTyped() && sessionStorage.getItem(RELOADED) !== scripts) {
      sessionStorage.setItem(RELOADED, scripts)
      return location.reload()
    }
  } catch {
    // Without storage we can't tell whether we already reloaded.
  }
  giveUp(OUTDATED, reload)
}

const wait = (ms?: number) => new Promise((resolve) => setTimeout(resolve, ms))

const link = (rel: string, href: string) => Object.assign(document.createElement('link'), { rel, href })

/**
 * Fetches a script before importing it, as most browsers never retry a failed import. Returns null
 * if its existence is unknown.
 */
const fetched = async (href: string): Promise<boolean | null> => {
  for (const againAfterMs of [0, ...RETRY_DELAYS_MS]) {
    if (againAfterMs) await wait(againAfterMs)
    try {
      const answer = await fetch(href)
      await answer.arrayBuffer()
      // Other statuses may come from proxies, so the file may still exist.
      if (answer.ok || answer.status === 404 || answer.status === 410) return answer.ok
    } catch {
      // Connection failed.
    }
  }
  return null
}

let since = 0
/** Yields to the page after a long task. */
const pause = async () => {
  if (performance.now() - since < MAX_TASK_MS) return
  await wait()
  since = performance.now()
}

/** Replaces the inlined CSS with the full style sheet, where React expects it. */
const loadStyles = (href: string) => {
  const styles = document.querySelectorAll('style')
  const whole = link('stylesheet', href)
  whole.addEventListener('load', () => {
    for (const style of styles) style.remove()
  })
  styles[0]?.before(whole)
}

let entryScript = held
/** Runs the entry script. The app dispatches HYDRATED once it has taken over. */
const run = () => {
  const script = Object.assign(document.createElement('script'), { type: 'module', textContent: held?.textContent })
  script.addEventListener('error', reloadOutdated)
  entryScript?.replaceWith(script)
  entryScript = script
}

const start = async () => {
  if (!held || state === 'starting') return
  state = 'starting'
  // Don't offer a reload that would lose input.
  slow = setTimeout(() => (isTyped() ? say(SLOW + KEPT) : say(SLOW, reload)), SLOW_AFTER_MS)
  since = performance.now()
  const { style, scripts = '' } = held.dataset
  const hrefs = scripts.split(' ')
  const get = async (href: string) => {
    const isThere = await fetched(href)
    if (isThere && href === style) loadStyles(href)
    else if (isThere) document.head.append(link('modulepreload', href))
    return { href, isThere }
  }
  // Requesting all at once would block the page.
  const coming: ReturnType<typeof get>[] = []
  for (const href of [...(style ? [style] : []), ...hrefs]) {
    coming.push(get(href))
    await pause()
  }
  try {
    for (const part of coming) {
      const { href, isThere } = await part
      if (isThere === null) return giveUp(isTyped() ? BROKEN + KEPT : BROKEN, again)
      if (!isThere) return reloadOutdated()
      // In dependency order. The entry script imports the last one.
      if (href !== style && href !== hrefs.at(-1)) await import(/* @vite-ignore */ href)
      await pause()
    }
    run()
  } catch {
    reloadOutdated()
  }
}

document.addEventListener(
  HYDRATED,
  () => {
    awake.abort()
    say('')
    // After the render that adds query, storage and time.
    setTimeout(() => {
      for (const field of left)
        if (field !== document.activeElement) field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }))
      pressed?.removeAttribute('aria-busy')
      pressed?.click()
    })
  },
  { signal },
)
document.addEventListener(
  'click',
  (event) => {
    if (!(event.target instanceof Element)) return
    // The link has the code; the app's router wouldn't add it yet.
    if (code && event.target.closest(FOR_GUESTS)) event.stopPropagation()
    const control = event.target.closest<HTMLElement>(CONTROLS)
    if (!control || control.closest(WORKS_ALONE)) return
    if (control === reload) return location.reload()
    const field = control instanceof HTMLLabelElement ? control.control : control
    if (!field?.matches(TYPED)) {
      event.preventDefault()
      event.stopPropagation()
      pressed?.removeAttribute('aria-busy')
      pressed = control
      control.setAttribute('aria-busy', 'true')
    }
    void start()
  },
  { capture: true, signal },
)

const nearControl = ({ target }: Event) =>
  state === 'resting' && target instanceof Element && target.closest(`a[href^="/"], ${CONTROLS}`) && void start()
for (const event of ['pointerover', 'focusin']) document.addEventListener(event, nearControl, { passive: true, signal })
document.addEventListener(
  'focusout',
  ({ target }) => target instanceof HTMLInputElement && target.value !== '' && left.add(target),
  { signal },
)
// Someone may have signed in in another tab.
addEventListener('storage', () => void start(), { signal })
addEventListener('online', () => state === 'failed' && void start(), { signal })
// A failed import in the entry script.
addEventListener('unhandledrejection', (event) => state === 'starting' && isImportFailure(event) && reloadOutdated(), {
  signal,
})

// Pressed before this script ran (build-steps/first-touch.ts).
const { early } = window as unknown as { early?: { (event: Event): void; pressed?: HTMLElement } }
if (early) {
  removeEventListener('click', early as EventListener, true)
  early.pressed?.click()
}
carry()
// This script counts the view, even if later than the app starts.
root.dataset.view = VIEW_COUNTED
showJoined().catch(() => {})

const trigger = held?.dataset.app
const asks = [...new URLSearchParams(location.search).keys()].some((key) => !/^utm_|^ref$/.test(key))
const isJoined = trigger === 'joined' && root.dataset.waitlist !== undefined
// Navigation state survives reloads.
const isHandedOver = Boolean((history.state as { usr?: unknown } | null)?.usr)
if (root.dataset.session || asks || isJoined || isHandedOver) void start()

let isDrawn = false
const onceDrawn = () => {
  if (isDrawn) return
  isDrawn = true
  count()
  for (const fonts of document.querySelectorAll('style')) fonts.media = 'all'
  if (trigger === 'drawn') void start()
}
// Loading anything before the first paint would delay it.
const onceSeen = () => {
  // Hidden pages are never painted.
  if (document.hidden || !PerformanceObserver.supportedEntryTypes.includes('paint')) return onceDrawn()
  new PerformanceObserver((_drawn, observer) => {
    observer.disconnect()
    onceDrawn()
  }).observe({ type: 'paint', buffered: true })
  setTimeout(onceDrawn, DRAWN_AFTER_MS)
}
// A page prerendered by the browser hasn't been viewed yet.
if ((document as Document & { prerendering?: boolean }).prerendering)
  document.addEventListener('prerenderingchange', onceSeen, { once: true })
else onceSeen()
