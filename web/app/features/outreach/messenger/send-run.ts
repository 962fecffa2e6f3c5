import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
/**
 * `skipped`: this person must not be messaged. `again`: the outcome is unknown, so repeat the call
 * with its key. `halt`: later messages would fail, too.
 */
export type SendResult = { kind: 'sent' } | { kind: 'failed' | 'skipped' | 'again' | 'halt'; text: string }

export interface RunProgress {
  sent: number
  failed: number
  skipped: number
  total: number
}

interface RunSummary extends RunProgress {
  /** Why the run ended early. Null if it finished, or the user stopped it. */
  halted: string | null
  /** The last error, as text. */
  lastFailure: string | null
}

/**
 * How many calls are made for a message while its outcome is unknown. Each call waits up to 25
 * seconds, and the server usually knows the outcome after two minutes.
 */
const TRIES = 6

export const NONE_SENT = { sent: 0, failed: 0, skipped: 0 } as const

/** How many leads a run has handled. */
export const handledOf = ({ sent, failed, skipped }: Omit<RunProgress, 'total'>) => sent + failed + skipped

/** Sends messages one by one, and continues after failures. @param pause resolves early if stopped */
export async function sendOneByOne<T>(
  leads: readonly T[],
  send: (lead: T) => Promise<SendResult>,
  pause: () => Promise<void>,
  stopped: () => boolean,
  onProgress: (progress: RunProgress, result: SendResult) => void,
): Promise<RunSummary> {
  const summary: RunSummary = { ...NONE_SENT, total: leads.length, halted: null, lastFailure: null }
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
      if (result.kind === 'skipped') summary.skipped += 1
      else summary.failed += 1
      summary.lastFailure = result.text
    }
    onProgress({ sent: summary.sent, failed: summary.failed, skipped: summary.skipped, total: summary.total }, result)
    if (result.kind === 'halt') {
      summary.halted = result.text
      break
    }
  }
  return summary
}

/** The result of a run. */
export function summaryText({ sent, failed, skipped }: Omit<RunProgress, 'total'>): string {
  if (sent === 0 && failed === 0 && skipped > 0) return `Skipped ${formatCount(skipped, 'lead')}. Nothing was sent.`
  if (sent === 0) return 'Failed to send any direct messages. Please try again later.'
  const others = [
    ...(failed > 0 ? [`(${formatNumber(failed)} failed)`] : []),
    ...(skipped > 0 ? [`(${formatNumber(skipped)} skipped)`] : []),
  ]
  return ['Successfully sent', formatNumber(sent), 'direct messages', ...others].join(' ')
}

/** How many selected leads were not messaged, and why; null if all were tried. */
export function notMessagedText({ total, halted, ...handled }: RunSummary): string | null {
  const left = total - handledOf(handled)
  if (left === 0) return null
  const text = `${formatCount(left, 'lead')} ${pluralize(left, "wasn't", "weren't")} messaged`
  return halted ? `${text}: ${halted}` : `Stopped: ${text}.`
}

/** What sending one message costs on average, in seconds: the pause and the call. */
const SECONDS_EACH = 1.5

/** 'Takes about 3 minutes, while this page is open.' */
export function durationText(count: number): string {
  const minutes = Math.ceil((count * SECONDS_EACH) / 60)
  const time = count * SECONDS_EACH < 60 ? 'less than a minute' : `about ${formatCount(minutes, 'minute')}`
  return `Takes ${time}, while this page is open.`
}
