const LOOK_EVERY_MS = 60
/** A loaded page that has not changed for this long is considered complete. */
const QUIET_MS = 2000

/** The first visible match, including open shadow roots. */
export function find(selector: string, within?: ParentNode): HTMLElement | null {
  return findAll(selector, within)[0] ?? null
}

/** All visible matches, in page order. */
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
 * Polls `look`, also at each change of the page, until it returns something. Null after `ms`, or
 * with `untilIdle` when the page is complete without it.
 */
export function until<Found>(
  look: () => Found | null | undefined | false,
  { ms, untilIdle }: { ms: number; untilIdle?: () => boolean },
): Promise<Found | null> {
  return new Promise((resolve) => {
    const begun = performance.now()
    let lastChange = begun
    let lastLook = 0
    // Background tabs run timers only once a second, so also observe changes.
    const changes = new MutationObserver(() => {
      lastChange = performance.now()
      if (lastChange - lastLook > LOOK_EVERY_MS) step()
    })
    const end = (found: Found | null) => {
      clearInterval(timer)
      changes.disconnect()
      resolve(found)
    }
    const step = () => {
      const found = look()
      lastLook = performance.now()
      const hasSettled = document.readyState === 'complete' && lastLook - lastChange > QUIET_MS
      if (found) return end(found)
      if (lastLook - begun > ms || (hasSettled && untilIdle?.())) return end(null)
      for (const root of [document, ...shadowRoots(document)])
        changes.observe(root, { subtree: true, childList: true, characterData: true, attributes: true })
    }
    const timer = setInterval(step, LOOK_EVERY_MS)
    step()
  })
}

/** Waits until the result of `look` has not changed for `ms`, and returns it. */
export async function steady<Value>(
  look: () => Value,
  isSame: (a: Value, b: Value) => boolean,
  ms: number,
): Promise<Value> {
  let last = look()
  let since = performance.now()
  for (;;) {
    await pause(LOOK_EVERY_MS)
    const now = look()
    if (!isSame(last, now)) since = performance.now()
    last = now
    if (performance.now() - since >= ms) return last
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The visible text, with emoji images by their names and blocks as lines. */
export function shownText(element: Element): string {
  const parts = [...element.childNodes].map((node) => {
    if (node instanceof Text) return node.data
    if (node instanceof HTMLImageElement) return node.alt
    if (node instanceof HTMLBRElement) return '\n'
    return node instanceof Element ? shownText(node) : ''
  })
  return parts.join('')
}
