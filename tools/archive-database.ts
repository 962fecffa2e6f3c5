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
import { Connection } from '../server/src/db/connection.ts'
import { MIGRATION_LOCK, MIGRATIONS } from '../server/src/db/migrate.ts'
import type { Db } from '../server/src/db/open.ts'
import { type Held, holdRestored } from '../server/src/domains/sending/service-restored.ts'
import { BadArchive, createSum, type Head, readArchive } from './archive.ts'

/** Ours, Drizzle's list of migrations, and the job queue's. */
const SCHEMAS = ['public', 'drizzle', 'pgboss']
/** A change of tables that is under way is waited for no longer than this. */
const LOCK_SECONDS = 30

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new Connection({
    connectionString: url,
    application_name: 'archive of x-automated',
    options: `-c statement_timeout=0 -c lock_timeout=${LOCK_SECONDS}s -c timezone=UTC -c extra_float_digits=1`,
  })
  await client.connect()
  // Large tables take their time.
  client.allowSilence(0)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

// Making one

/**
 * Writes everything that the database holds at one moment into a file that only we may read. The product may run: it waits for nothing.
 * The file appears whole, or not at all.
 * @throws Error where the file exists
 */
export async function backUp(
  url: string,
  { file, authSecret }: { file: string; authSecret: string },
): Promise<{ bytes: number; tables: number }> {
  const draft = `${file}.${process.pid}.part`
  const exists = new Error(`${file} exists already. Give the archive another name.`)
  if (existsSync(file)) throw exists
  try {
    const tables = await connected(url, async (client) => {
      const counted = { tables: 0 }
      const parts = Readable.from(partsOf(client, authSecret, counted), { objectMode: false })
      const written = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
      await pipeline(parts, createGzip({ level: 6 }), written)
      return counted.tables
    })
    // Not over an archive that came meanwhile.
    await (await open(file, 'wx', 0o600)).close()
    await rename(draft, file)
    return { bytes: (await stat(file)).size, tables }
  } catch (error) {
    await rm(draft, { force: true })
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists : error
  }
}

