import { CLIENT_REPORTS } from '../../../paths'
import { HYDRATED } from '../../../ui/use-hydrated'

/**
 * Runs before the first paint. Inlined as source text, so it cannot use anything outside of this
 * function. Does what pages need before hydration, and everything that the static landing page
 * needs.
 */
function startPage(hydrated: string, reports: string) {
  const LINKS_FOR_GUESTS = 'a[href^="/"]:not([href*="."])'
  const SLOW_AFTER_MS = 10_000
  /** React Router reloads a page whose code is missing. Show the message only after it has given up. */
  const BROKEN_AFTER_MS = 1_000
  const { dataset } = document.documentElement
  const code = new URLSearchParams(location.search).get('ref')?.trim().slice(0, 32)
  const awaitsApp = new AbortController()
  const { signal } = awaitsApp
  let pressed: HTMLElement | undefined
  let broken = 0

  /** The app's script on a prerendered page. It starts later, or only for people with a session. */
  const heldApp = () => document.querySelector<HTMLScriptElement>('script[data-preload]')
  const startApp = (app: HTMLScriptElement) => {
    // A static page only contains the styles of its own elements.
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[disabled]')) link.disabled = false
    for (const href of app.dataset.preload?.split(' ') ?? [])
      document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
    app.replaceWith(Object.assign(document.createElement('script'), { type: 'module', textContent: app.textContent }))
  }
  /** Postpones work that would delay the first paint. The second frame starts after it. */
  const afterPaint = (work: () => void) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(work)))
  const showLate = (late: 'slow' | 'broken') => {
    clearTimeout(slow)
    // entry.client.tsx may already have marked the page as broken.
    if (dataset.late !== 'broken') dataset.late = late
    pressed?.removeAttribute('aria-busy')
  }
  const showBroken = () => {
    clearTimeout(broken)
    broken = window.setTimeout(showLate, BROKEN_AFTER_MS, 'broken')
  }
  /** Loads the demo for guests. For others, the app loads it (features/waitlist/landing/finder-section.tsx). */
  const loadDemo = () => {
    const demo = document.querySelector('[data-finder-demo]')
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return
      seen.disconnect()
      document.head.append(Object.assign(document.createElement('script'), { src: '/finder-demo.js' }))
    })
    if (demo) seen.observe(demo)
  }
  const addCode = (link: HTMLAnchorElement) => {
    if (code) link.setAttribute('href', `${link.pathname}?ref=${encodeURIComponent(code)}`)
  }
  const countView = () => {
    const view = { path: location.pathname, ...(code && { ref: code }) }
    const headers = { 'content-type': 'application/json' }
    fetch('/api/track-view', { method: 'POST', headers, body: JSON.stringify(view) })
      // Reads the body, to free the connection.
      .then((response) => response.text())
      .catch(() => {})
  }

  // Zod would try eval first, which our content security policy blocks and Firefox logs as an error.
  Object.assign(window, { __zod_globalConfig: { jitless: true } })

  try {
    const stored = (key: string) => window.localStorage.getItem(key)
    const theme = stored('theme')
    if (theme === 'light' || theme === 'dark') dataset.theme = theme
    if (!location.pathname.startsWith(reports) && (stored('authToken') || stored('refreshToken')))
      dataset.session = 'stored'
    if (stored('sidebar') === 'rail') dataset.sidebar = 'rail'
    if (stored('waitlistEmail')) dataset.waitlist = 'stored'
  } catch {
    // The browser blocks storage.
  }
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== 'theme') return
    if (target.value === 'system') delete dataset.theme
    else dataset.theme = target.value
    try {
      window.localStorage.setItem('theme', target.value)
    } catch {
      // The browser blocks storage.
    }
  })

  const openMenu = () => document.querySelector<HTMLDetailsElement>('details[data-menu][open]')
  document.addEventListener('click', ({ target }) => {
    const menu = openMenu()
    if (menu && target instanceof Element && (!menu.contains(target) || target.closest('a'))) menu.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    const menu = openMenu()
    if (!menu || key !== 'Escape') return
    menu.open = false
    menu.querySelector('summary')?.focus()
  })

  addEventListener(
    'click',
    (event) => {
      if (!(event.target instanceof Element)) return
      const link = event.target.closest<HTMLAnchorElement>(LINKS_FOR_GUESTS)
      const button = event.target.closest('button')
      if (link) addCode(link)
      if (button) event.preventDefault()
      // Before hydration, the app does not know the code, and does not handle all buttons.
      if (button || (link && code)) event.stopPropagation()
      if (!button) return
      pressed?.removeAttribute('aria-busy')
      pressed = button
      button.setAttribute('aria-busy', 'true')
    },
    { capture: true, signal },
  )
  const slow = setTimeout(() => !heldApp() && showLate('slow'), SLOW_AFTER_MS)
  // Script errors don't bubble. If a script such as the demo's is missing, the page still works.
  addEventListener(
    'error',
    ({ target }) => target instanceof HTMLScriptElement && target.type === 'module' && showBroken(),
    { capture: true, signal },
  )
  // Only the message shows that an import failed. Safari's wording differs.
  addEventListener(
    'unhandledrejection',
    ({ reason }) => /imported module|importing a module/i.test(String(reason)) && showBroken(),
    { signal },
  )
  // The user is leaving or reloading the page.
  addEventListener('beforeunload', () => clearTimeout(broken))
  document.addEventListener(hydrated, () => {
    awaitsApp.abort()
    clearTimeout(slow)
    clearTimeout(broken)
    delete dataset.late
    // Wait for the render that adds the query, storage and time.
    setTimeout(() => {
      pressed?.removeAttribute('aria-busy')
      pressed?.click()
    })
  })

  document.addEventListener('DOMContentLoaded', () => {
    const choice = document.querySelector<HTMLInputElement>(`input[name="theme"][value="${dataset.theme}"]`)
    if (choice) choice.checked = true
    const app = heldApp()
    if (!app) return
    if (app.dataset.until === 'paint') return afterPaint(() => startApp(app))
    if (dataset.session) return startApp(app)
    addEventListener('storage', ({ key, newValue }) => key === 'authToken' && newValue && startApp(app))
    loadDemo()
    for (const link of document.querySelectorAll<HTMLAnchorElement>(LINKS_FOR_GUESTS)) addCode(link)
    // The app may start later. See features/waitlist/waitlist/view-count.tsx.
    dataset.view = 'counted'
    if ('prerendering' in document && document.prerendering)
      document.addEventListener('prerenderingchange', countView, { once: true })
    else afterPaint(countView)
  })
}

/** The inline script of every page. Empty in the browser's bundle, because pages are prerendered. */
export const startupScript = import.meta.env.SSR
  ? `(${startPage})(${JSON.stringify(HYDRATED)},${JSON.stringify(CLIENT_REPORTS)})`
  : ''
