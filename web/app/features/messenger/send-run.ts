import { formatNumber } from '@x-automated/contract/format'
/** How one message went. `again`: nobody knows, so the same call, with its key, asks once more. `halt`: those after it would fare no better. */
export type SendResult =
  | { kind: 'sent' }
  | { kind: 'failed'; words: string }
  | { kind: 'again' | 'halt'; words: string }

/** How far a run is. */
export interface RunProgress {
  sent: number
  failed: number
  total: number
}

/** How a run ended. */
export interface RunSummary extends RunProgress {
  /** Why it ended early, in words; null: it was stopped by hand, or came to its end. */
  halted: string | null
  /** What went wrong last, in words. */
  lastFailure: string | null
}

/** Calls for one message whose outcome nobody knows; each waits on the server for it. */
const TRIES = 3

/**
 * Sends one message after the other with a pause between them (specification §7). One that fails is counted, and the others go on.
 * @param pause between two messages; resolves early where the run is stopped
 * @param stopped looked at before each message: what is under way is waited for
 */
export async function sendOneByOne<T>(
  leads: readonly T[],
  send: (lead: T) => Promise<SendResult>,
  pause: () => Promise<void>,
  stopped: () => boolean,
  onProgress: (progress: RunProgress) => void,
): Promise<RunSummary> {
  const summary: RunSummary = { sent: 0, failed: 0, total: leads.length, halted: null, lastFailure: null }
  for (const [index, lead] of leads.entries()) {
    if (index > 0) await pause()
    if (stopped()) break
    let result = await send(lead)
    for (let tries = 1; result.kind === 'again' && tries < TRIES; tries += 1) {
      await pause()
      result = await send(lead)
    }
    if (result.kind === 'sent') {
      summary.sent += 1
    } else {
      summary.failed += 1
      summary.lastFailure = result.words
    }
    onProgress({ sent: summary.sent, failed: summary.failed, total: summary.total })
    if (result.kind === 'halt') {
      summary.halted = result.words
      break
    }
  }
  return summary
}

/** What is said of a run (specification §8). */
export function summaryText({ sent, failed }: Pick<RunSummary, 'sent' | 'failed'>): string {
  if (sent === 0) return 'Failed to send any direct messages. Please try again later.'
  return `Successfully sent ${sent} direct messages${failed > 0 ? ` (${failed} failed)` : ''}`
}

/** Why some of the chosen were not written to; null where all were tried. */
export function notMessagedText({ sent, failed, total, halted }: RunSummary): string | null {
  const left = total - sent - failed
  if (left === 0) return null
  const who = `${formatNumber(left)} ${left === 1 ? 'lead was' : 'leads were'} not written to`
  return halted ? `${who}: ${halted}` : `Stopped: ${who}.`
}
