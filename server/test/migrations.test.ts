import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PauseReason, SkipReason } from '@x-automated/contract/reason'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { MIGRATIONS } from '../src/db/migrate.ts'
import { cloneDatabase } from './database.ts'

/** A client of a migrated database, until the test ends. */
async function openClone(): Promise<pg.Client> {
  const database = await cloneDatabase(inject('clusterUrl'))
  const client = new pg.Client(database.url)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await database.drop()
  })
  return client
}

test('0041_scrapes_stopped_by marks only completed scrapes that the plan stopped', async () => {
  const sql = await readFile(join(MIGRATIONS, '0041_scrapes_stopped_by.sql'), 'utf8')
  const client = await openClone()
  await client.query(`
    alter table scrapes drop column stopped_by;
    insert into workspaces (name) values ('Acme');
    insert into scrapes (workspace_id, twitter_handle, type, min_followers, max_followers, keywords, max_results, status, error)
      select id, handle, 'followers', 0, 1, '[]', 10, status, error from workspaces, (values
        ('stopped', 'completed', 'Your Free plan includes 100 scraped leads a month.'),
        ('whole', 'completed', null), ('failed', 'failed', 'X did not answer.')) as old (handle, status, error)`)
  await client.query(sql)
  const { rows } = await client.query('select twitter_handle from scrapes where stopped_by is not null')
  expect(rows).toEqual([{ twitter_handle: 'stopped' }])
})

test('0031_scrapes_counted counts what a process of the previous version is about to change', async () => {
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
  await expect.poll(async () => (await before.query(waiting, ['Lock'])).rowCount, { timeout: 60_000 }).toBe(1)
  await before.query('commit')
  await migrated
  expect((await migration.query('select count::int from scrape_counts')).rows).toEqual([{ count: 1 }])
})

test('0038_sign_ups_wait turns unconfirmed accounts into pending sign-ups', async () => {
  const sql = await readFile(join(MIGRATIONS, '0038_sign_ups_wait.sql'), 'utf8')
  const client = await openClone()
  await client.query(`
    drop table auth_sign_ups;
    alter table auth_refresh_tokens drop column parent_id, drop column revoked_at;
    create table sign_up_referrals (account_user_id uuid primary key references auth_users on delete cascade,
      referral_code text not null, address_hash text not null, range_hash text not null, country text);
    insert into auth_users (name, email, email_verified) values
      ('Ada', 'ada@example.com', true), ('Grace', 'grace@example.com', false), ('Hedy', 'hedy@example.com', false);
    insert into auth_identities (user_id, provider_id, account_id, password)
      select id, 'credential', id, 'hash of ' || name from auth_users;
    insert into sign_up_referrals select id, 'FRIEND', 'address', 'range', null from auth_users where name = 'Grace'`)

  await client.query(sql)
  const { rows } = await client.query(
    'select email, name, password, referral, expires_at > now() as waits from auth_sign_ups order by email',
  )
  const referral = { referralCode: 'FRIEND', addressHash: 'address', rangeHash: 'range', country: null }
  expect(rows).toEqual([
    { email: 'grace@example.com', name: 'Grace', password: 'hash of Grace', referral, waits: true },
    { email: 'hedy@example.com', name: 'Hedy', password: 'hash of Hedy', referral: null, waits: true },
  ])
  expect((await client.query('select name from auth_users')).rows).toEqual([{ name: 'Ada' }])
})

