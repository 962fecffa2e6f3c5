import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { getConstructionPlans } from 'pg-boss'
import { type CopyStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { pauseRestored, type RestoreSummary } from '../server/src/core/messages/restore.ts'
import { Connection } from '../server/src/db/connection.ts'
import {
  adoptVersion01,
  COMMIT_OF_VERSION_0_1,
  LAST_OF_VERSION_0_1,
  MIGRATION_LOCK,
  MIGRATIONS,
} from '../server/src/db/migrate.ts'
import type { Db } from '../server/src/db/open.ts'
import { BadArchive, createChecksum, type Head, readArchive } from './archive.ts'

/** The schemas of our tables, of Drizzle's migrations and of pg-boss's tables. */
const SCHEMAS = ['public', 'drizzle', 'pgboss']
/** How long to wait for locks, for example of a running migration. */
const LOCK_SECONDS = 30

async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new Connection({
    connectionString: url,
    application_name: 'archive of x-automated',
    options: `-c statement_timeout=0 -c lock_timeout=${LOCK_SECONDS}s -c timezone=UTC -c extra_float_digits=1`,
  })
  await client.connect()
  // Copying a large table may take minutes without a response.
  client.allowSilence(0)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Writes a consistent snapshot to a file (0600) that appears only when complete. The product may be
 * running.
 * @throws Error if the file exists
 */
export async function backUp(
  url: string,
  { file, authSecret }: { file: string; authSecret: string },
): Promise<{ bytes: number; tables: number }> {
  const draft = `${file}.${process.pid}.part`
  const exists = new Error(`${file} already exists. Choose another name.`)
  if (existsSync(file)) throw exists
  try {
    const tables = await withConnection(url, async (client) => {
      const counts = { tables: 0 }
      const parts = Readable.from(partsOf(client, authSecret, counts), { objectMode: false })
      const written = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
      await pipeline(parts, createGzip({ level: 6 }), written)
      return counts.tables
    })
    // Fails if another process has created the file in the meantime.
    await (await open(file, 'wx', 0o600)).close()
    await rename(draft, file)
    return { bytes: (await stat(file)).size, tables }
  } catch (error) {
    await rm(draft, { force: true })
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists : error
  }
}

async function* partsOf(client: pg.Client, authSecret: string, counts: { tables: number }): AsyncGenerator<Buffer> {
  const sum = createChecksum()
  await client.query('begin isolation level repeatable read read only')
  const tables = await tablesOf(client)
  // Block migrations until the tables have been read.
  await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`)
  yield sum.line(await headOf(client, authSecret))
  for (const { name, columns } of tables) {
    yield sum.line({ table: name, columns })
    const rows = client.query(copyTo(`copy ${name} (${columns.join(', ')}) to stdout`))
    for await (const chunk of rows) yield sum.pass(chunk as Buffer)
    yield sum.rowsEnd()
    counts.tables += 1
  }
  yield sum.line({ sequences: await sequencesOf(client) })
  await client.query('commit')
  yield sum.end()
}

/** pg-boss's statistics of one day. A database created on another day lacks this table. */
const STATISTICS = /^pgboss\.queue_stats_\d+$/

/** Returns every table with its columns, quoted for SQL. Omits statistics and generated columns. */
async function tablesOf(client: pg.Client): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       array(
         select format('%I', a.attname) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
       ) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname = any($1)
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by 1`,
    [SCHEMAS],
  )
  if (rows.length === 0) throw new Error('The database is empty. Start the product once before you back it up.')
  return rows.filter(({ name }) => !STATISTICS.test(name))
}

async function headOf(client: pg.Client, authSecret: string): Promise<Head> {
  // All times in the archive use the database's clock.
  const { rows } = await client.query<{ hash: string; at: string; now: Date }>(
    'select hash, created_at as at, now() as now from drizzle.__drizzle_migrations order by created_at desc limit 1',
  )
  const [last] = rows
  if (!last) throw new Error('The database was never migrated. Start the product once before you back it up.')
  const migration = { name: nameOf(Number(last.at)), at: Number(last.at), hash: last.hash }
  const queueVersion = await queueVersionOf(client)
  return { format: 1, product: 'x-automated', madeAt: last.now.toISOString(), migration, queueVersion, authSecret }
}

async function queueVersionOf(client: pg.Client): Promise<number | null> {
  const result = await client.query(`select to_regclass('pgboss.version') as version`)
  if (!result.rows[0]?.version) return null
  const { rows } = await client.query<{ version: number }>('select version from pgboss.version')
  return rows[0]?.version ?? null
}

