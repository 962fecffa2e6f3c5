/** For this long, the server does not send what a screen has queued, so that it can be undone. */
export const HOLD_SECONDS = 10

/** The countdown starts with the response, which arrives slightly after the hold begins. */
const ANSWER_MS = 1_000

/** A toast's Undo button, counting from when the server has responded. */
export function undoAction(onClick: () => void) {
  return { label: 'Undo', onClick, until: Date.now() + HOLD_SECONDS * 1_000 - ANSWER_MS }
}
