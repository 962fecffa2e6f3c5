import type { ChangeEvent } from '@x-automated/contract/platform/events'
import { readEventStream } from './event-stream'
import type { TabChannel } from './other-tabs'
import { signedFetch } from './signed-fetch'

/** The Web Lock of the tab that reads the stream. */
const LOCK = 'events'
/** The channel on which that tab forwards events to the other tabs. */
const EVENTS_CHANNEL = 'x-automated-events'

/** After this long without any message, the stream counts as lost. The server sends a heartbeat every 20 seconds. */
const SILENCE_MAX_MS = 50_000
/** How often everything is refetched while no stream is open. */
const FALLBACK_MS = 30_000
const RETRY_MS = 1_000
const RETRY_MAX_MS = 30_000

/** What the reading tab forwards. `alive` is a heartbeat. */
type Message = { id: string | null } & (
  | { type: 'change'; event: ChangeEvent }
  | { type: 'reset' }
  | { type: 'alive' }
  | { type: 'lost' }
)

export interface LiveHandlers {
  onChange(event: ChangeEvent): void
  /** Called when any data may have changed. */
  onReset(): void
  /** Called for each change, but only in the tab that reads the stream. */
  onRead?(event: ChangeEvent): void
}

/** The dependencies of `followEvents`, which tests replace. */
export interface LiveDeps {
  channel: TabChannel
  /** Opens GET /events. @throws if it is refused or unreachable */
  open(lastId: string | null, signal: AbortSignal): Promise<Response>
  /** Runs `work` in only one tab of the browser at a time. */
  alone(signal: AbortSignal, work: () => Promise<void>): Promise<unknown>
}

function browserDeps(): LiveDeps & { close(): void } {
  const channel = new BroadcastChannel(EVENTS_CHANNEL)
  return {
    channel,
    open: (lastId, signal) =>
      signedFetch('/api/events', {
        headers: { accept: 'text/event-stream', ...(lastId !== null && { 'last-event-id': lastId }) },
        signal,
      }),
    // Without locks (on http, or if storage is blocked), the fallback refetches.
    alone: (signal, work) => navigator.locks?.request(LOCK, { signal }, work) ?? Promise.resolve(),
    close: () => channel.close(),
  }
}

/**
 * Follows the workspace's events. One tab reads the stream for all tabs of the browser.
 * @returns a function that stops this
 */
export function followEvents({ onChange, onReset, onRead }: LiveHandlers, providedDeps?: LiveDeps): () => void {
  const own = providedDeps ? null : browserDeps()
  const deps = providedDeps ?? (own as LiveDeps)
  const stop = new AbortController()
  const { signal } = stop
  let lastId: string | null = null
  let heardAt = Date.now()

  function handle(message: Message): void {
    if (message.id !== null) lastId = message.id
    heardAt = message.type === 'lost' ? 0 : Date.now()
    if (message.type === 'change') onChange(message.event)
    if (message.type === 'reset') onReset()
  }
  const onMessage = ({ data }: MessageEvent<Message>) => handle(data)
  deps.channel.addEventListener('message', onMessage)
  const share = (message: Message) => {
    if (signal.aborted) return
    deps.channel.postMessage(message)
    handle(message)
  }

  async function readStream(): Promise<void> {
    const response = await deps.open(lastId, signal)
    share({ type: 'alive', id: null })
    if (!response.body) return
    for await (const { id, type, data } of readEventStream(response.body)) {
      if (type === 'reset') share({ type: 'reset', id })
      else if (data) {
        const event = JSON.parse(data) as ChangeEvent
        share({ type: 'change', id, event })
        onRead?.(event)
      } else share({ type: 'alive', id })
    }
  }

  async function read(): Promise<void> {
    let pauseMs = RETRY_MS
    while (!signal.aborted) {
      const began = Date.now()
      await readStream().catch(() => {})
      // A stream that lasted has usually ended because its token expired, so reconnect quickly.
      pauseMs = Date.now() - began > RETRY_MAX_MS ? RETRY_MS : Math.min(pauseMs * 2, RETRY_MAX_MS)
      share({ type: 'lost', id: null })
      await delay(pauseMs * (0.5 + Math.random()), signal)
    }
  }
  deps.alone(signal, read).catch(() => {})

  const fallback = setInterval(() => {
    if (Date.now() - heardAt > SILENCE_MAX_MS) onReset()
  }, FALLBACK_MS)
  return () => {
    stop.abort()
    clearInterval(fallback)
    deps.channel.removeEventListener('message', onMessage)
    own?.close()
  }
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