async function sequencesOf(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname = any($1) order by 1`,
    [SCHEMAS],
  )
  const sequences = []
  for (const { name } of rows) {
    const read = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${name}`,
    )
    const { value = '1', called = false } = read.rows[0] ?? {}
    sequences.push({ name, value, isCalled: called })
  }
  return sequences
}

export interface Restored extends RestoreSummary {
  tables: number
  rows: number
  /** Number of queued emails that were dropped. */
  emails: number
}

/** The archive cannot be restored now. The message says what to do. */
export class NotRestored extends Error {}

/**
 * Replaces the database with a checked archive and migrates it, in one transaction. Pauses sending
 * and drops queued emails.
 * @throws NotRestored
 */
export async function restore(
  url: string,
  { file, head, overwrite }: { file: string; head: Head; overwrite: boolean },
): Promise<Restored> {
  const { migrations, newer } = migrationsFrom(head)
  return withConnection(url, async (client) => {
    const { rows: held } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [
      MIGRATION_LOCK,
    ])
    if (!held[0]?.free) throw new NotRestored('A server is starting on this database. Stop it first.')
    if (await areServersRunning(client))
      throw new NotRestored('X-Automated is running on this database. Stop all its servers, then try again.')
    if (!overwrite && (await hasData(client)))
      throw new NotRestored('This database has data. Add --overwrite to replace all of it permanently.')
    await client.query('begin')
    await inPublic(client, () => createTables(client, migrations, head))
    const restored = await copyRows(client, file)
    await adoptVersion01(client)
    await inPublic(client, () => migrateOn(client, newer))
    const emails = await dropEmails(client, head)
    const safe = await pauseRestored(drizzle(client) as unknown as Db, new Date(head.madeAt))
    await client.query('commit')
    await client.query('analyze')
    return { ...restored, ...safe, emails }
  })
}

/** How long to wait until PostgreSQL notices that a server has exited. */
const DISCONNECT_MS = 3_000

