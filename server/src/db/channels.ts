import type { Database } from './open.ts'

/** Hints between processes, over NOTIFY. They can be lost, so subscribers must poll too. */
export interface Channels {
  /** Calls `onMessage` with each message's payload, from any process. Returns a function that unsubscribes. */
  subscribe(channel: string, onMessage: (payload: string) => void): () => void
}

/** Listens on this process's session, starting with the session's next connection. */
export function openChannels({ session }: Pick<Database, 'session'>, channels: readonly string[]): Channels {
  const listeners = new Map<string, Set<(payload: string) => void>>(channels.map((channel) => [channel, new Set()]))
  session.onOpen(async (connection) => {
    connection.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '')
    })
    for (const channel of channels) await connection.query(`listen "${channel}"`)
  })

  return {
    subscribe(channel, onMessage) {
      const set = listeners.get(channel)
      if (!set) throw new Error(`not a channel: ${channel}`)
      set.add(onMessage)
      return () => set.delete(onMessage)
    },
  }
}
