import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import type pg from 'pg'
import { Connection } from './connection.ts'
import { livingWorkers } from './liveness.ts'
import { one } from './one.ts'

/** If several processes start together, one migrates and the others wait for this lock. */
export const MIGRATION_LOCK = 7_281_001
export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

/** Hash of version 0.1's last migration, which left the schema that 0001_initial creates. */
export const LAST_OF_VERSION_0_1 = '659682c7cba4222557aec61530ec8deb5136b0fa8afaff756b203a1df38e8264'
/** The commit before the migrations of version 0.1 were deleted. */
export const COMMIT_OF_VERSION_0_1 = '02d9452e76a2e0d6a26fb61fb82ec725f5f24ce1'

/** How long to wait for older processes: longer than a process takes to finish its work after SIGTERM. */
const OLDER_PROCESSES_SECONDS = 60

/**
 * Migrates the database at `url`, once no process of an older version is alive. Safe to run repeatedly
 * and from several processes. @throws Error if older processes do not end
 */
export async function migrateDatabase(url: string, { patienceSeconds = OLDER_PROCESSES_SECONDS } = {}): Promise<void> {
  const client = new Connection({ connectionString: url, application_name: 'x-automated migrate' })
  await client.connect()
  // Another process may be migrating a large table for minutes.
  client.allowSilence(0)
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await adoptVersion01(client)
    await waitForOlderProcesses(client, patienceSeconds)
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
  } finally {
    await client.end()
  }
}

/** If migrations are pending, waits until no process is alive: all are older, and may need what the migrations drop. */
async function waitForOlderProcesses(client: pg.Client, patienceSeconds: number): Promise<void> {
  const last = await lastMigration(client)
  const isPending = readMigrationFiles({ migrationsFolder: MIGRATIONS }).some(
    ({ folderMillis }) => last && Number(last.at) < folderMillis,
  )
  if (!isPending) return
  for (const deadline = Date.now() + patienceSeconds * 1_000; ; await sleep(250)) {
    const { rows } = await drizzle(client).execute<{ count: number }>(
      sql`select count(*)::int as count from (${livingWorkers}) living`,
    )
    const { count } = one(rows)
    if (count === 0) return
    if (Date.now() >= deadline)
      throw new Error(`Stop the older version first: ${count} of its processes still use the database.`)
  }
}

/** The newest entry of the journal; undefined in an empty database. */
async function lastMigration(client: pg.Client): Promise<{ hash: string; at: string } | undefined> {
  const { rows: journals } = await client.query<{ exists: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as exists`,
  )
  if (!journals[0]?.exists) return undefined
  const { rows } = await client.query<{ hash: string; at: string }>(
    'select hash, created_at as at from drizzle.__drizzle_migrations order by created_at desc limit 1',
  )
  return rows[0]
}

/**
 * Records 0001_initial as done in a database of version 0.1, which has its schema.
 * @throws Error for a database of an earlier version
 */
export async function adoptVersion01(client: pg.Client): Promise<void> {
  const last = await lastMigration(client)
  const [initial] = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  if (!last || !initial || Number(last.at) >= initial.folderMillis) return
  if (last.hash !== LAST_OF_VERSION_0_1)
    throw new Error(
      `The database is of an earlier version. Start version 0.1 once (commit ${COMMIT_OF_VERSION_0_1}), then this version.`,
    )
  await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
    initial.hash,
    initial.folderMillis,
  ])
}
