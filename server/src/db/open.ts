import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { Refusal } from '../refusal.ts'
import { Connection, READ_MS, STATEMENT_MS } from './connection.ts'
import { createSession, type Session } from './session.ts'
import { createSessionLocks, type SessionLocks } from './session-locks.ts'
import { createTurns, type Turns } from './turns.ts'

/** Database connections per process. */
export const CONNECTIONS = { default: 15, min: 5 }

/** How many connections each share has, in addition to the session's. 0: the share uses those of sign-ins. */
export function sharesOf(max: number) {
  const part = (fifteenths: number, least: number) =>
    max < least ? 0 : Math.max(1, Math.floor((max * fifteenths) / 15))
  const shares = { side: max < 10 ? 1 : 2, signIn: part(2, 0), sending: part(3, 6), public: part(1, 10) }
  const others = Object.values(shares).reduce((sum, connections) => sum + connections, SESSION_CONNECTIONS)
  return { ...shares, requests: max - others }
}
const SESSION_CONNECTIONS = 1

/** Longest wait of a public call: by default, all of them share one connection. */
const PUBLIC_WAIT_MS = 10_000
/** Longest wait of a request for its first connection. */
const WAIT_MS = 2_000
/** Longest wait of work that has begun and would otherwise be left half done. */
const BEGUN_WAIT_MS = 30_000

/** If the session gets no response within this time, the database counts as unresponsive. */
const PROBE_MS = 1_000

/** The pool or a transaction: the first parameter of every query function. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>

/** The connections that work may use: those of sign-ins, of public calls, or of a workspace's requests. */
type Share = 'signIn' | 'public' | RequestShare
interface RequestShare {
  workspaceId: string
  /** The name of the operation. */
  operation: string
  /** A screen waits for the work, so its statements end after 3 seconds. */
  isRead?: boolean
  /** The work is not one transaction. Once begun, it waits longer for connections, so as not to be left half done. */
  isOutside?: boolean
  /** Exempt from the limits on slow work: something else limits how many of these run. */
  isUnjudged?: boolean
}

export interface Database {
  /** Connections for sending and other background work, unless `for` chose another share. */
  db: Db
  pool: pg.Pool
  /** The same database with the connections of another share. */
  for(share: Share): Database
  /** Connections of the requests of all workspaces. */
  requestsMax: number
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
  const openPool = (connections: number, waitMs = 5_000) => {
    const pool = new pg.Pool({
      connectionString: url,
      max: connections,
      Client: Connection as never,
      application_name: 'x-automated',
      connectionTimeoutMillis: waitMs,
      idleTimeoutMillis: 10_000,
      // Each connection grows to more than 10 MB with its plans and caches.
      maxLifetimeSeconds: 600,
      // Including the wait for a connection, a request ends within 30 seconds.
      options: `-c statement_timeout=${STATEMENT_MS} -c idle_in_transaction_session_timeout=60000 -c timezone=UTC`,
    })
    pool.on('error', onIdleError)
    pool.on('release', (_error, connection) => (connection as unknown as Connection).allowSilence())
    return pool
  }
  const shares = sharesOf(max)
  const sidePool = openPool(shares.side)
  const signIn = openPool(shares.signIn)
  const sending = shares.sending > 0 ? openPool(shares.sending) : signIn
  const open = shares.public > 0 ? openPool(shares.public, PUBLIC_WAIT_MS) : signIn
  const requests = openPool(shares.requests)
  const connect = async () => {
    const connection = new Connection({ connectionString: url, application_name: 'x-automated' })
    await connection.connect()
    return connection
  }
  const session = createSession(connect)
  const turns = createTurns(shares.requests, createProbe(session))
  const database: Database = {
    ...withPool(sending),
    for: (share) => {
      if (share === 'signIn') return ofSignIn
      return share === 'public'
        ? ofPublic
        : { ...database, db: createDb(inTurn(requests, turns, share)), pool: requests }
    },
    requestsMax: shares.requests,
    sidePool,
    sideDb: createDb(fromPool(sidePool)),
    session,
    locks: createSessionLocks(session),
    connect,
    close: async () => {
      await session.close()
      for (const pool of new Set([sending, sidePool, signIn, open, requests])) if (!pool.ending) await pool.end()
    },
  }
  const ofSignIn = { ...database, ...withPool(signIn) }
  const ofPublic = { ...database, ...withPool(open) }
  return database
}

