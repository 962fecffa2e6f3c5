import { drizzle, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'

/** A database or a transaction's handle: what every query function takes first. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>

export interface Database {
  db: Db
  pool: pg.Pool
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
  pool.on('error', onIdleError)
  return {
    db: drizzle(pool) as unknown as Db,
    pool,
    async connect() {
      const client = new pg.Client({ connectionString: url, application_name: 'x-automated', keepAlive: true })
      await client.connect()
      return client
    },
    close: async () => {
      if (!pool.ending) await pool.end()
    },
  }
}
