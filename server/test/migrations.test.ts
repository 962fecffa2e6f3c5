import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { MIGRATIONS } from '../src/db/migrate.ts'
import { cloneDatabase } from './database.ts'

test('0031_scrapes_counted counts what a process of the version before is about to change', async () => {
  const sql = await readFile(join(MIGRATIONS, '0031_scrapes_counted.sql'), 'utf8')
  const database = await cloneDatabase(inject('clusterUrl'))
  const [before, migration] = [new pg.Client(database.url), new pg.Client(database.url)]
  await Promise.all([before.connect(), migration.connect()])
  onTestFinished(async () => {
    await Promise.all([before.end(), migration.end()])
    await database.drop()
  })
  await before.query(`
    drop table scrape_counts; drop function count_scrape_leads cascade;
    alter table scrapes drop column cut_reads, drop column billed;
    insert into workspaces (name) values ('Acme');
    insert into scrapes (workspace_id, twitter_handle, type, min_followers, max_followers, keywords, max_results)
      select id, 'ada', 'followers', 0, 1, '[]', 10 from workspaces;
    insert into leads (workspace_id, twitter_handle, name) select id, handle, '' from workspaces, unnest(array['ana', 'ben']) handle;
    insert into scrape_leads (scrape_id, lead_id) select s.id, l.id from scrapes s, leads l`)

  await before.query("begin; delete from leads where twitter_handle = 'ana'")
  const migrated = migration.query(`begin; ${sql}; commit`)
  const waiting = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $1'
  await expect.poll(async () => (await before.query(waiting, ['Lock'])).rowCount, { timeout: 5_000 }).toBe(1)
  await before.query('commit')
  await migrated
  expect((await migration.query('select count::int from scrape_counts')).rows).toEqual([{ count: 1 }])
})
