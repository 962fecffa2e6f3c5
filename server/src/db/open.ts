import { drizzle, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { createSessionLocks, type SessionLocks } from './session-locks.ts'

const BESIDES_MAX = 5

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
  /** Locks held over calls of other services, without a connection of the pool each. */
  locks: SessionLocks
  /** For LISTEN and for locks held over a process's life: a connection of its own. */
  connect(): Promise<pg.Client>
  close(): Promise<void>
}

/**
 * Opens a pool on PostgreSQL.
 * @param url postgres://… of a PostgreSQL 15 or later
 * @param onIdleError a pooled connection that broke while idle; the pool replaces it
 */
export function openDatabase(
  url: string,
  { max = 20, onIdleError = () => {} }: { max?: number; onIdleError?: (error: Error) => void } = {},
): Database {
  const config: pg.PoolConfig = {
    connectionString: url,
    max,
    application_name: 'x-automated',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    // A request's query never runs for minutes; a transaction left open by a fault ends itself.
    options: '-c statement_timeout=60000 -c idle_in_transaction_session_timeout=60000 -c timezone=UTC',
  }
  const pool = new pg.Pool(config)
  const besides = new pg.Pool({ ...config, max: BESIDES_MAX })
  for (const one of [pool, besides]) one.on('error', onIdleError)
  const connect = async () => {
    const client = new pg.Client({ connectionString: url, application_name: 'x-automated', keepAlive: true })
    await client.connect()
    return client
  }
  const locks = createSessionLocks(connect)
  return {
    db: drizzle(pool) as unknown as Db,
    pool,
    besides,
    dbBesides: drizzle(besides) as unknown as Db,
    locks,
    connect,
    close: async () => {
      await locks.close()
      for (const one of [pool, besides]) if (!one.ending) await one.end()
    },
  }
}
