/** `/embed.js`: inserts the widget after its script tag (docs/widget.md). */
import { readWidgetMessage, type Scheme, schemeOf, type ThemeMessage } from './messages'

/** Height in pixels until the widget reports its own, so that the page doesn't jump. */
const FIRST_HEIGHT = 302

const script = document.currentScript as HTMLScriptElement | null
if (script) mount(script)

function mount(script: HTMLScriptElement): void {
  const { origin } = new URL(script.src)
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
  const parentOf = () => script.parentElement ?? document.body
  const scheme = (): Scheme =>
    schemeOf(script.dataset.theme, getComputedStyle(parentOf()).colorScheme, systemIsDark.matches)

  const frame = document.createElement('iframe')
  const address = new URL('/embed', origin)
  address.searchParams.set('host', location.origin)
  address.searchParams.set('theme', scheme())
  if (script.dataset.ref) address.searchParams.set('ref', script.dataset.ref)
  frame.title = 'Join the X-Automated waitlist'
  frame.allow = 'clipboard-write'
  frame.loading = 'lazy'
  frame.referrerPolicy = 'origin'
  frame.src = address.href
  const { style } = frame
  style.cssText = `display:block;width:100%;max-width:30rem;height:${FIRST_HEIGHT}px;border:0;background:transparent`
  // A frame is only transparent if its color-scheme matches its parent's.
  style.colorScheme = scheme()
  // A script in the head has no position on the page.
  if (parentOf() === document.head) addEventListener('DOMContentLoaded', () => document.body.append(frame))
  else script.after(frame)

  addEventListener('message', ({ origin: sender, source, data }) => {
    if (sender !== origin || source !== frame.contentWindow) return
    const message = readWidgetMessage(data)
    if (message?.type === 'x-automated:size') {
      style.height = `${message.height}px`
      follow()
    }
    if (message?.type === 'x-automated:joined') {
      const { position } = message
      frame.dispatchEvent(new CustomEvent('x-automated:joined', { bubbles: true, detail: { position } }))
    }
  })

  /** Tells the widget the page's current color scheme. */
  function follow(): void {
    const theme = scheme()
    style.colorScheme = theme
    frame.contentWindow?.postMessage({ type: 'x-automated:theme', theme } satisfies ThemeMessage, origin)
  }
  systemIsDark.addEventListener('change', follow)
  // Sites switch themes with an attribute on the document, the body or this script tag.
  const observer = new MutationObserver(follow)
  for (const element of [document.documentElement, document.body, script])
    if (element) observer.observe(element, { attributes: true, attributeFilter: ['class', 'style', 'data-theme'] })
}
