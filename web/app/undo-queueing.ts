/** For this long the server sends nothing of what a screen has queued, so that it can be undone. */
export const HOLD_SECONDS = 10

/** The answer that starts the countdown arrives a little later than the hold began. */
const ANSWER_MS = 1_000

/** A toast's Undo button, from the moment at which the server has answered. */
export function undoAction(onClick: () => void) {
  return { label: 'Undo', onClick, until: Date.now() + HOLD_SECONDS * 1_000 - ANSWER_MS }
}
