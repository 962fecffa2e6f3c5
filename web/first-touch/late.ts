/** Messages about an app that loads slowly or fails, shown in app/features/overview/shell/late-text.tsx. */

/** After this time the page says it is slow. */
export const SLOW_AFTER_MS = 10_000
export const SLOW = 'This page is taking longer than expected. Please check your connection.'

/** The message area and its buttons; undefined on pages without it. */
export function lateRoom() {
  const room = document.querySelector('[data-late]')
  const [again, reload] = room?.querySelectorAll('button') ?? []
  return { room, again, reload }
}

/** Shows a message, and the button that helps. */
export function say(text: string, remedy?: HTMLElement) {
  const { room, again, reload } = lateRoom()
  const isFocusHere = room?.contains(document.activeElement)
  for (const button of [again, reload]) if (button) button.hidden = button !== remedy
  // Don't lose focus if the pressed button disappears.
  if (isFocusHere) (remedy ?? document.getElementById('content'))?.focus({ preventScroll: true })
  const line = room?.querySelector('p')
  if (line) line.textContent = text
}

/**
 * Whether a dynamic import failed. Browsers only say so in the message: Safari 'Importing a module
 * script failed', others 'dynamically imported module'.
 */
export function isImportFailure({ reason }: PromiseRejectionEvent): boolean {
  return /imported module|importing a module/i.test(String(reason))
}
