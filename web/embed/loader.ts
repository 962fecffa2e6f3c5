/**
 * `/embed.js`, which other sites load: puts the widget where its script tag stands, as high as its content, in the colour scheme of the page.
 * It sets no cookie, stores nothing and changes nothing else of the page. See docs/widget.md.
 */
import { readWidgetMessage, type Scheme, schemeOf, type ThemeMessage } from './messages'

/** Room for the form until the widget says its height, so that the page does not jump. */
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
  // A frame is see-through only where its scheme is that of the element it is in.
  style.colorScheme = scheme()
  // A tag in the head has no place of its own.
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

  /** Says the page's scheme, which may have changed since the frame was made. */
  function follow(): void {
    const theme = scheme()
    style.colorScheme = theme
    frame.contentWindow?.postMessage({ type: 'x-automated:theme', theme } satisfies ThemeMessage, origin)
  }
  systemIsDark.addEventListener('change', follow)
  // Sites switch by an attribute of the document, or of this tag.
  const observer = new MutationObserver(follow)
  for (const element of [document.documentElement, document.body, script])
    if (element) observer.observe(element, { attributes: true, attributeFilter: ['class', 'style', 'data-theme'] })
}
