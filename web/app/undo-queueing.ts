/** The server sends nothing that a screen has queued for this long, so that it can be undone. */
export const HOLD_SECONDS = 10

/** The countdown starts with the answer, which arrives a little later than the hold begins. */
const ANSWER_MS = 1_000

/** A toast's Undo button, counting from the moment at which the server has answered. */
export function undoAction(onClick: () => void) {
  return { label: 'Undo', onClick, until: Date.now() + HOLD_SECONDS * 1_000 - ANSWER_MS }
}
