/**
 * The whole script of the landing page, which rests until somebody touches it. It counts the view, carries a friend's code
 * along on the links, and starts the app when it is wanted: by a hand on a link or a control, by a key, or because somebody is signed in.
 */
import { COUNTED, viewOf } from '../app/first-view'
import { referralCodeIn, withReferralCode } from '../app/referral-query'
import { HYDRATED } from '../app/ui/hydrated-event'

/** Links on which a friend's code goes along. */
const FOR_GUESTS = 'a[href^="/"]:not([href*="."])'
/** What needs the app to answer. Links and the questions do not. */
const CONTROLS = 'button, input, label'

const root = document.documentElement
const code = referralCodeIn(location.search)

if (code) {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(FOR_GUESTS))
    link.setAttribute('href', withReferralCode(link.pathname, code))
}

root.dataset.view = COUNTED
fetch('/api/track-view', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(viewOf(location.pathname, code, document.referrer, location.origin)),
})
  // Read to its end, so that the connection is free again.
  .then((answer) => answer.arrayBuffer())
  .catch(() => {})

const awake = new AbortController()
const { signal } = awake
/** What was pressed before the app was there; it is pressed again as soon as it is. */
let pressed: HTMLElement | null = null

const start = () => {
  const held = document.querySelector<HTMLScriptElement>('script[data-app]')
  if (!held) return
  // What the app shows next is styled by the whole sheet; it stands where React looks for it.
  const style = document.querySelector('style')
  const sheet = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: held.dataset.style })
  sheet.addEventListener('load', () => style?.remove())
  style?.before(sheet)
  for (const href of held.dataset.preload?.split(' ') ?? [])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
  const script = document.createElement('script')
  script.type = 'module'
  script.textContent = held.textContent
  held.replaceWith(script)
}

document.addEventListener(
  HYDRATED,
  () => {
    awake.abort()
    pressed?.click()
  },
  { signal },
)
document.addEventListener(
  'click',
  (event) => {
    const control = event.target instanceof Element ? event.target.closest<HTMLElement>(CONTROLS) : null
    if (!control) return
    event.preventDefault()
    event.stopPropagation()
    pressed = control
    start()
  },
  { capture: true, signal },
)

const nearControl = ({ target }: Event) =>
  target instanceof Element && target.closest(`a[href^="/"], ${CONTROLS}`) && start()
for (const event of ['pointerover', 'focusin']) document.addEventListener(event, nearControl, { passive: true, signal })
// Somebody signs in, in another tab.
addEventListener('storage', start, { signal })
if (root.dataset.session) start()