async function areServersRunning(client: pg.Client): Promise<boolean> {
  const end = performance.now() + DISCONNECT_MS
  for (;;) {
    const { rowCount } = await client.query(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'x-automated%'`,
    )
    if (rowCount === 0) return false
    if (performance.now() > end) return true
    await sleep(50)
  }
}

/** Whether the database has an account or a waitlist member. */
async function hasData(client: pg.Client): Promise<boolean> {
  for (const table of ['public.auth_users', 'public.users']) {
    const { rows } = await client.query('select to_regclass($1) as found', [table])
    if (rows[0]?.found && (await client.query(`select from ${table} limit 1`)).rowCount) return true
  }
  return false
}

interface Journal {
  entries: { when: number; tag: string }[]
}

function nameOf(at: number): string {
  return journal().entries.find(({ when }) => when === at)?.tag ?? 'unknown'
}

function journal(): Journal {
  return JSON.parse(readFileSync(`${MIGRATIONS}/meta/_journal.json`, 'utf8')) as Journal
}

/**
 * Returns the migrations up to the archive's, and the newer ones.
 * @throws NotRestored if this version does not know the archive's migration
 */
function migrationsFrom({ migration }: Head): { migrations: MigrationMeta[]; newer: MigrationMeta[] } {
  const all = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  if (migration.hash === LAST_OF_VERSION_0_1) return { migrations: all.slice(0, 1), newer: all.slice(1) }
  const last = all.findIndex(({ folderMillis, hash }) => folderMillis === migration.at && hash === migration.hash)
  if (last === -1 && migration.at < (all[0]?.folderMillis ?? 0))
    throw new NotRestored(
      `The archive comes from an earlier version of X-Automated. Restore it with version 0.1 (commit ${COMMIT_OF_VERSION_0_1}), then start this version.`,
    )
  if (last === -1)
    throw new NotRestored(
      `The archive comes from a newer version of X-Automated (migration ${migration.name}). Install that version or a later one.`,
    )
  return { migrations: all.slice(0, last + 1), newer: all.slice(last + 1) }
}

/** Runs `work` with the search path `public`, because migrations name no schema. */
async function inPublic(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('set local search_path = public')
  await work()
  await client.query('set local search_path to default')
}

/** Does what Drizzle's migrator does, but within our transaction. */
async function migrateOn(client: pg.Client, newer: MigrationMeta[]): Promise<void> {
  for (const { sql, hash, folderMillis } of newer) {
    for (const statement of sql) await client.query(statement)
    await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
      hash,
      folderMillis,
    ])
  }
}

/**
 * Drops queued emails: they are usually sent within seconds, so most were sent after the backup.
 * @returns their number
 */
async function dropEmails(client: pg.Client, { queueVersion }: Head): Promise<number> {
  const { rowCount } = await client.query(
    'update notifications set emailed_at = now() where email and emailed_at is null',
  )
  if (queueVersion === null) return rowCount ?? 0
  const jobs = await client.query(
    `delete from pgboss.job where name in ('mail', 'account-mail') and state in ('created', 'retry', 'active')`,
  )
  return (rowCount ?? 0) + (jobs.rowCount ?? 0)
}

/** Drops everything and recreates the tables as of the archive's migration, without rows. */
async function createTables(client: pg.Client, migrations: MigrationMeta[], head: Head): Promise<void> {
  for (const schema of SCHEMAS) await client.query(`drop schema if exists ${schema} cascade`)
  await client.query('create schema public')
  // The table of Drizzle's migrator. The archive contains its rows.
  await client.query('create schema drizzle')
  await client.query(
    'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  for (const { sql } of migrations) for (const statement of sql) await client.query(statement)
  if (head.queueVersion === null) return
  // pg-boss's plan is a transaction. Remove its BEGIN and COMMIT, so that it runs in ours.
  const plan = getConstructionPlans('pgboss').trim()
  await client.query(plan.replace(/^BEGIN;/, '').replace(/COMMIT;$/, ''))
  await client.query('set local idle_in_transaction_session_timeout = 0')
  await client.query(`set local lock_timeout = '${LOCK_SECONDS}s'`)
  if ((await queueVersionOf(client)) !== head.queueVersion)
    throw new NotRestored(
      `This version of X-Automated cannot create the archive's job queue (version ${head.queueVersion}). Restore with the version that made the archive, then upgrade.`,
    )
}

/** Copies rows, then checks foreign keys. Triggers are off, because the archive contains the counts that they keep. */
async function copyRows(client: pg.Client, file: string): Promise<{ tables: number; rows: number }> {
  const targetTables = await tablesOf(client)
  const keys = await dropForeignKeys(client)
  const triggered = await triggeredTables(client)
  for (const name of triggered) await client.query(`alter table ${name} disable trigger user`)
  await client.query(`truncate ${targetTables.map(({ name }) => name).join(', ')}`)

  let rows = 0
  let copy: CopyStreamQuery | null = null
  let failure: Error | null = null
  const filled = new Set<string>()
  for await (const part of readArchive(file)) {
    if (part.kind === 'table') {
      // Earlier versions archived statistics.
      if (STATISTICS.test(part.table)) continue
      const table = targetTables.find(({ name }) => name === part.table)
      if (!table || part.columns.some((column) => !table.columns.includes(column)))
        throw new BadArchive(`${file} has a table that its version did not have: ${part.table}.`)
      filled.add(table.name)
      copy = client.query(copyFrom(`copy ${table.name} (${part.columns.join(', ')}) from stdin`))
      // The copy may fail between two writes.
      copy.on('error', (error) => {
        failure = error
      })
    } else if (part.kind === 'rows' && copy) {
      if (failure) throw failure
      if (!copy.write(part.bytes)) await once(copy, 'drain')
    } else if (part.kind === 'rows end' && copy) {
      // A failed copy never finishes.
      if (failure) throw failure
      const done = once(copy, 'finish')
      copy.end()
      await done
      rows += copy.rowCount
      copy = null
    } else if (part.kind === 'sequences') {
      for (const { name, value, isCalled } of part.sequences)
        await client.query('select setval($1::regclass, $2::bigint, $3)', [name, value, isCalled])
    }
  }

  for (const name of triggered) await client.query(`alter table ${name} enable trigger user`)
  for (const { table, name, definition } of keys)
    await client.query(`alter table ${table} add constraint ${name} ${definition}`)
  return { tables: filled.size, rows }
}

async function dropForeignKeys(client: pg.Client) {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select format('%I.%I', n.nspname, c.relname) as "table", format('%I', k.conname) as name, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where k.contype = 'f' and k.conparentid = 0 and n.nspname = any($1)
     order by 1, 2`,
    [SCHEMAS],
  )
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`)
  return rows
}

async function triggeredTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct format('%I.%I', n.nspname, c.relname) as name
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where not t.tgisinternal and n.nspname = any($1) order by 1`,
    [SCHEMAS],
  )
  return rows.map(({ name }) => name)
}
