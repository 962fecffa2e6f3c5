/**
 * The whole script of a prerendered page until its app is there: written into each of them. It counts the view, carries a friend's code
 * along on the links, and starts the app: by a hand on a link or a control, by a key, because somebody is signed in, because the address
 * asks for something; and on pages that do not rest, as soon as they are drawn.
 */
import { joinedWords } from '../app/features/waitlist/joined-words'
import { COUNTED, viewOf } from '../app/first-view'
import { referralCodeIn, withReferralCode } from '../app/referral-query'
import { HYDRATED } from '../app/ui/hydrated-event'

/** Links on which a friend's code goes along. */
const FOR_GUESTS = 'a[href^="/"]:not([href*="."])'
/** What needs the app to answer. Links, the questions and what works by style alone do not. */
const CONTROLS = 'button, input, label'
const WORKS_ALONE = '[data-works-alone]'
/** Takes what is typed, and what a browser fills in, by itself; the app finds it there. */
const TYPED = 'input:not([type="radio"], [type="checkbox"])'
/** In session storage: when this page was loaded anew because a script did not come. */
const RELOADED = 'scriptsMissingAt'
/** Not sooner than this again. */
const RELOAD_AGAIN_MS = 10_000
/** What runs longer in one piece is felt. */
const PIECE_MS = 5

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
    body: JSON.stringify(viewOf(location.pathname, code, document.referrer, location.origin)),
  })
    // Read to its end, so that the connection is free again.
    .then((answer) => answer.arrayBuffer())
    .catch(() => {})
}

/** Says how many have joined, where the page has room for it. */
const sayJoined = async () => {
  const room = document.querySelector('[data-joined]')
  if (!room) return
  const answer = await fetch('/api/waitlist/count')
  if (answer.ok) room.textContent = joinedWords(((await answer.json()) as { count: number }).count)
}

const awake = new AbortController()
const { signal } = awake
/** What was pressed before the app was there; it is pressed again as soon as it is. */
let pressed: HTMLElement | null = null
/** What was typed into and left again: forms look at it then. */
const left = new Set<Element>()
let state: 'resting' | 'starting' | 'failed' = 'resting'

/**
 * A script did not come: there is a new version of the product, or the connection broke. The page is loaded anew, once;
 * where that did not help, by the next press.
 */
const fail = () => {
  state = 'failed'
  pressed?.removeAttribute('aria-busy')
  pressed = null
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_AGAIN_MS) return
    sessionStorage.setItem(RELOADED, String(Date.now()))
    location.reload()
  } catch {
    // Where nothing may be stored nobody knows whether it was loaded anew already.
  }
}

let since = 0
/** Lets the page answer in between, where a piece of work has taken long. */
const pause = async () => {
  if (performance.now() - since < PIECE_MS) return
  await new Promise((resolve) => setTimeout(resolve))
  since = performance.now()
}

const link = (rel: string, href: string | undefined) => Object.assign(document.createElement('link'), { rel, href })

const start = async () => {
  if (!held || state === 'starting') return
  if (state === 'failed') return fail()
  state = 'starting'
  since = performance.now()
  const { style: sheet, scripts = '' } = held.dataset
  if (sheet) {
    // What the app shows next is styled by the whole sheet; it stands where React looks for it.
    const styles = document.querySelectorAll('style')
    const whole = link('stylesheet', sheet)
    whole.addEventListener('load', () => {
      for (const style of styles) style.remove()
    })
    styles[0]?.before(whole)
  }
  const hrefs = scripts.split(' ')
  // The last script is asked for by the words that start the app. All browsers say that it is an import which failed.
  addEventListener('unhandledrejection', ({ reason }) => /import/i.test(String(reason)) && fail(), { signal })
  try {
    for (const href of hrefs) {
      document.head.append(link('modulepreload', href))
      await pause()
    }
    // One after the other, each after those it needs. The last one starts the app.
    for (const href of hrefs.slice(0, -1)) {
      await import(/* @vite-ignore */ href)
      await pause()
    }
    const script = Object.assign(document.createElement('script'), { type: 'module', textContent: held.textContent })
    script.addEventListener('error', fail)
    held.replaceWith(script)
  } catch {
    fail()
  }
}

document.addEventListener(
  HYDRATED,
  () => {
    awake.abort()
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
    const control = event.target instanceof Element ? event.target.closest<HTMLElement>(CONTROLS) : null
    if (!control || control.closest(WORKS_ALONE)) return
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

// What was pressed before this script was there (web/build-steps/first-touch.ts).
const { early } = window as unknown as { early?: { (event: Event): void; pressed?: HTMLElement } }
if (early) {
  removeEventListener('click', early as EventListener, true)
  early.pressed?.click()
}
carry()
// By this script, whenever it gets to it.
root.dataset.view = COUNTED
sayJoined().catch(() => {})

const rest = held?.dataset.app
const asks = [...new URLSearchParams(location.search).keys()].some((key) => !/^utm_|^ref$/.test(key))
const isTold = rest === 'asked' && (code !== null || root.dataset.waitlist !== undefined)
// What a page handed over to this one outlives a reload.
const isHandedOver = Boolean((history.state as { usr?: unknown } | null)?.usr)
if (root.dataset.session || asks || isTold || isHandedOver) void start()

/** Nothing is fetched that would hold the first words up. */
const onceDrawn = () => {
  count()
  for (const fonts of document.querySelectorAll('style')) fonts.media = 'all'
  if (rest === 'drawn') void start()
}
// Nothing is drawn where nobody sees it.
if (document.hidden) onceDrawn()
else requestAnimationFrame(() => setTimeout(onceDrawn))
