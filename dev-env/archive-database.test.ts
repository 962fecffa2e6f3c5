import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readEnv } from '../server/src/env.ts'
import { type RunningServer, startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { createVersion01 } from '../server/test/version-0-1.ts'
import { root } from '../tools/root.ts'
import { BadArchive, checkArchive } from './archive.ts'
import { backUp, NotRestored, restore } from './archive-database.ts'
import type { OpenDatabase } from './database/embedded.ts'

const SECRET = 'a secret for tests, long enough to pass'
const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
const file = join(folder, 'archive')
let cluster: OpenDatabase
let server: RunningServer | undefined
const urlOf = (name: string) => cluster.url.replace(/\/x_automated\?/, `/${name}?`)

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

async function start(url: string): Promise<RunningServer> {
  const env = readEnv({ PORT: '0', DATABASE_URL: url, AUTH_SECRET: SECRET, LOG_LEVEL: 'silent', STAND_INS: 'on' })
  return startServer({ env, databaseUrl: url, workers: false })
}

beforeAll(async () => {
  cluster = await openScratchCluster({ log: () => {} })
  await withClient(cluster.url, async (client) => {
    for (const name of ['source', 'target', 'used', 'earlier']) await client.query(`create database ${name}`)
  })
})
afterAll(async () => {
  await server?.close()
  await cluster.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Returns a checksum of the rows of each table. */
function checksums(url: string): Promise<Record<string, string>> {
  return withClient(url, async (client) => {
    const { rows: tables } = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'drizzle', 'pgboss')
         and tablename !~ '^queue_stats_' order by 1`,
    )
    const sums: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await client.query(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as sum from ${name} t`,
      )
      sums[name] = rows[0].sum
    }
    return sums
  })
}

test('backs up a consistent snapshot of a running product and restores all of it', async () => {
  server = await start(urlOf('source'))
  const { database, sealer, jobs } = server.services
  const email = 'ada@example.com'
  const client = createClient({ contract, url: `${server.url}/api` })
  await client.auth.signUpEmail({ email, password: 'Correct-horse1' })
  await client.waitlist.join({ email: 'grace@example.com' })
  const odd = 'tab\there, line\nthere, \\. and \\N, "quotes", ünïcode 🚀'
  await database.pool.query(`insert into workspaces (name) values ($1), ($2)`, [odd, sealer.seal('a token of X')])
  await jobs.enqueue(database.db, 'mail', { sealed: odd })
  // pg-boss creates such a table every day, so the restored database lacks those of earlier days.
  await database.pool.query(
    `create table pgboss.queue_stats_20200101 partition of pgboss.queue_stats for values from ('2020-01-01') to ('2020-01-02')`,
  )

  // Writes the same number of rows to two tables during the backup.
  let hasEnded = false
  const writing = (async () => {
    while (!hasEnded) {
      const client = await database.pool.connect()
      const id = randomUUID()
      await client.query('begin')
      await client.query(`insert into workspaces (id, name) values ($1, 'moving')`, [id])
      await client.query(`insert into lead_lists (workspace_id, name) values ($1, 'moving')`, [id])
      await client.query('commit')
      client.release()
    }
  })()
  const countMoving = async () => (await database.pool.query('select from lead_lists')).rowCount
  await expect.poll(countMoving).toBeGreaterThan(0)
  const { tables } = await backUp(urlOf('source'), { file, authSecret: SECRET })
  hasEnded = true
  await writing
  expect(tables).toBeGreaterThan(40)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(backUp(urlOf('source'), { file, authSecret: SECRET })).rejects.toThrow('already exists')

  const head = await checkArchive(file)
  expect(head).toMatchObject({ authSecret: SECRET, migration: { name: expect.stringMatching(/^\d{4}_/) } })
  expect(await restore(urlOf('target'), { file, head, overwrite: false })).toMatchObject({ tables })
  await withClient(urlOf('target'), async (target) => {
    const { rows } = await target.query(
      `select (select count(*) from workspaces where name = 'moving') as workspaces, (select count(*) from lead_lists) as lists,
         (select count(*) from workspaces where name = $1) as odd`,
      [odd],
    )
    expect(rows[0].workspaces).toBe(rows[0].lists)
    expect(rows[0].odd).toBe('1')
  })

  await server.close()
  server = undefined
  // Queued emails must not be restored: they would be sent twice.
  await withClient(urlOf('source'), (client) => client.query(`delete from pgboss.job where name like '%mail'`))
  const still = join(folder, 'still')
  await backUp(urlOf('source'), { file: still, authSecret: SECRET })
  await restore(urlOf('target'), { file: still, head: await checkArchive(still), overwrite: true })
  // The restore adds only one row, about itself.
  await withClient(urlOf('target'), async (client) => {
    expect((await client.query('delete from restores')).rowCount).toBe(1)
  })
  expect(await checksums(urlOf('target'))).toEqual(await checksums(urlOf('source')))

  // The product works with the restored data: members, triggers, foreign keys and sequences.
  server = await start(urlOf('target'))
  const again = createClient({ contract, url: `${server.url}/api` })
  expect(await again.waitlist.join({ email: 'grace@example.com' })).toMatchObject({ message: 'User already exists' })
  expect((await again.waitlist.join({ email: 'alan@example.com' })).position).toBe(2)
  await expect(
    server.services.database.pool.query(`insert into lead_lists (workspace_id, name) values ($1, 'x')`, [randomUUID()]),
  ).rejects.toThrow(/foreign key/)
  const rows = await server.services.database.pool.query('select name from workspaces where name = $1', [odd])
  expect(rows.rowCount).toBe(1)
})

