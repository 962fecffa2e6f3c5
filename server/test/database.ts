import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** The database that every test file clones (template.ts). */
export const TEMPLATE = 'x_automated_template'
/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
const INSUFFICIENT_PRIVILEGE = '42501'

interface TestDatabase {
  url: string
  /** Runs one statement. @returns the number of changed rows */
  run(sql: string, values?: unknown[]): Promise<number>
  /** Runs one statement and keeps its locks. @returns a function that releases the locks */
  hold(sql: string): Promise<() => Promise<void>>
  drop(): Promise<void>
}

/** Clones the template into a new database, in a few milliseconds. */
export async function cloneDatabase(clusterUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await runSql(clusterUrl, `create database ${name} template ${TEMPLATE} strategy file_copy`)
  const url = urlOfDatabase(clusterUrl, name)
  return {
    url,
    run: (sql, values) => runSql(url, sql, values),
    hold: (sql) => hold(url, sql),
    drop: () => drop(clusterUrl, name),
  }
}

async function drop(clusterUrl: string, name: string, triesLeft = 30): Promise<void> {
  try {
    await runSql(clusterUrl, `drop database ${name} with (force)`)
  } catch (error) {
    // An autovacuum worker uses the database, and only a superuser may terminate it.
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE || triesLeft === 0) throw error
    await sleep(1_000)
    await drop(clusterUrl, name, triesLeft - 1)
  }
}

/** Runs one statement on its own connection. @returns the number of changed rows */
export async function runSql(url: string, sql: string, values?: unknown[]): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, values)).rowCount ?? 0
  } finally {
    await client.end()
  }
}

async function hold(url: string, sql: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  // The database may be dropped while this connection is open.
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  await client.query(sql)
  return () => client.end()
}

export function urlOfDatabase(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.href
}