test('0042_sso_sessions_stay_in_one_workspace ends only sessions that may come from a replaced certificate', async () => {
  const sql = await readFile(join(MIGRATIONS, '0042_sso_sessions_stay_in_one_workspace.sql'), 'utf8')
  const client = await openClone()
  await client.query(`
    alter table auth_codes drop column sso_identity_id; alter table auth_sessions drop column sso_identity_id;
    alter table auth_tickets drop column sso_identity_id; alter table extension_codes drop column session_id;
    insert into auth_users (name, email) select name, name || '@example.com' from unnest(array['kept', 'doubtful', 'password']) name;
    insert into workspaces (name) values ('kept'), ('doubtful');
    insert into sso_connections (workspace_id, kind, issuer, sso_url, certificates, updated_at)
      select id, 'saml', name, 'https://idp.example', '{x}', case name when 'kept' then now() - interval '2 hours' else now() end from workspaces;
    insert into auth_identities (user_id, provider_id, account_id, created_at)
      select u.id, 'sso:' || c.id, u.name, now() - interval '1 hour' from auth_users u join sso_connections c on c.issuer = u.name;
    insert into auth_sessions (user_id, token, expires_at, created_at)
      select id, name || at, now() + interval '1 day', now() - at::interval from auth_users, unnest(array['3 hours', '1 minute']) at`)
  await client.query(`begin; ${sql}; commit`)
  const read = async (query: string) => (await client.query<{ name: string }>(query)).rows.map(({ name }) => name)
  expect(await read('select account_id as name from auth_identities')).toEqual(['kept'])
  const left = ['doubtful3 hours', 'kept3 hours', 'password1 minute', 'password3 hours']
  expect(await read('select token as name from auth_sessions order by 1')).toEqual(left)
  expect(await read('select session_id::text as name from auth_revocations')).toHaveLength(2)
})

test('0048_reasons turns stored sentences into codes and keeps the words of X', async () => {
  const sql = await readFile(join(MIGRATIONS, '0048_reasons.sql'), 'utf8')
  const client = await openClone()
  // As the version before this migration stored them.
  const skipped: [string, SkipReason][] = [
    ['Skipped: this person has opted out.', { code: 'suppressed', params: { reason: 'opted_out' } }],
    ['Skipped: this person asked you to stop.', { code: 'suppressed', params: { reason: 'replied_stop' } }],
    ['Skipped: this person is on your suppression list.', { code: 'suppressed', params: { reason: 'manual' } }],
    ['Skipped: this person has replied.', { code: 'replied', params: {} }],
    ['Skipped: you have written to this person yourself.', { code: 'written_by_hand', params: {} }],
    [
      'Skipped: this lead has no contact basis. Say on the leads page how you know that they want to hear from you.',
      { code: 'no_basis', params: {} },
    ],
    ['Skipped: this person is among your leads twice and is written to already.', { code: 'duplicate', params: {} }],
    ['Skipped: Lead data or Twitter handle missing during processing.', { code: 'lead_missing', params: {} }],
    ['Skipped: a direct message has gone to this lead already.', { code: 'contacted', params: { how: 'direct' } }],
    [
      'Skipped: a message has gone to this person already, before their lead was deleted and came in again.',
      { code: 'contacted', params: { how: 'earlier_lead' } },
    ],
    ['Skipped: a message has gone to this person already.', { code: 'contacted', params: { how: 'x_user' } }],
    [
      'Skipped: a message has gone to this person already, after the backup that was restored.',
      { code: 'contacted', params: { how: 'backup' } },
    ],
    [
      'Skipped: the campaign “Say “hi”\ntwice” has gone to this lead already.',
      { code: 'contacted', params: { how: 'campaign', campaign: 'Say “hi”\ntwice' } },
    ],
    [
      'Skipped: the campaign “Spring” is queued for this lead already.',
      { code: 'queued_elsewhere', params: { how: 'campaign', campaign: 'Spring' } },
    ],
    [
      'Skipped: a direct message is queued for this lead already.',
      { code: 'queued_elsewhere', params: { how: 'direct' } },
    ],
  ]
  const failed = [...skipped, ['Skipped: by an old version.', null], ['X refused the message: too long', null]]
  const backup = (isReadable: boolean): PauseReason => ({
    code: 'restored',
    params: { backedUpAt: '2026-11-02T09:05:00.000Z', isReadable },
  })
  const paused: [string | null, PauseReason | null, string | null][] = [
    [
      'Restored from the backup of 2 November 2026 at 09:05 UTC. X-Automated first reads from X what was sent since, so nobody gets a message twice. Check this campaign, then resume it.',
      backup(true),
      null,
    ],
    [
      'Restored from the backup of 2 November 2026 at 09:05 UTC. No connected X account can show what was sent since. Check the conversation of each failed message before you queue it again.',
      backup(false),
      null,
    ],
    ['X has ended this connection. Connect again.', { code: 'x_disconnected', params: {} }, null],
    [
      'X does not accept this connection any more. Connect the account again.',
      { code: 'x_disconnected', params: {} },
      null,
    ],
    ['X does not allow it: Forbidden', { code: 'refusals', params: {} }, 'X does not allow it: Forbidden'],
    ['X has locked this account.', { code: 'x_locked', params: {} }, 'X has locked this account.'],
    [null, null, null],
  ]
  await client.query(`
    drop function date_dms cascade; alter table dms drop column reason; drop trigger campaigns_notify on campaigns;
    alter table campaigns drop column reason;
    create index campaigns_stopped on campaigns (x_account_id);
    create trigger campaigns_notify after update of status on campaigns for each row execute function notify_of_campaign();
    insert into workspaces (name) values ('Acme')`)
  await client.query(
    `insert into campaigns (workspace_id, name, message_template, channel, status, pause_reason)
       select w.id, n, '', 'api', 'paused', text from workspaces w, unnest($1::text[]) with ordinality as old (text, n)`,
    [paused.map(([text]) => text)],
  )
  await client.query(
    `insert into dms (workspace_id, campaign_id, step, message, status, error_message)
       select c.workspace_id, c.id, n, '', 'failed', text from campaigns c, unnest($1::text[]) with ordinality as old (text, n) where c.name = '1'`,
    [failed.map(([text]) => text)],
  )
  await client.query(`begin; ${sql}; commit`)

  const messages = await client.query('select reason, error_message from dms order by step')
  expect(messages.rows).toEqual(
    failed.map(([text, reason]) => ({ reason, error_message: reason === null ? text : null })),
  )
  const { rows } = await client.query('select reason, pause_reason from campaigns order by name')
  expect(rows).toEqual(paused.map(([, reason, words]) => ({ reason, pause_reason: words })))
  expect((await client.query('select from notifications')).rowCount).toBe(0)
  const counts = await client.query("select dms_failed_count from campaigns where name = '1'")
  expect(counts.rows).toEqual([{ dms_failed_count: failed.length }])
})

