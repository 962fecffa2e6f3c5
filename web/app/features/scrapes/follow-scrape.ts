import type { Scrape } from '@x-automated/contract/scrapes'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { isInProgress } from './scrape-text'

/** A stream that says nothing for this long is taken for broken: something in between may swallow it. */
const SILENCE_MS = 45_000
/** Between two questions, while the stream is broken. */
export const POLL_EVERY_MS = 2_000
/** Questions before the stream is tried again. */
export const POLLS_BETWEEN_STREAMS = 5
/** No event is longer than this many characters. */
const EVENT_MAX = 1_000_000

/** Where a scrape can be heard of. */
export interface ScrapeFeed {
  /** GET /scrapes/{id}/events. @param lastEventId of the last event heard, null at first. @throws where it does not open */
  open(lastEventId: string | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** GET /scrapes/{id}. */
  find(signal: AbortSignal): Promise<Scrape>
  /** Is there no use in asking again (not found, not allowed)? */
  isOver(error: unknown): boolean
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Tells of a scrape's progress until it is finished, or until `signal` says to stop.
 * Listens to its events; while they cannot be had it asks, and tries them again from time to time.
 */
export async function followScrape(
  feed: ScrapeFeed,
  onScrape: (scrape: Scrape) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | null = null
  let finished = false
  const tell = (scrape: Scrape) => {
    if (signal.aborted || finished) return
    finished = !isInProgress(scrape.status)
    onScrape(scrape)
  }

  while (!signal.aborted && !finished) {
    let questions = POLLS_BETWEEN_STREAMS
    try {
      await readEvents(await feed.open(lastEventId, signal), (event) => {
        if (event.id) lastEventId = event.id
        if (event.event === 'progress' || event.event === 'done') tell(JSON.parse(event.data) as Scrape)
      })
      // Ended in order, with the token it was opened with: one question, and on with a fresh one.
      questions = 1
    } catch (error) {
      if (signal.aborted || feed.isOver(error)) return
    }
    for (; questions > 0 && !signal.aborted && !finished; questions -= 1) {
      try {
        tell(await feed.find(signal))
      } catch (error) {
        if (signal.aborted || feed.isOver(error)) return
      }
      if (!finished) await feed.wait(POLL_EVERY_MS, signal)
    }
  }
}

/**
 * Reads server-sent events from the body of an answer until it ends.
 * @throws where the connection breaks, or nothing comes for `silenceMs`
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
    timer = setTimeout(() => reject(new Error(`nothing was heard for ${ms} ms`)), ms)
  })
  return Promise.race([work, silence]).finally(() => clearTimeout(timer))
}
