import type { Database } from './open.ts'

/** Words between processes, over PostgreSQL's NOTIFY: only hints to look; whoever misses one finds out by polling. */
export interface Notices {
  /** Calls `onNotice` with the payload of each notice on `channel`, from any process; returns what stops it. */
  listen(channel: string, onNotice: (payload: string) => void): () => void
}

/** Listens on this process's session, from its next connection on. */
export function openNotices({ session }: Pick<Database, 'session'>, channels: readonly string[]): Notices {
  const listeners = new Map<string, Set<(payload: string) => void>>(channels.map((channel) => [channel, new Set()]))
  session.onOpen(async (connection) => {
    connection.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '')
    })
    for (const channel of channels) await connection.query(`listen "${channel}"`)
  })

  return {
    listen(channel, onNotice) {
      const set = listeners.get(channel)
      if (!set) throw new Error(`not a channel: ${channel}`)
      set.add(onNotice)
      return () => set.delete(onNotice)
    },
  }
}