test('0049_sequences makes every campaign a sequence of one step, and enrolls its leads', async () => {
  const [sql, earlier] = await Promise.all(
    ['0049_sequences', '0020_campaign_funnel'].map((name) => readFile(join(MIGRATIONS, `${name}.sql`), 'utf8')),
  )
  const client = await openClone()
  await client.query(`
    drop table enrollments, sequence_versions;
    alter table campaigns drop column version, drop column step_count, drop column firsts_queued_count, drop column open_enrollments,
      drop column follow_up_due_at;
    alter table campaigns add constraint campaigns_counts check (dms_queued_count >= 0);
    alter table leads drop column last_claimed_at, drop column last_claimed_campaign_id;
    alter table dms drop column enrollment_id, drop column step_id, drop column step_number, drop column variant_id,
      drop column is_follow_up, drop column is_held;
    drop function date_dms cascade;
    create index dms_next on dms (campaign_id, due_at, id);
    alter table replies drop column label; alter table x_accounts drop column follow_ups_in_row;
    ${earlier?.slice(earlier.indexOf('CREATE OR REPLACE FUNCTION count_dms'))}
    insert into workspaces (name) values ('Acme');
    insert into campaigns (workspace_id, name, message_template, channel, status, kind, queued_at)
      select w.id, c.name, 'Hi', 'api', c.status, c.kind, now() from workspaces w, (values ('live', 'active', 'campaign'), ('gone', 'archived', 'campaign'), ('Direct', 'active', 'direct')) as c (name, status, kind);
    insert into leads (workspace_id, twitter_handle, name) select id, n::text, '' from workspaces, generate_series(1, 6) n;
    insert into dms (workspace_id, campaign_id, lead_id, message, status, sent_at, reason, tried_at)
      select c.workspace_id, c.id, l.id, 'Hi', m.status, m.sent_at, m.reason::jsonb, m.sent_at from campaigns c join (values
        ('live', 1, 'queued', null::timestamptz, null), ('live', 2, 'sent', now(), null), ('live', 3, 'replied', now(), null),
        ('live', 4, 'failed', null, null), ('live', 5, 'failed', null, '{"code":"replied","params":{}}'),
        ('gone', 6, 'queued', null, null), ('Direct', 6, 'sent', now(), null)) as m (campaign, lead, status, sent_at, reason) on m.campaign = c.name
      join leads l on l.twitter_handle = m.lead::text`)
  const counts =
    'select name, dms_queued_count, dms_sent_count, dms_failed_count, dms_replied_count from campaigns order by name'
  const before = (await client.query(counts)).rows
  await client.query(`begin; ${sql}; commit`)

  expect((await client.query(counts)).rows).toEqual(before)
  const { rows: known } = await client.query(`
    select l.twitter_handle as lead, e.state, e.reason ->> 'code' as reason, e.next_step_number as next, e.last_ordinal as last,
      d.step_id = (v.steps -> 0 ->> 'id')::uuid and d.variant_id = (v.steps -> 0 -> 'variants' -> 0 ->> 'id')::uuid as linked
    from enrollments e join leads l on l.id = e.lead_id join dms d on d.enrollment_id = e.id
      join sequence_versions v on v.campaign_id = e.campaign_id and v.version = e.version order by 1`)
  const linked = true
  expect(known).toEqual([
    { lead: '1', state: 'active', reason: null, next: 1, last: null, linked },
    { lead: '2', state: 'finished', reason: null, next: null, last: 0, linked },
    { lead: '3', state: 'replied', reason: 'reply', next: null, last: 0, linked },
    { lead: '4', state: 'failed', reason: null, next: null, last: null, linked },
    { lead: '5', state: 'stopped', reason: 'skipped', next: null, last: null, linked },
    { lead: '6', state: 'stopped', reason: 'archived', next: null, last: null, linked },
  ])
  const { rows: open } = await client.query(
    'select name, open_enrollments as open, firsts_queued_count as firsts from campaigns order by name',
  )
  expect(open).toEqual([
    { name: 'Direct', open: 0, firsts: 0 },
    { name: 'gone', open: 0, firsts: 1 },
    { name: 'live', open: 1, firsts: 1 },
  ])
})

