/** How long the server holds back messages that a screen has queued, so that queueing can be undone. */
export const HOLD_SECONDS = 10

/** Subtracted from the countdown, because the response arrives slightly after the hold begins. */
const ANSWER_MS = 1_000

/** A toast's Undo button. Call it when the server responds, because the countdown starts immediately. */
export function undoAction(onClick: () => void) {
  return { label: 'Undo', onClick, until: Date.now() + HOLD_SECONDS * 1_000 - ANSWER_MS }
}
