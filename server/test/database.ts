import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** The database that every test file clones (template.ts). */
export const TEMPLATE = 'x_automated_template'

export interface TestDatabase {
  url: string
  /** Runs one statement. @returns the number of changed rows */
  run(sql: string, values?: unknown[]): Promise<number>
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
    drop: async () => void (await runSql(clusterUrl, `drop database ${name} with (force)`)),
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

export function urlOfDatabase(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.href
}