/** Creates a function that checks whether the database responds, at most once a second. */
function createProbe(session: Session): () => Promise<boolean> {
  let probe: Promise<boolean> | undefined
  const ask = async () => {
    try {
      await session.run((connection) => connection.query('select 1'))
      return true
    } catch {
      return false
    }
  }
  return () => {
    if (!probe) {
      probe = Promise.race([ask(), sleep(PROBE_MS, false, { ref: false })])
      setTimeout(() => {
        probe = undefined
      }, PROBE_MS).unref()
    }
    return probe
  }
}

const withPool = (pool: pg.Pool) => ({ db: createDb(fromPool(pool)), pool })

/** Takes connections for single statements and for transactions. */
interface Source {
  /** Takes a connection. @param statement its text; undefined: a transaction */
  take(statement?: string): Promise<{ connection: Connection; release(): void }>
  /** Converts an error of the database to the error that the caller gets. */
  asAnswer(error: unknown): unknown
}

/** Takes whichever connection of the pool is free first. */
function fromPool(pool: pg.Pool): Source {
  return {
    async take() {
      const client = await pool.connect()
      const connection = client as unknown as Connection
      // Do not reuse a connection that is not idle, for example after a failed rollback.
      return { connection, release: () => client.release(connection.getTransactionStatus() !== 'I') }
    },
    asAnswer: (error) => error,
  }
}

/**
 * Takes connections of a pool when it is a workspace's turn. Work never waits during its turn, so
 * turns cannot deadlock.
 */
function inTurn(pool: pg.Pool, turns: Turns, share: RequestShare): Source {
  const { workspaceId, operation, isRead = false, isOutside = false, isUnjudged = false } = share
  const source = fromPool(pool)
  let hasBegun = false
  return {
    async take(statement) {
      const waitMs = isUnjudged || (isOutside && hasBegun) ? BEGUN_WAIT_MS : WAIT_MS
      const endTurn = await turns.take({ workspaceId, shape: statement ?? operation, waitMs, isRead, isUnjudged })
      hasBegun = true
      try {
        const { connection, release } = await source.take()
        await connection.limitStatements(isRead ? READ_MS : STATEMENT_MS).catch((error) => {
          release()
          throw error
        })
        return {
          connection,
          release() {
            release()
            endTurn()
          },
        }
      } catch (error) {
        endTurn()
        throw error
      }
    },
    asAnswer: (error) => (isRead && isCanceled(error) ? tooLong(error) : error),
  }
}

/** PostgreSQL's query_canceled: here, by the statement_timeout. */
const QUERY_CANCELED = '57014'
const isCanceled = (error: unknown) => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return (cause?.code ?? code) === QUERY_CANCELED
}
const tooLong = (cause: unknown) =>
  new Refusal('INVALID_INPUT', 'This takes too long. Narrow it down, for example with fewer words or another filter.', {
    cause,
  })

/** The client to which Drizzle sends single statements. */
class Statements {
  private readonly source: Source
  constructor(source: Source) {
    this.source = source
  }
  async query(config: pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const { connection, release } = await this.source.take(config.text)
    try {
      return await connection.query(config, values)
    } catch (error) {
      throw this.source.asAnswer(error)
    } finally {
      release()
    }
  }
}

/**
 * Creates a Db. Replaces Drizzle's transaction(), which leaks the connection if `begin` fails and
 * hides the error if `rollback` fails.
 */
function createDb(source: Source): Db {
  const db = drizzle(new Statements(source) as never) as unknown as Db
  db.transaction = async (work, config) => {
    const { connection, release } = await source.take()
    let failure: { error: unknown } | undefined
    try {
      const base = drizzle(connection) as unknown as Db
      return await base.transaction(async (tx) => {
        try {
          return await work(tx)
        } catch (error) {
          failure = { error }
          throw error
        }
      }, config)
    } catch (error) {
      throw source.asAnswer(failure ? failure.error : error)
    } finally {
      release()
    }
  }
  return db
}
