import { drizzle, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { Connection, STATEMENT_MS } from './connection.ts'
import { createSession, type Session } from './session.ts'
import { createSessionLocks, type SessionLocks } from './session-locks.ts'

/** Connections of one process: the pool's, a few beside transactions, and those of its own. Fewer than 5 leave one for everything. */
export const CONNECTIONS = { default: 15, min: 5 }
/** `session`. */
const OWN_CONNECTIONS = 1

/** A database or a transaction's handle: what every query function takes first. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>

export interface Database {
  db: Db
  pool: pg.Pool
  /**
   * A few connections for single short statements beside a transaction that is open.
   * Taken from `pool` they could wait for each other: everybody holding one connection and needing a second.
   */
  besides: pg.Pool
  /** `besides` as query functions take it. */
  dbBesides: Db
  /** The one connection of this process for LISTEN and `locks`. */
  session: Session
  /** Locks held over calls of other services, without a connection of the pool each. */
  locks: SessionLocks
  /** A connection of one's own. */
  connect(): Promise<Connection>
  close(): Promise<void>
}

/**
 * Opens pools on PostgreSQL.
 * @param url postgres://… of a PostgreSQL 15 or later
 * @param options.max connections at most, all together
 * @param options.onIdleError a pooled connection that broke while idle; the pool replaces it
 */
export function openDatabase(
  url: string,
  { max = CONNECTIONS.default, onIdleError = () => {} }: { max?: number; onIdleError?: (error: Error) => void } = {},
): Database {
  const besidesMax = Math.max(1, Math.min(3, Math.floor(max / 5)))
  const config: pg.PoolConfig = {
    connectionString: url,
    max: max - besidesMax - OWN_CONNECTIONS,
    Client: Connection as never,
    application_name: 'x-automated',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // With the wait for a connection, a request ends within 30 seconds. A transaction left open by a fault ends itself.
    options: `-c statement_timeout=${STATEMENT_MS} -c idle_in_transaction_session_timeout=60000 -c timezone=UTC`,
  }
  const pool = new pg.Pool(config)
  const besides = new pg.Pool({ ...config, max: besidesMax })
  for (const one of [pool, besides]) {
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
    besides,
    dbBesides: createDb(besides),
    session,
    locks: createSessionLocks(session),
    connect,
    close: async () => {
      await session.close()
      for (const one of [pool, besides]) if (!one.ending) await one.end()
    },
  }
}

/** Drizzle's own transaction() keeps the connection forever if `begin` fails, and replaces the error if `rollback` does. */
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
      // Whatever is not idle now (a rollback that failed) must not be used again. A broken connection the pool drops anyway.
      connection.release(connection.getTransactionStatus() !== 'I')
    }
  }
  return db
}