test('rejects a restore over data or under a running server, and damaged or newer archives', async () => {
  const head = await checkArchive(file)
  await expect(restore(urlOf('target'), { file, head, overwrite: true })).rejects.toThrow(/is running on this database/)
  await server?.close()
  server = undefined
  await expect(restore(urlOf('target'), { file, head, overwrite: false })).rejects.toThrow(/--overwrite/)

  const newer = { ...head, migration: { ...head.migration, at: head.migration.at + 1 } }
  await expect(restore(urlOf('used'), { file, head: newer, overwrite: false })).rejects.toThrow(NotRestored)

  const bad = join(folder, 'bad')
  const text = gunzipSync(readFileSync(file)).toString()
  writeFileSync(bad, gzipSync(text.replace('moving', 'MOVING')))
  await expect(checkArchive(bad)).rejects.toThrow(/checksum/)
  writeFileSync(bad, readFileSync(file))
  truncateSync(bad, statSync(file).size - 100)
  await expect(checkArchive(bad)).rejects.toThrow(BadArchive)
  writeFileSync(bad, gzipSync(text))
  appendFileSync(bad, gzipSync('{"more":true}\n'))
  await expect(checkArchive(bad)).rejects.toThrow(/after its end/)
  for (const wrong of [gzipSync('{"format":2}\n'), Buffer.from('no archive')]) {
    writeFileSync(bad, wrong)
    await expect(checkArchive(bad)).rejects.toThrow(BadArchive)
  }
  await expect(checkArchive(join(folder, 'nothing'))).rejects.toThrow(/does not exist/)

  await withClient(urlOf('used'), (client) => client.query(`create table kept as select 'kept' as name`))
  const [members] = text.match(/\{"table":"public\.tags".*\n/) ?? ['']
  writeFileSync(bad, gzipSync(text.replace(members, `${members}`.replace('"public.tags"', '"public.nothing"'))))
  await expect(restore(urlOf('used'), { file: bad, head, overwrite: true })).rejects.toThrow(BadArchive)
  await withClient(urlOf('used'), async (client) => {
    expect((await client.query('select name from kept')).rows).toEqual([{ name: 'kept' }])
  })
})

test('restores an archive of version 0.1, and says that an earlier one needs version 0.1', async () => {
  await withClient(urlOf('earlier'), async (client) => {
    await createVersion01(client)
    await client.query("insert into workspaces (name) values ('Acme')")
  })
  const earlier = join(folder, 'earlier')
  await backUp(urlOf('earlier'), { file: earlier, authSecret: SECRET })
  const head = await checkArchive(earlier)
  const older = { ...head, migration: { ...head.migration, hash: 'of an earlier version' } }
  await expect(restore(urlOf('earlier'), { file: earlier, head: older, overwrite: true })).rejects.toThrow(
    /Restore it with version 0\.1 \(commit [0-9a-f]{40}\)/,
  )

  await restore(urlOf('earlier'), { file: earlier, head, overwrite: true })
  server = await start(urlOf('earlier'))
  const { pool } = server.services.database
  expect((await pool.query('select name from workspaces')).rows).toEqual([{ name: 'Acme' }])
  const { rows } = await pool.query("select to_regclass('auth_verifications') as dropped")
  expect(rows).toEqual([{ dropped: null }])
  await server.close()
  server = undefined
})

test('reports what was paused, what may have been sent, and what to do next', async () => {
  await restore(urlOf('used'), { file, head: await checkArchive(file), overwrite: true })
  await withClient(urlOf('used'), (client) =>
    client.query(`
      with workspace as (insert into workspaces (name) values ('Ada') returning id),
        account as (
          insert into x_accounts (workspace_id, x_user_id, handle, status) select id, '1', 'ada', 'connected' from workspace returning id, workspace_id
        ),
        campaign as (
          insert into campaigns (workspace_id, name, message_template, channel, status, x_account_id)
          select workspace_id, 'Spring', 'Hi', 'api', 'active', id from account returning id, workspace_id
        )
      insert into dms (workspace_id, campaign_id, message) select workspace_id, id, 'Hi' from campaign, generate_series(1, 1200)`),
  )
  const active = join(folder, 'active')
  await backUp(urlOf('used'), { file: active, authSecret: SECRET })
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'dev-env', 'restore.ts'), active, '--overwrite'],
    { encoding: 'utf8', env: { ...process.env, DATABASE_URL: urlOf('used'), AUTH_SECRET: SECRET } },
  )
  expect(status).toBe(0)
  expect(stdout).toMatch(/^Restored [\d,]+ rows of \d+ tables as of /)
  expect(stdout).toContain('Paused 1 active campaign.')
  expect(stdout).toContain('1,200 queued messages may have been sent after the backup.')
  expect(stdout).toContain('Next: start X-Automated, check the campaigns and resume them.')
})
