import type pg from 'pg'

/**
 * Advisory locks that are held while something runs that is no transaction, such as a call of another service.
 * However many this process holds, they are on one connection of its own; when the process dies, PostgreSQL lets go of them.
 */
export interface SessionLocks {
  /**
   * Takes a lock, or says at once that it is taken, by this process or another.
   * @param lock a bigint, in digits
   * @returns what lets go of it; null where it is taken
   */
  tryTake(lock: string): Promise<(() => Promise<void>) | null>
  close(): Promise<void>
}

const RECONNECT_MS = 1_000

/** @param connect opens a connection; called at the first lock, and again after it broke */
export function createSessionLocks(connect: () => Promise<pg.Client>): SessionLocks {
  /** PostgreSQL would give this process the same lock twice, as it is one session. */
  const ours = new Map<string, 'asked' | 'held'>()
  let current: Promise<pg.Client> | null = null
  let isClosed = false
  let last: Promise<unknown> = Promise.resolve()
  /** pg takes one query at a time on a connection. */
  const inTurn = <T>(query: () => Promise<T>): Promise<T> => {
    const turn = last.then(query)
    last = turn.catch(() => {})
    return turn
  }

  const open = async (onEnd: () => void): Promise<pg.Client> => {
    const client = await connect()
    client.on('error', () => {})
    client.on('end', onEnd)
    try {
      // A machine that vanished is given up within half a minute.
      await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4')
      // What was held when the connection broke is still under way.
      for (const [lock, state] of ours) if (state === 'held') await tryLock(client, lock)
      return client
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }
  const connection = (): Promise<pg.Client> => {
    if (current) return current
    const attempt: Promise<pg.Client> = open(() => forget(attempt))
    attempt.catch(() => forget(attempt))
    current = attempt
    return attempt
  }
  const forget = (attempt: Promise<pg.Client>) => {
    if (current !== attempt) return
    current = null
    setTimeout(() => {
      if (!isClosed && [...ours.values()].includes('held')) inTurn(connection).catch(() => {})
    }, RECONNECT_MS).unref()
  }

  return {
    async tryTake(lock) {
      if (ours.has(lock)) return null
      ours.set(lock, 'asked')
      let isFree = false
      try {
        isFree = await inTurn(async () => tryLock(await connection(), lock))
      } finally {
        if (isFree) ours.set(lock, 'held')
        else ours.delete(lock)
      }
      if (!isFree) return null
      return async () => {
        // Where the connection is gone, so is the lock. Ours last, so that nobody here takes it and loses it to this unlocking.
        await inTurn(async () => {
          const client = await current
          await client?.query('select pg_advisory_unlock($1::bigint)', [lock])
        }).catch(() => {})
        ours.delete(lock)
      }
    },
    async close() {
      isClosed = true
      const client = await current?.catch(() => null)
      await client?.end()
    },
  }
}

async function tryLock(client: pg.Client, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1::bigint) as free', [lock])
  return rows[0]?.free === true
}
