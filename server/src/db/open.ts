import { drizzle, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { Connection, STATEMENT_MS } from './connection.ts'
import { createSession, type Session } from './session.ts'
import { createSessionLocks, type SessionLocks } from './session-locks.ts'

/**
 * Connections of one process: the main pool, the side pool, and its session. The minimum leaves one
 * for each.
 */
export const CONNECTIONS = { default: 10, min: 5 }
/** The session. */
const OWN_CONNECTIONS = 1

/** The pool or a transaction: the first parameter of every query function. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>

export interface Database {
  db: Db
  pool: pg.Pool
  /**
   * A few connections for single short statements while a transaction is open. Taking them from
   * `pool` could deadlock it: every request holding one connection and waiting for a second.
   */
  sidePool: pg.Pool
  /** `sidePool` for query functions. */
  sideDb: Db
  /** This process's dedicated connection, for LISTEN and `locks`. */
  session: Session
  /** Locks held while calling other services, without occupying a pooled connection each. */
  locks: SessionLocks
  /** Opens a dedicated connection. */
  connect(): Promise<Connection>
  close(): Promise<void>
}

/**
 * Opens pools on PostgreSQL 15 or later. @param url postgres://… @param options.max connections in
 * total @param options.onIdleError an idle connection broke; the pool replaces it
 */
export function openDatabase(
  url: string,
  { max = CONNECTIONS.default, onIdleError = () => {} }: { max?: number; onIdleError?: (error: Error) => void } = {},
): Database {
  const sideMax = Math.max(1, Math.min(3, Math.floor(max / 5)))
  const config: pg.PoolConfig = {
    connectionString: url,
    max: max - sideMax - OWN_CONNECTIONS,
    Client: Connection as never,
    application_name: 'x-automated',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 10_000,
    // Each one grows to more than 10 MB with its plans and caches.
    maxLifetimeSeconds: 600,
    // Including the wait for a connection, a request ends within 30 seconds.
    options: `-c statement_timeout=${STATEMENT_MS} -c idle_in_transaction_session_timeout=60000 -c timezone=UTC`,
  }
  const pool = new pg.Pool(config)
  const sidePool = new pg.Pool({ ...config, max: sideMax })
  for (const one of [pool, sidePool]) {
    one.on('error', onIdleError)
    one.on('release', (_error, connection) => (connection as unknown as Connection).allowSilence())
  }
  const connect = async () => {
    const connection = new Connection({ connectionString: url, application_name: 'x-automated' })
    await connection.connect()
    return connection
  }
  const session = createSession(connect)
  return {
    db: createDb(pool),
    pool,
    sidePool,
    sideDb: createDb(sidePool),
    session,
    locks: createSessionLocks(session),
    connect,
    close: async () => {
      await session.close()
      for (const one of [pool, sidePool]) if (!one.ending) await one.end()
    },
  }
}

/**
 * Drizzle's transaction() leaks the connection if `begin` fails and hides the error if `rollback`
 * fails.
 */
function createDb(pool: pg.Pool): Db {
  const db = drizzle(pool) as unknown as Db
  db.transaction = async (work, config) => {
    const connection = await pool.connect()
    let failure: { error: unknown } | undefined
    try {
      const one = drizzle(connection) as unknown as Db
      return await one.transaction(async (tx) => {
        try {
          return await work(tx)
        } catch (error) {
          failure = { error }
          throw error
        }
      }, config)
    } catch (error) {
      throw failure ? failure.error : error
    } finally {
      // Do not reuse a connection that is not idle, for example after a failed rollback.
      connection.release(connection.getTransactionStatus() !== 'I')
    }
  }
  return db
}
