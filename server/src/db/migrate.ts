import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { Connection } from './connection.ts'

/** If several processes start together, one migrates and the others wait for this lock. */
export const MIGRATION_LOCK = 7_281_001
export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

/** Migrates the database at `url`. Safe to run repeatedly and from several processes. */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new Connection({ connectionString: url, application_name: 'x-automated migrate' })
  await client.connect()
  // Another process may be migrating a large table for minutes.
  client.allowSilence(0)
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
  } finally {
    await client.end()
  }
}