test('0051_people counts the people and the figures of earlier messages', async () => {
  const [sql, before, activity] = await Promise.all(
    ['0051_people', '0049_sequences', '0023_activity'].map((name) => readFile(join(MIGRATIONS, `${name}.sql`), 'utf8')),
  )
  const definition = (file = '', start = '') => file.slice(file.indexOf(start)).split('--> statement-breakpoint')[0]
  const client = await openClone()
  await client.query(`
    alter table campaigns drop column people_messaged, drop column people_replied, drop column people_positive;
    drop index dms_variants; create index dms_variants on dms (campaign_id, variant_id, status) where sent_at is not null;
    alter table dms drop column answers, drop column person_answers;
    alter table dm_activity drop constraint dm_activity_key, drop column variant_id, drop column x_account_id, drop column user_id, drop column failed,
      drop column answered, drop column positive, drop column opted_out, drop column people, drop column people_replied,
      drop column people_positive, drop column people_opted_out;
    alter table dm_activity add constraint dm_activity_campaign_id_slot_pk primary key (campaign_id, slot);
    drop function date_dms cascade;
    ${definition(before, 'CREATE OR REPLACE FUNCTION count_dms')}
    ${definition(activity, 'CREATE FUNCTION date_dms')}
    create trigger dms_dated_insert after insert on dms referencing new table as added for each statement execute function date_dms();
    create trigger dms_dated_update after update on dms referencing old table as removed new table as added for each statement execute function date_dms();
    insert into workspaces (name) values ('Acme');
    insert into campaigns (workspace_id, name, message_template, channel, status, kind)
      select id, kind, 'Hi', 'api', 'active', kind from workspaces, unnest(array['campaign', 'direct']) kind;
    insert into leads (workspace_id, twitter_handle, name) select id, n::text, '' from workspaces, generate_series(1, 4) n;
    insert into dms (workspace_id, campaign_id, lead_id, enrollment_id, message, status, sent_at)
      select c.workspace_id, c.id, l.id, case c.kind when 'campaign' then l.id end, 'Hi', s.status, case when s.status <> 'failed' then now() end
      from campaigns c cross join (values ('1', 'sent'), ('2', 'replied'), ('3', 'replied'), ('4', 'failed')) s (lead, status)
        join leads l on l.twitter_handle = s.lead;
    insert into replies (workspace_id, lead_id, dm_id, account_x_user_id, x_event_id, kind, label, at)
      select d.workspace_id, d.lead_id, d.id, '1', d.id, 'reply', 'opted_out', now() from dms d join leads l on l.id = d.lead_id where l.twitter_handle = '3'`)
  await client.query(`begin; ${sql}; commit`)

  const people = 'select name, people_messaged as messaged, people_replied as replied from campaigns order by name'
  expect((await client.query(people)).rows).toEqual([
    { name: 'campaign', messaged: 3, replied: 2 },
    { name: 'direct', messaged: 0, replied: 0 },
  ])
  const { rows } = await client.query(`
    select c.name, sum(sent)::int as sent, sum(answered)::int as answered, sum(opted_out)::int as out, sum(failed)::int as failed,
      sum(people)::int as people, sum(people_opted_out)::int as people_out
    from dm_activity a join campaigns c on c.id = a.campaign_id group by 1 order by 1`)
  const figures = { sent: 3, answered: 2, out: 1, failed: 1 }
  expect(rows).toEqual([
    { name: 'campaign', ...figures, people: 3, people_out: 1 },
    { name: 'direct', ...figures, people: 0, people_out: 0 },
  ])
})

