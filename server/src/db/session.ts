import type { Connection } from './connection.ts'

/** A dedicated connection for LISTEN and advisory locks, reopened whenever it breaks. */
export interface Session {
  /** Runs `work` on the connection after earlier calls; fails immediately while disconnected. */
  run<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Runs `step` on each new connection, to restore its state. */
  onOpen(step: (connection: Connection) => Promise<unknown>): void
  close(): Promise<void>
}

const REOPEN_MS = 500
/** A session's statements return quickly, so a longer silence means that PostgreSQL is frozen or gone. */
const SESSION_SILENCE_MS = 10_000

/** Creates a session. @param connect opens a connection: at the first `run`, and repeatedly while it is lost */
export function createSession(connect: () => Promise<Connection>): Session {
  const steps: ((connection: Connection) => Promise<unknown>)[] = []
  let current: Promise<Connection> | null = null
  let isClosed = false
  let last: Promise<unknown> = Promise.resolve()

  const open = async (onEnd: () => void): Promise<Connection> => {
    const connection = await connect()
    connection.once('end', onEnd)
    connection.allowSilence(SESSION_SILENCE_MS)
    try {
      // Detects a vanished machine within half a minute.
      await connection.query(
        'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4',
      )
      for (const step of steps) await step(connection)
      return connection
    } catch (error) {
      await connection.end()
      throw error
    }
  }
  const connected = (): Promise<Connection> => {
    if (isClosed) return Promise.reject(new Error('Connection terminated: the session is closed'))
    if (current) return current
    let isLost = false
    const lose = () => {
      if (isLost) return
      isLost = true
      setTimeout(() => {
        if (isClosed) return
        current = null
        connected().catch(() => {})
      }, REOPEN_MS).unref()
    }
    current = open(lose)
    current.catch(lose)
    return current
  }

  return {
    run(work) {
      // pg runs one query at a time per connection.
      const turn = last.then(async () => work(await connected()))
      last = turn.catch(() => {})
      return turn
    },
    onOpen(step) {
      steps.push(step)
    },
    async close() {
      isClosed = true
      const connection = await current?.catch(() => null)
      await connection?.end()
    },
  }
}
