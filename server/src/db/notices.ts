import type { Database } from './open.ts'

/** Words between processes, over PostgreSQL's NOTIFY: only hints to look; whoever misses one finds out by polling. */
export interface Notices {
  /** Calls `onNotice` with the payload of each notice on `channel`, from any process; returns what stops it. */
  listen(channel: string, onNotice: (payload: string) => void): () => void
  close(): Promise<void>
}

const RECONNECT_MS = 1_000

/** Opens the one listening connection of this process; it is made again whenever it breaks. */
export async function openNotices(database: Database, channels: readonly string[]): Promise<Notices> {
  const listeners = new Map<string, Set<(payload: string) => void>>(channels.map((channel) => [channel, new Set()]))
  let client: Awaited<ReturnType<Database['connect']>> | null = null
  let closed = false

  const connect = async () => {
    const next = await database.connect()
    next.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '')
    })
    next.on('error', () => {})
    next.on('end', () => {
      if (!closed) setTimeout(() => void reconnect(), RECONNECT_MS).unref()
    })
    for (const channel of channels) await next.query(`listen "${channel}"`)
    client = next
  }
  const reconnect = () =>
    connect().catch(() => {
      if (!closed) setTimeout(() => void reconnect(), RECONNECT_MS).unref()
    })
  await connect()

  return {
    listen(channel, onNotice) {
      const set = listeners.get(channel)
      if (!set) throw new Error(`not a channel: ${channel}`)
      set.add(onNotice)
      return () => set.delete(onNotice)
    },
    async close() {
      closed = true
      await client?.end()
    },
  }
}