test('0058_conversations starts a conversation for everyone who has replied', async () => {
  const sql = await readFile(join(MIGRATIONS, '0058_conversations.sql'), 'utf8')
  const client = await openClone()
  await client.query(`
    insert into workspaces (name) values ('Acme');
    insert into x_accounts (workspace_id, x_user_id, handle, status) select id, '1', 'acme', 'connected' from workspaces;
    insert into campaigns (workspace_id, name, message_template, channel, status) select id, 'Spring', 'Hi', 'api', 'active' from workspaces;
    insert into leads (workspace_id, twitter_handle, name) select id, handle, '' from workspaces, unnest(array['ana', 'ben', 'written']) handle;
    insert into dms (workspace_id, campaign_id, x_account_id, lead_id, message, status, sent_at)
      select c.workspace_id, c.id, a.id, l.id, 'Hi', 'sent', now() - interval '40 days' from campaigns c, x_accounts a, leads l;
    insert into replies (workspace_id, lead_id, dm_id, account_x_user_id, x_event_id, kind, label, at)
      select l.workspace_id, l.id, d.id, '1', s.text, s.kind, s.label, now() - s.days * interval '1 day'
      from (values ('ana', 'a1', 'reply', 'later', 39), ('ana', 'a2', 'reply', 'auto_reply', 38), ('ben', 'b1', 'reply', 'opted_out', 10),
        ('ben', 'b2', 'reply', 'interested', 9), ('ben', 'b3', 'written', null, 8), ('written', 'w1', 'written', null, 1)) s (lead, text, kind, label, days)
        join leads l on l.twitter_handle = s.lead join dms d on d.lead_id = l.id`)
  await client.query(sql.slice(sql.indexOf('-- Every lead')))

  const { rows } = await client.query(`
    select l.twitter_handle as lead, c.status, c.label, c.is_unread, c.is_last_ours, r.x_event_id as last, campaigns.name as campaign
    from conversations c join leads l on l.id = c.lead_id join replies r on r.id = c.last_message_id join campaigns on campaigns.id = c.campaign_id order by 1`)
  const read = { is_unread: false, campaign: 'Spring' }
  expect(rows).toEqual([
    { lead: 'ana', status: 'done', label: 'later', is_last_ours: false, last: 'a2', ...read },
    { lead: 'ben', status: 'open', label: 'opted_out', is_last_ours: true, last: 'b3', ...read },
  ])
  expect((await client.query('select open, unread, snoozed from conversation_counts')).rows).toEqual([
    { open: 1, unread: 0, snoozed: 0 },
  ])
})

