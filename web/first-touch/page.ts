/**
 * The whole script of a prerendered page until its app is there: written into each of them. It counts the view, carries a friend's code
 * along on the links, and starts the app: by a hand on a link or a control, by a key, because somebody is signed in, because the address
 * asks for something; and on pages that do not rest, as soon as they are drawn.
 */
import { joinedText } from '../app/features/waitlist/joined-text'
import { VIEW_COUNTED, viewOf } from '../app/first-view'
import { FOR_GUESTS, referralCodeIn, withReferralCode } from '../app/referral-query'
import { HYDRATED } from '../app/ui/hydrated-event'
import { isImportFailure, lateRoom, SLOW, SLOW_AFTER_MS, say as sayLate } from './late'

/** What needs the app to answer. Links, the questions and what works by style alone do not. */
const CONTROLS = 'button, input, label'
const WORKS_ALONE = '[data-works-alone]'
/** Takes what is typed, and what a browser fills in, by itself; the app finds it there. */
const TYPED = 'input:not([type="radio"], [type="checkbox"])'
/** In session storage: the scripts for whose sake this page was loaded anew. */
const RELOADED = 'scriptsMissing'
/** A script that does not come is asked for again, so often and after so long. */
const AGAIN_AFTER_MS = [500, 2_000]
/** Not every browser that could say when it has drawn the page does: by then it has. */
const DRAWN_AFTER_MS = 3_000
/** What runs longer in one piece is felt. */
const PIECE_MS = 5

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
    // Read to its end, so that the connection is free again.
    .then((answer) => answer.arrayBuffer())
    .catch(() => {})
}

/** Says how many have joined, where the page has room for it. */
const sayJoined = async () => {
  const room = document.querySelector('[data-joined]')
  if (!room) return
  // Not over what the app says by then.
  const answer = await fetch('/api/waitlist/count', { signal })
  if (answer.ok) room.textContent = joinedText(((await answer.json()) as { count: number }).count)
}

const awake = new AbortController()
const { signal } = awake
/** What was pressed before the app was there; it is pressed again as soon as it is. */
let pressed: HTMLElement | null = null
/** What was typed into and left again: forms look at it then. */
const left = new Set<Element>()
let state: 'resting' | 'starting' | 'failed' = 'resting'

const { again, reload } = lateRoom()
let slow: ReturnType<typeof setTimeout> | undefined

/** Has somebody typed, or are they about to? */
const isTyped = () =>
  [...document.querySelectorAll<HTMLInputElement>(TYPED)].some(
    (field) => field.value !== '' || field === document.activeElement,
  )

const say: typeof sayLate = (words, remedy) => {
  clearTimeout(slow)
  sayLate(words, remedy)
}

/** Lets go of what was pressed: whatever is pressed next tries again. */
const giveUp = (words: string, remedy: HTMLElement | undefined) => {
  state = 'failed'
  pressed?.removeAttribute('aria-busy')
  pressed = null
  say(words, remedy)
}

/**
 * What the page names is there no more, or does not run: there is a new version of the product. The page is loaded anew, once, unless
 * somebody would lose what they typed.
 */
const renew = () => {
  const scripts = held?.dataset.scripts ?? ''
  try {
    if (!isTyped() && sessionStorage.getItem(RELOADED) !== scripts) {
      sessionStorage.setItem(RELOADED, scripts)
      return location.reload()
    }
  } catch {
    // Where nothing may be stored nobody knows whether it was loaded anew already.
  }
  giveUp(OUTDATED, reload)
}

const wait = (ms?: number) => new Promise((resolve) => setTimeout(resolve, ms))

const link = (rel: string, href: string) => Object.assign(document.createElement('link'), { rel, href })

/**
 * Fetches what the app is made of, so that the browser has it when it is imported: an import that failed is, in most browsers, not tried again.
 * @returns is it there? null: nobody says
 */
const fetched = async (href: string): Promise<boolean | null> => {
  for (const againAfterMs of [0, ...AGAIN_AFTER_MS]) {
    if (againAfterMs) await wait(againAfterMs)
    try {
      const answer = await fetch(href)
      await answer.arrayBuffer()
      // Else somebody on the way has refused: it says nothing of what is there.
      if (answer.ok || answer.status === 404 || answer.status === 410) return answer.ok
    } catch {
      // The connection broke.
    }
  }
  return null
}

