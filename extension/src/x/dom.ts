const LOOK_EVERY_MS = 100
/** A page that has loaded and has not changed for so long is not going to. */
const QUIET_MS = 3000

/** The first element that fits and is to be seen, in the page or in an open shadow tree of it. */
export function find(selector: string, within?: ParentNode): HTMLElement | null {
  return findAll(selector, within)[0] ?? null
}

/** All that fit and are to be seen, in the order of the page. */
export function findAll(selector: string, within?: ParentNode): HTMLElement[] {
  const roots = within ? [within] : [document, ...shadowRoots(document)]
  return roots
    .flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)])
    .filter((one) => one.checkVisibility())
}

function shadowRoots(root: ParentNode): ShadowRoot[] {
  return [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
    shadowRoot ? [shadowRoot, ...shadowRoots(shadowRoot)] : [],
  )
}

/**
 * Looks until there is something to give. Null after `ms`, or with `untilQuiet` as soon as the page has settled without it.
 */
export function until<Found>(
  look: () => Found | null | undefined | false,
  { ms, untilQuiet }: { ms: number; untilQuiet?: () => boolean },
): Promise<Found | null> {
  return new Promise((resolve) => {
    const begun = performance.now()
    let lastChange = begun
    const changes = new MutationObserver(() => {
      lastChange = performance.now()
    })
    const watch = () => {
      for (const root of [document, ...shadowRoots(document)])
        changes.observe(root, { subtree: true, childList: true, characterData: true, attributes: true })
    }
    const end = (found: Found | null) => {
      clearInterval(timer)
      changes.disconnect()
      resolve(found)
    }
    const step = () => {
      const found = look()
      const now = performance.now()
      if (found) end(found)
      else if (now - begun > ms) end(null)
      else if (untilQuiet?.() && document.readyState === 'complete' && now - lastChange > QUIET_MS) end(null)
      else watch()
    }
    const timer = setInterval(step, LOOK_EVERY_MS)
    step()
  })
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The text that somebody reads there: pictures of emojis by their name, blocks and breaks as lines. */
export function shownText(element: Element): string {
  const parts = [...element.childNodes].map((node) => {
    if (node instanceof Text) return node.data
    if (node instanceof HTMLImageElement) return node.alt
    if (node instanceof HTMLBRElement) return '\n'
    return node instanceof Element ? shownText(node) : ''
  })
  return parts.join('')
}
