import { randomUUID } from 'node:crypto'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { LAST_OF_VERSION_0_1, MIGRATIONS, migrateDatabase } from '../src/db/migrate.ts'
import { cloneDatabase, runSql, urlOfDatabase } from './database.ts'
import { schemaText } from './schema-text.ts'
import { createVersion01 } from './version-0-1.ts'

/** Connects to a database until the test ends, then drops it. */
async function openClient({
  url,
  drop,
}: {
  url: string
  drop(): Promise<void>
}): Promise<{ client: pg.Client; url: string }> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await drop()
  })
  return { client, url }
}

const openMigrated = async () => openClient(await cloneDatabase(inject('clusterUrl')))

async function openEmpty() {
  const name = `empty_${randomUUID().slice(0, 8)}`
  await runSql(inject('clusterUrl'), `create database ${name}`)
  const drop = async () => void (await runSql(inject('clusterUrl'), `drop database ${name} with (force)`))
  return openClient({ url: urlOfDatabase(inject('clusterUrl'), name), drop })
}

async function journalOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ hash: string }>('select hash from drizzle.__drizzle_migrations order by id')
  return rows.map(({ hash }) => hash)
}

const hashes = readMigrationFiles({ migrationsFolder: MIGRATIONS }).map(({ hash }) => hash)

// To write the file again, delete it and run this test.
test('docs/schema.sql is the schema that the migrations leave', async () => {
  const { client } = await openMigrated()
  await expect(await schemaText(client)).toMatchFileSnapshot('../../docs/schema.sql')
})

test('processes that start together migrate an empty database once', async () => {
  const { client, url } = await openEmpty()
  await Promise.all([migrateDatabase(url), migrateDatabase(url)])
  expect(await journalOf(client)).toEqual(hashes)
})

test('processes that start together adopt a database of version 0.1 with its rows', async () => {
  const [{ client, url }, migrated] = await Promise.all([openEmpty(), openMigrated()])
  await createVersion01(client)
  await client.query("insert into workspaces (name) values ('Acme')")
  await Promise.all([migrateDatabase(url), migrateDatabase(url)])
  expect(await journalOf(client)).toEqual(['of 0104_people_who_wait', LAST_OF_VERSION_0_1, ...hashes])
  expect((await client.query('delete from workspaces returning name')).rows).toEqual([{ name: 'Acme' }])
  expect(await schemaText(client)).toBe(await schemaText(migrated.client))
})

test('a migration waits for the processes of the older version', async () => {
  const { client, url } = await openEmpty()
  await createVersion01(client)
  await client.query('select pg_advisory_lock(7281002, 1)')
  const refusal = 'Stop the older version first: 1 of its processes still use the database.'
  await expect(migrateDatabase(url, { patienceSeconds: 0 })).rejects.toThrow(refusal)
  const migrated = migrateDatabase(url)
  await client.query('select pg_advisory_unlock(7281002, 1)')
  await migrated
  expect(await journalOf(client)).toEqual(['of 0104_people_who_wait', LAST_OF_VERSION_0_1, ...hashes])
})

test('a database of version 0.1 is recounted', async () => {
  const { client, url } = await openEmpty()
  await createVersion01(client)
  await client.query(`
    with w as (insert into workspaces (name) values ('Acme') returning id),
      l as (insert into leads (workspace_id, name, twitter_handle) select id, 'Ann', 'ann' from w returning *),
      list as (insert into lead_lists (workspace_id, name) select id, 'List' from w returning id),
      tag as (insert into tags (workspace_id, name, color) select id, 'Tag', 'red' from w returning id),
      scrape as (
        insert into scrapes (workspace_id, twitter_handle, type, min_followers, max_followers, keywords, max_results)
        select id, 'x', 'followers', 0, 1, '[]', 1 from w returning id),
      entry as (
        insert into lead_list_items (lead_list_id, lead_id, contact_status)
        select list.id, l.id, 'contacted' from list, l),
      tagging as (insert into lead_tags (tag_id, lead_id) select tag.id, l.id from tag, l),
      find as (insert into scrape_leads (scrape_id, lead_id) select scrape.id, l.id from scrape, l),
      c as (
        insert into campaigns (workspace_id, name, message_template, channel, status)
        select id, 'Campaign', 'Hi', 'api', 'active' from w returning *),
      dm as (
        insert into dms (workspace_id, campaign_id, lead_id, message, status, sent_at)
        select c.workspace_id, c.id, l.id, 'Hi', 'replied', '2026-11-29T12:07:00Z' from c, l)
    insert into suppressions (workspace_id, twitter_handle, reason) select id, 'bob', 'manual' from w`)
  await client.query('update lead_lists set lead_count = 7, contacted_count = 7')
  await client.query('update tags set lead_count = 7')
  await client.query('update scrape_counts set count = 7')
  await client.query('update suppression_counts set count = 7')
  await client.query('update campaigns set dms_queued_count = 7, dms_replied_count = 7')
  await client.query("update dm_activity set sent = 7, slot = slot - interval '1 day'")
  await client.query('update lead_counts set count = 7')
  await client.query("update lead_standings set standing = 'sent'")
  await migrateDatabase(url)
  const { rows } = await client.query(`
    select lead_lists.lead_count, contacted_count, tags.lead_count as tagged, scrape_counts.count as found,
      suppression_counts.count as suppressed, dms_queued_count as queued, dms_replied_count as replied, sent,
      slot = '2026-11-29T12:00:00Z' as "isOfSlot", lead_counts.count as "ofStatus", standing
    from lead_lists, tags, scrape_counts, suppression_counts, campaigns, dm_activity, lead_counts, lead_standings`)
  expect(rows).toEqual([
    {
      ...{ lead_count: 1, contacted_count: 1, tagged: 1, found: '1', suppressed: '1' },
      ...{ queued: 0, replied: 1, sent: 1, isOfSlot: true, ofStatus: '1', standing: 'not_sent' },
    },
  ])
})

test('a database of an earlier version says which version to start first, and stays as it is', async () => {
  const { client, url } = await openEmpty()
  await createVersion01(client, 'of 0103_without_key_triggers')
  await expect(migrateDatabase(url)).rejects.toThrow(/Start version 0\.1 once \(commit [0-9a-f]{40}\)/)
  expect(await journalOf(client)).toEqual(['of 0104_people_who_wait', 'of 0103_without_key_triggers'])
  expect((await client.query('select from auth_verifications')).rowCount).toBe(0)
})

test('a database of a newer version stays as it is', async () => {
  const { client, url } = await openMigrated()
  await client.query(
    `insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', extract(epoch from now()) * 1000)`,
  )
  await migrateDatabase(url)
  expect(await journalOf(client)).toEqual([...hashes, 'newer'])
})
