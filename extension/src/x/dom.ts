const LOOK_EVERY_MS = 60

/** The first visible match. Also searches open shadow roots. */
export function find(selector: string, within?: ParentNode): HTMLElement | null {
  return findAll(selector, within)[0] ?? null
}

/** All visible matches: those of the document in page order, then those in open shadow roots. */
export function findAll(selector: string, within?: ParentNode): HTMLElement[] {
  const root = within ?? document
  return [root, ...shadowRoots(root)]
    .flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)])
    .filter((element) => element.checkVisibility())
}

function shadowRoots(root: ParentNode): ShadowRoot[] {
  return [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
    shadowRoot ? [shadowRoot, ...shadowRoots(shadowRoot)] : [],
  )
}

/** Like `closest`, but crosses open shadow roots. */
export function enclosing(element: Element, selector: string): HTMLElement | null {
  const match = element.closest<HTMLElement>(selector)
  if (match) return match
  const root = element.getRootNode()
  return root instanceof ShadowRoot ? enclosing(root.host, selector) : null
}

/** Calls `look` at intervals and when the page changes, until it returns something. Null after `ms`. */
export function until<Value>(look: () => Value | null | undefined | false, ms: number): Promise<Value | null> {
  return new Promise((resolve) => {
    const begun = performance.now()
    let lastLook = 0
    // Background tabs run timers only once a second, so observe changes, too.
    const changes = new MutationObserver(() => {
      if (performance.now() - lastLook > LOOK_EVERY_MS) step()
    })
    const end = (value: Value | null) => {
      clearInterval(timer)
      changes.disconnect()
      resolve(value)
    }
    const step = () => {
      const value = look()
      lastLook = performance.now()
      if (value) return end(value)
      if (lastLook - begun > ms) return end(null)
      for (const root of [document, ...shadowRoots(document)])
        changes.observe(root, { subtree: true, childList: true, characterData: true, attributes: true })
    }
    const timer = setInterval(step, LOOK_EVERY_MS)
    step()
  })
}

/** Creates a function that returns true once all its calls for `ms` have passed true. */
export function createSteadiness(ms: number): (isTrue: boolean) => boolean {
  let since: number | null = null
  return (isTrue) => {
    since = isTrue ? (since ?? performance.now()) : null
    return since !== null && performance.now() - since >= ms
  }
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

/** The text of an element. Images such as emoji become their `alt` text, and <br> becomes a line break. */
export function visibleText(element: Element): string {
  const parts = [...element.childNodes].map((node) => {
    if (node instanceof Text) return node.data
    if (node instanceof HTMLImageElement) return node.alt
    if (node instanceof HTMLBRElement) return '\n'
    return node instanceof Element ? visibleText(node) : ''
  })
  return parts.join('')
}