test('0087_reward_times gives earlier achievements without months of Pro a reward, with the time they were earned', async () => {
  const sql = await readFile(join(MIGRATIONS, '0087_reward_times.sql'), 'utf8')
  const client = await openClone()
  await client.query(`
    insert into auth_users (name, email, email_verified) values ('Ada', 'ada@example.com', true);
    insert into users (email, normalized_email, achievements, position, joined_at, account_user_id)
      select email, email, '{pioneer,bronze,viral,global}', 1, '2026-01-01T00:00:00Z', id from auth_users;
    insert into users (email, normalized_email, achievements) values ('lost@example.com', 'lost@example.com', '{viral}');
    insert into reward_grants (member_id, achievement, months, granted_at)
      select id, 'bronze', 1, '2026-02-01T00:00:00Z' from users where position = 1;
    with friends as (insert into users (email) select null from generate_series(1, 6) returning id)
    insert into referrals (member_id, referrer_id, status, country, credit_number, credited_at)
      select f.id, u.id, 'credited', (array['DE', 'DE', 'FR', null, 'US', 'JP'])[n], n, '2026-03-01T00:00:00Z'::timestamptz + n * interval '1 hour'
      from (select id, row_number() over () as n from friends) f, (select id from users where position = 1) u`)
  await client.query(sql)
  const { rows } = await client.query(`
    select achievement, months, g.account_user_id is not null as "hasAccount", granted_at as at
    from reward_grants g join users u on u.id = member_id where u.position = 1 order by granted_at, achievement`)
  expect(rows).toEqual([
    { achievement: 'pioneer', months: 0, hasAccount: true, at: new Date('2026-01-01T00:00:00Z') },
    { achievement: 'bronze', months: 1, hasAccount: false, at: new Date('2026-02-01T00:00:00Z') },
    { achievement: 'global', months: 0, hasAccount: true, at: new Date('2026-03-01T05:00:00Z') },
    { achievement: 'viral', months: 0, hasAccount: true, at: new Date('2026-03-01T05:00:00Z') },
  ])
  const lost = await client.query(
    `select granted_at > now() - interval '1 minute' as "isNow" from reward_grants where achievement = 'viral' and account_user_id is null`,
  )
  expect(lost.rows).toEqual([{ isNow: true }])
})

test('0102_lead_limits stores the words of existing bios', async () => {
  const sql = await readFile(join(MIGRATIONS, '0102_lead_limits.sql'), 'utf8')
  const client = await openClone()
  await client.query(`
    alter table leads drop column bio_words;
    drop function bio_query, bio_words, bio_tokens;
    drop table lead_bytes;
    insert into workspaces (name) values ('Acme');
    insert into leads (workspace_id, twitter_handle, name, bio)
      select id, handle, '', bio from workspaces, (values ('ana', 'Founder, of ACME_1'), ('ben', repeat('b', 5000)), ('cem', null)) old (handle, bio)`)
  await client.query(sql)
  const { rows } = await client.query(
    "select twitter_handle, bio_words @@ bio_query('acme_1') as has, length(bio_words) as words from leads order by 1",
  )
  expect(rows).toEqual([
    { twitter_handle: 'ana', has: true, words: 3 },
    { twitter_handle: 'ben', has: false, words: 1 },
    { twitter_handle: 'cem', has: false, words: 0 },
  ])
})
