import type { Connection } from './connection.ts'
import { one } from './one.ts'
import type { Session } from './session.ts'

/** A key as PostgreSQL expects it: a bigint in digits, or two integers. */
type LockKey = string | readonly [number, number]

/**
 * Advisory locks for work that is not a transaction, such as calling another service.
 * All locks of this process share one connection. If the process dies, PostgreSQL releases them.
 */
export interface SessionLocks {
  /** Tries to take a lock. Returns its release function, or null if any process has it. */
  tryTake(key: LockKey): Promise<(() => Promise<void>) | null>
}

const RETAKE_MS = 250

export function createSessionLocks(session: Session): SessionLocks {
  /** Our locks by key. PostgreSQL would grant this process the same lock twice, because it is one session. */
  const held = new Map<string, { key: LockKey; isHeld: boolean }>()

  /** Takes our locks again. Retries, as the server may not have noticed the broken connection yet. */
  const retake = async (connection: Connection): Promise<void> => {
    let isComplete = true
    for (const lock of held.values()) {
      if (!lock.isHeld || lockConnections.get(lock) === connection) continue
      if (await call(connection, 'pg_try_advisory_lock', lock.key)) lockConnections.set(lock, connection)
      else isComplete = false
    }
    if (isComplete) return
    const again = () =>
      session.run(async (current) => {
        if (current === connection) await retake(connection)
      })
    setTimeout(() => void again().catch(() => {}), RETAKE_MS).unref()
  }
  /** The connection that each lock was last taken on. */
  const lockConnections = new WeakMap<object, Connection>()
  session.onOpen(retake)

  return {
    async tryTake(key) {
      const name = String(key)
      if (held.has(name)) return null
      const lock = { key, isHeld: false }
      held.set(name, lock)
      try {
        await session.run(async (connection) => {
          lock.isHeld = await call(connection, 'pg_try_advisory_lock', key)
          lockConnections.set(lock, connection)
        })
      } finally {
        if (!lock.isHeld) held.delete(name)
      }
      if (!lock.isHeld) return null
      return async () => {
        // Delete the local entry last: otherwise a new owner in this process could lose the lock to
        // this unlock.
        await session
          .run(async (connection) => {
            lock.isHeld = false
            if (lockConnections.get(lock) === connection) await call(connection, 'pg_advisory_unlock', key)
          })
          .catch(() => {})
        lock.isHeld = false
        held.delete(name)
      }
    },
  }
}

async function call(connection: Connection, name: string, key: LockKey): Promise<boolean> {
  const text =
    typeof key === 'string' ? `select ${name}($1::bigint) as done` : `select ${name}($1::int, $2::int) as done`
  const { rows } = await connection.query<{ done: boolean }>(text, typeof key === 'string' ? [key] : [...key])
  return one(rows).done
}