let since = 0
/** Lets the page answer in between, where a piece of work has taken long. */
const pause = async () => {
  if (performance.now() - since < PIECE_MS) return
  await wait()
  since = performance.now()
}

/** What the app shows next is styled by the whole sheet; it stands where React looks for it. */
const dress = (href: string) => {
  const styles = document.querySelectorAll('style')
  const whole = link('stylesheet', href)
  whole.addEventListener('load', () => {
    for (const style of styles) style.remove()
  })
  styles[0]?.before(whole)
}

let words = held
/** Lets the words that start the app run; it has taken over the page once HYDRATED is told. */
const run = () => {
  const script = Object.assign(document.createElement('script'), { type: 'module', textContent: held?.textContent })
  script.addEventListener('error', renew)
  words?.replaceWith(script)
  words = script
}

const start = async () => {
  if (!held || state === 'starting') return
  state = 'starting'
  // Loaded anew, the page would lose what was typed: it is not offered then.
  slow = setTimeout(() => (isTyped() ? say(SLOW + KEPT) : say(SLOW, reload)), SLOW_AFTER_MS)
  since = performance.now()
  const { style, scripts = '' } = held.dataset
  const hrefs = scripts.split(' ')
  const get = async (href: string) => {
    const isThere = await fetched(href)
    if (isThere && href === style) dress(href)
    else if (isThere) document.head.append(link('modulepreload', href))
    return { href, isThere }
  }
  // To ask for all of them in one piece would be felt.
  const coming: ReturnType<typeof get>[] = []
  for (const href of [...(style ? [style] : []), ...hrefs]) {
    coming.push(get(href))
    await pause()
  }
  try {
    for (const part of coming) {
      const { href, isThere } = await part
      if (isThere === null) return giveUp(isTyped() ? BROKEN + KEPT : BROKEN, again)
      if (!isThere) return renew()
      // One after the other, each after those it needs. The last script is asked for by the words that start the app.
      if (href !== style && href !== hrefs.at(-1)) await import(/* @vite-ignore */ href)
      await pause()
    }
    run()
  } catch {
    renew()
  }
}

document.addEventListener(
  HYDRATED,
  () => {
    awake.abort()
    say('')
    // Once what only the browser knows is on the page too.
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
    // Its address has the code; what the app would lead to has none before it has taken over.
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
// Somebody signs in, in another tab.
addEventListener('storage', () => void start(), { signal })
addEventListener('online', () => state === 'failed' && void start(), { signal })
// The last import is the words' own.
addEventListener('unhandledrejection', (event) => state === 'starting' && isImportFailure(event) && renew(), { signal })

// What was pressed before this script was there (web/build-steps/first-touch.ts).
const { early } = window as unknown as { early?: { (event: Event): void; pressed?: HTMLElement } }
if (early) {
  removeEventListener('click', early as EventListener, true)
  early.pressed?.click()
}
carry()
// By this script, whenever it gets to it.
root.dataset.view = VIEW_COUNTED
sayJoined().catch(() => {})

const rest = held?.dataset.app
const asks = [...new URLSearchParams(location.search).keys()].some((key) => !/^utm_|^ref$/.test(key))
const isJoined = rest === 'joined' && root.dataset.waitlist !== undefined
// What a page handed over to this one outlives a reload.
const isHandedOver = Boolean((history.state as { usr?: unknown } | null)?.usr)
if (root.dataset.session || asks || isJoined || isHandedOver) void start()

let isDrawn = false
const onceDrawn = () => {
  if (isDrawn) return
  isDrawn = true
  count()
  for (const fonts of document.querySelectorAll('style')) fonts.media = 'all'
  if (rest === 'drawn') void start()
}
// Asked for before the first words are seen, what comes would hold them up.
const onceSeen = () => {
  // Nothing is drawn where nobody sees it.
  if (document.hidden || !PerformanceObserver.supportedEntryTypes.includes('paint')) return onceDrawn()
  new PerformanceObserver((_drawn, observer) => {
    observer.disconnect()
    onceDrawn()
  }).observe({ type: 'paint', buffered: true })
  setTimeout(onceDrawn, DRAWN_AFTER_MS)
}
// A browser that makes a page ready before anybody asks for it has shown it to nobody.
if ((document as Document & { prerendering?: boolean }).prerendering)
  document.addEventListener('prerenderingchange', onceSeen, { once: true })
else onceSeen()
