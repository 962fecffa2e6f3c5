/** Says on a page that its app is late, or does not come (app/features/shell/late-text.tsx), and what can be done about it there. */

/** Longer than this, and the page says that it takes long. */
export const SLOW_AFTER_MS = 10_000
export const SLOW = 'This page is taking longer than expected. Please check your connection.'

/** What waits in the room of these words; undefined on a page that has none. */
export function lateRoom() {
  const room = document.querySelector('[data-late]')
  const [again, reload] = room?.querySelectorAll('button') ?? []
  return { room, again, reload }
}

/** Says something until the app is there, or something else is to be said. */
export function say(words: string, remedy?: HTMLElement) {
  const { room, again, reload } = lateRoom()
  const isFocusHere = room?.contains(document.activeElement)
  for (const button of [again, reload]) if (button) button.hidden = button !== remedy
  // Who has pressed a button that goes is not left without a place.
  if (isFocusHere) (remedy ?? document.getElementById('content'))?.focus({ preventScroll: true })
  const line = room?.querySelector('p')
  if (line) line.textContent = words
}

/** Is it why a script that is imported does not come? Chrome and Firefox speak of a 'dynamically imported module', Safari says 'Importing a module script failed'. */
export function isImportFailure({ reason }: PromiseRejectionEvent): boolean {
  return /imported module|importing a module/i.test(String(reason))
}