async function* partsOf(client: pg.Client, authSecret: string, counted: { tables: number }): AsyncGenerator<Buffer> {
  const sum = createSum()
  await client.query('begin isolation level repeatable read read only')
  const tables = await tablesOf(client)
  // Nobody changes the tables themselves until we have read them.
  await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`)
  yield sum.line(await headOf(client, authSecret))
  for (const { name, columns } of tables) {
    yield sum.line({ table: name, columns })
    const rows = client.query(copyTo(`copy ${name} (${columns.join(', ')}) to stdout`))
    for await (const chunk of rows) yield sum.pass(chunk as Buffer)
    yield sum.rowsEnd()
    counted.tables += 1
  }
  yield sum.line({ sequences: await sequencesOf(client) })
  await client.query('commit')
  yield sum.end()
}

/** Every table that holds rows of its own, its name and columns as SQL writes them; without columns that follow from others. */
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
  if (rows.length === 0) throw new Error('The database is empty: start the product once before you back it up.')
  return rows
}

async function headOf(client: pg.Client, authSecret: string): Promise<Head> {
  // By the database's clock, which dates everything in it.
  const { rows } = await client.query<{ hash: string; at: string; now: Date }>(
    'select hash, created_at as at, now() as now from drizzle.__drizzle_migrations order by created_at desc limit 1',
  )
  const [last] = rows
  if (!last) throw new Error('The database was never migrated: start the product once before you back it up.')
  const migration = { name: nameOf(Number(last.at)), at: Number(last.at), hash: last.hash }
  const queueVersion = await queueVersionOf(client)
  return { format: 1, product: 'x-automated', madeAt: last.now.toISOString(), migration, queueVersion, authSecret }
}

async function queueVersionOf(client: pg.Client): Promise<number | null> {
  const there = await client.query(`select to_regclass('pgboss.version') as version`)
  if (!there.rows[0]?.version) return null
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

// Taking one back

export interface Restored extends Held {
  tables: number
  rows: number
  /** Emails that were waiting at the backup and are dropped. */
  emails: number
}

/** What is in the way of taking an archive back; its message says what to do. */
export class NotRestored extends Error {}

/**
 * Puts what an archive holds in the place of everything that the database holds, in one transaction: all of it, or nothing.
 * The tables get the form that they had when it was made, and are then brought to the newest.
 * What may have happened since the backup happens no second time: nothing is sent before X was asked (`holdRestored`), and waiting emails are dropped.
 * @param head of the archive, which was checked (`checkArchive`)
 * @throws NotRestored: servers are at work, there is data that `overwrite` does not give up, or the archive is of a newer version
 */
export async function restore(
  url: string,
  { file, head, overwrite }: { file: string; head: Head; overwrite: boolean },
): Promise<Restored> {
  const { migrations, newer } = migrationsFrom(head)
  return connected(url, async (client) => {
    const { rows: held } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [
      MIGRATION_LOCK,
    ])
    if (!held[0]?.free) throw new NotRestored('A server is just starting on this database. Stop it first.')
    if (await areServersRunning(client))
      throw new NotRestored('X-Automated is running on this database. Stop every server of it first, then try again.')
    if (!overwrite && (await holdsData(client)))
      throw new NotRestored(
        'This database holds data. Add --overwrite to replace all of it by what the archive holds: it is then gone for good.',
      )
    await client.query('begin')
    await inPublic(client, () => makeTables(client, migrations, head))
    const restored = await fill(client, file)
    await inPublic(client, () => migrateOn(client, newer))
    const emails = await dropEmails(client, head)
    const safe = await holdRestored(drizzle(client) as unknown as Db, new Date(head.madeAt))
    await client.query('commit')
    await client.query('analyze')
    return { ...restored, ...safe, emails }
  })
}

/** PostgreSQL needs a moment to notice that a server has ended. */
const NOTICE_MS = 3_000

async function areServersRunning(client: pg.Client): Promise<boolean> {
  const end = performance.now() + NOTICE_MS
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

/** Has anybody an account here, or a place on the waitlist? */
async function holdsData(client: pg.Client): Promise<boolean> {
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

/** @throws NotRestored where this version does not know the archive's tables */
function migrationsFrom({ migration }: Head): { migrations: MigrationMeta[]; newer: MigrationMeta[] } {
  const all = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  const last = all.findIndex(({ folderMillis, hash }) => folderMillis === migration.at && hash === migration.hash)
  if (last === -1)
    throw new NotRestored(
      `The archive was made by another version of X-Automated (migration ${migration.name}), which this one does not know. Install that version, or a newer one.`,
    )
  return { migrations: all.slice(0, last + 1), newer: all.slice(last + 1) }
}

/** Migrations name no schema: whatever the database looks through first, their tables belong in `public`. */
async function inPublic(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('set local search_path = public')
  await work()
  await client.query('set local search_path to default')
}

/** As Drizzle's migrator does it, in our transaction. */
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
 * Emails that were waiting at the backup have gone out since, as they wait for seconds: most would come twice.
 * @returns how many
 */
async function dropEmails(client: pg.Client, { queueVersion }: Head): Promise<number> {
  const { rowCount } = await client.query('update notices set mailed_at = now() where mail and mailed_at is null')
  if (queueVersion === null) return rowCount ?? 0
  const jobs = await client.query(
    `delete from pgboss.job where name in ('mail', 'account-mail') and state in ('created', 'retry', 'active')`,
  )
  return (rowCount ?? 0) + (jobs.rowCount ?? 0)
}

/** Everything anew and empty, as the archive's version made it. */
async function makeTables(client: pg.Client, migrations: MigrationMeta[], head: Head): Promise<void> {
  for (const schema of SCHEMAS) await client.query(`drop schema if exists ${schema} cascade`)
  await client.query('create schema public')
  // As Drizzle's migrator makes it; its rows are in the archive.
  await client.query('create schema drizzle')
  await client.query(
    'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  for (const { sql } of migrations) for (const statement of sql) await client.query(statement)
  if (head.queueVersion === null) return
  // The queue's own plan is a transaction; here it is a part of ours.
  const plan = getConstructionPlans('pgboss').trim()
  await client.query(plan.replace(/^BEGIN;/, '').replace(/COMMIT;$/, ''))
  await client.query('set local idle_in_transaction_session_timeout = 0')
  await client.query(`set local lock_timeout = '${LOCK_SECONDS}s'`)
  if ((await queueVersionOf(client)) !== head.queueVersion)
    throw new NotRestored(
      `The archive's job queue has version ${head.queueVersion}, which this version of X-Automated does not make. Install the version that made the archive, restore with it, and update then.`,
    )
}

/** Copies the rows in, with foreign keys and triggers away meanwhile: keys are checked when they come back, and what triggers count is in the rows. */
async function fill(client: pg.Client, file: string): Promise<{ tables: number; rows: number }> {
  const known = await tablesOf(client)
  const keys = await takeForeignKeys(client)
  const triggered = await triggeredTables(client)
  for (const name of triggered) await client.query(`alter table ${name} disable trigger user`)
  await client.query(`truncate ${known.map(({ name }) => name).join(', ')}`)

  let rows = 0
  let copy: CopyStreamQuery | null = null
  let failure: Error | null = null
  const filled = new Set<string>()
  for await (const part of readArchive(file)) {
    if (part.kind === 'table') {
      const table = known.find(({ name }) => name === part.table)
      if (!table || part.columns.some((column) => !table.columns.includes(column)))
        throw new BadArchive(`${file} holds a table that its version did not have: ${part.table}.`)
      filled.add(table.name)
      copy = client.query(copyFrom(`copy ${table.name} (${part.columns.join(', ')}) from stdin`))
      // It may fail while nobody waits for it.
      copy.on('error', (error) => {
        failure = error
      })
    } else if (part.kind === 'rows' && copy) {
      if (failure) throw failure
      if (!copy.write(part.bytes)) await once(copy, 'drain')
    } else if (part.kind === 'rows end' && copy) {
      // What has failed already says nothing more.
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

async function takeForeignKeys(client: pg.Client) {
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
