import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { isInProgress } from './scrape-text'

/** A stream silent for this long counts as broken: a proxy may be holding it back. */
const SILENCE_MS = 45_000
/** Between two polls while the stream is broken. */
export const POLL_EVERY_MS = 2_000
/** Polls before the stream is tried again. */
export const POLLS_BETWEEN_STREAMS = 5
const EVENT_MAX = 1_000_000

export interface ScrapeFeed {
  /** GET /scrapes/{id}/events. @param lastEventId null at first @throws if it doesn't open */
  open(lastEventId: string | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** GET /scrapes/{id}. */
  find(signal: AbortSignal): Promise<Scrape>
  /** Whether the error is permanent (not found, not allowed). */
  isPermanent(error: unknown): boolean
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Reports a scrape's progress until it finishes or `signal` aborts. Listens to its events, and
 * polls while the stream is broken.
 */
export async function followScrape(
  feed: ScrapeFeed,
  onScrape: (scrape: Scrape) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | null = null
  let finished = false
  const report = (scrape: Scrape) => {
    if (signal.aborted || finished) return
    finished = !isInProgress(scrape.status)
    onScrape(scrape)
  }

  while (!signal.aborted && !finished) {
    let polls = POLLS_BETWEEN_STREAMS
    try {
      await readEvents(await feed.open(lastEventId, signal), (event) => {
        if (event.id) lastEventId = event.id
        if (event.event === 'progress' || event.event === 'done') report(JSON.parse(event.data) as Scrape)
      })
      // A stream ends when its access token expires: poll once, then reopen it with a fresh one.
      polls = 1
    } catch (error) {
      if (signal.aborted || feed.isPermanent(error)) return
    }
    for (; polls > 0 && !signal.aborted && !finished; polls -= 1) {
      try {
        report(await feed.find(signal))
      } catch (error) {
        if (signal.aborted || feed.isPermanent(error)) return
      }
      if (!finished) await feed.wait(POLL_EVERY_MS, signal)
    }
  }
}

/**
 * Reads server-sent events until the body ends. @throws if the connection breaks or is silent for
 * `silenceMs`
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: EventSourceMessage) => void,
  silenceMs = SILENCE_MS,
): Promise<void> {
  const parser = createParser({ onEvent, maxBufferSize: EVENT_MAX })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read())
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no data for ${ms} ms`)), ms)
  })
  return Promise.race([work, silence]).finally(() => clearTimeout(timer))
}
