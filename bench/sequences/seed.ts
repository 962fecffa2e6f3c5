import type pg from 'pg'
import { newSteps, ONE_STEP } from '../../server/src/core/sequences/steps.ts'
import type { VersionStep } from '../../server/src/core/tables/sequences.ts'
import type { Database } from '../../server/src/db/open.ts'
import { OPERATOR_APP_ID } from '../../server/src/domains/platform/x-apps/tables.ts'
import { recount } from '../measuring/recount.ts'

/** Two variants, and a follow-up after a day. */
export const STEPS: readonly VersionStep[] = newSteps({
  steps: [
    { ...ONE_STEP, variants: ['Hi {lead_name}', 'Hello {lead_name}'].map(variantOf) },
    { ...ONE_STEP, delay: { amount: 1, unit: 'days' }, variants: [variantOf('Did you see it, {lead_name}?')] },
  ],
})

function variantOf(messageTemplate: string) {
  return { messageTemplate, weight: 1, isActive: true }
}

type Run = (text: string, values?: unknown[]) => Promise<pg.QueryResult>

/** Empties and refills the database. */
async function fill({ connect }: Database, work: (run: Run) => Promise<void>): Promise<void> {
  const client = await connect()
  // Inserting a million rows takes minutes.
  client.allowSilence(0)
  const run: Run = (text, values) => client.query(text, values)
  try {
    await run('truncate workspaces, reply_watches cascade')
    await run('insert into x_apps (id) values ($1) on conflict do nothing', [OPERATOR_APP_ID])
    await work(run)
    await recount(client)
    await run('vacuum analyze')
  } finally {
    await client.end()
  }
}

async function countLists(run: Run): Promise<void> {
  await run(
    `update lead_lists l set (lead_count, contacted_count) = (
       select count(*), count(*) filter (where i.contact_status = 'contacted')
       from lead_list_items i where i.lead_list_id = l.id)`,
  )
}

/** Creates workspaces, each with an X account with live detection and `campaigns` active campaigns on a list. */
async function insertCampaigns(run: Run, seal: (text: string) => string, accounts: number, campaigns: number) {
  await run(
    `with w as (insert into workspaces (name) select 'bench' from generate_series(1, $1::int) returning id),
     a as (
       insert into x_accounts (workspace_id, x_user_id, handle, status, sealed_access_token, access_token_expires_at, last_connected_at)
       select id, (row_number() over ())::text, 'bench', 'connected', $2, now() + interval '1 hour', now() from w returning *
     ), watched as (
       insert into reply_watches (x_user_id, webhook_id, subscription_ids, read_until) select x_user_id, 'bench', '{bench}', now() + interval '1 day' from a
     ), l as (
       insert into lead_lists (workspace_id, name) select id, 'bench' from w returning id, workspace_id
     ), c as (
       insert into campaigns (workspace_id, name, lead_list_id, message_template, channel, x_account_id, status, queued_at, step_count)
       select a.workspace_id, n::text, l.id, 'Hi {lead_name}', 'api', a.id, 'active', now(), 2
       from a join l on l.workspace_id = a.workspace_id, generate_series(0, $3::int - 1) n returning id, workspace_id
     )
     insert into sequence_versions (workspace_id, campaign_id, version, steps) select workspace_id, id, 1, $4::jsonb from c`,
    [accounts, seal('token'), campaigns, JSON.stringify(STEPS)],
  )
}

/** Adds leads to every workspace, numbered by `follower_count`. @param more SQL for `closed_to` and `replied_at` */
async function insertLeads(run: Run, count: number, more = 'null, null'): Promise<void> {
  await run(
    `insert into leads (workspace_id, x_user_id, x_user_checked_at, name, twitter_handle, dm_status, follower_count, closed_to, replied_at)
     select w.id, (1000000 + n)::text, now(), 'Lead ' || n, 'lead_' || n, 'contacted', n, ${more} from workspaces w, generate_series(1, $1::int) n`,
    [count],
  )
}

/** SQL for a message's step and variant. @param variant SQL for the variant's position in the step */
function stepColumns(number: number, variant = '0'): string {
  const step = STEPS[number - 1]
  const ids = step?.variants.map(({ id }) => `'${id}'`).join(',')
  return `'${step?.id}'::uuid, ${number}, (array[${ids}]::uuid[])[1 + ${variant}]`
}

/**
 * Creates people who got their first message. For a tenth of them, spread evenly over campaigns, the
 * follow-up is due within a day; for the others, within ten days.
 */
export async function fillFollowUps(
  database: Database,
  sealer: { seal(text: string): string },
  { accounts, campaigns, people }: { accounts: number; campaigns: number; people: number },
): Promise<void> {
  await fill(database, async (run) => {
    await insertCampaigns(run, sealer.seal, accounts, campaigns)
    await insertLeads(run, people / accounts)
    await run(
      `insert into lead_list_items (lead_list_id, lead_id, contact_status)
       select ll.id, l.id, 'contacted' from lead_lists ll join leads l on l.workspace_id = ll.workspace_id`,
    )
    await countLists(run)
    await run(
      `with e as (
         insert into enrollments (workspace_id, campaign_id, lead_id, version, x_account_id, last_step_id, last_step_number, last_ordinal, last_sent_at,
           next_step_number, next_at)
         select c.workspace_id, c.id, l.id, 1, c.x_account_id, $1, 1, 0, now() - interval '3 days', 2,
           now() + make_interval(hours => 1 + 24 * (l.follower_count / $2::int % 10), secs => 82800 * random())
         from campaigns c join leads l on l.workspace_id = c.workspace_id and l.follower_count % $2::int = c.name::int
         returning *
       )
       insert into dms (workspace_id, lead_id, campaign_id, enrollment_id, step_id, step_number, variant_id, message, status, sent_at, claimed_at,
         tried_at, x_account_id, x_event_id)
       select workspace_id, lead_id, campaign_id, id, ${stepColumns(1)}, 'Hi', 'sent', last_sent_at, last_sent_at, last_sent_at, x_account_id, 'seed ' || id
       from e`,
      [STEPS[0]?.id, campaigns],
    )
    await run(
      `update campaigns c set open_enrollments = e.open, total_leads_in_list = e.open, follow_up_due_at = e.due_at
       from (select campaign_id, count(*) as open, min(next_at) as due_at from enrollments group by 1) e where e.campaign_id = c.id`,
    )
  })
}

/** Makes the follow-ups of `count` people due now, in each of some campaigns. */
export async function makeDue(
  { pool }: Database,
  { offset, campaigns, count }: Record<'offset' | 'campaigns' | 'count', number>,
) {
  await pool.query(
    `with chosen as (select id, workspace_id from campaigns order by id offset $1 limit $2), due as (
       update enrollments e set next_at = now() from chosen cross join lateral (
         select id from enrollments where workspace_id = chosen.workspace_id and campaign_id = chosen.id and next_at is not null order by next_at, id limit $3
       ) first where e.workspace_id = chosen.workspace_id and e.id = first.id
     )
     update campaigns set follow_up_due_at = now() where id in (select id from chosen)`,
    [offset, campaigns, count],
  )
}

/** Creates a campaign that has sent messages for a year, to people in every state. @returns the campaign's ids */
export async function fillCampaign(
  database: Database,
  sealer: { seal(text: string): string },
  people: number,
): Promise<{ id: string; workspaceId: string }> {
  await fill(database, async (run) => {
    await insertCampaigns(run, sealer.seal, 1, 1)
    await insertLeads(run, people)
    // Of every hundred people, 50 wait for the follow-up and 10 for the first message.
    await run(
      `insert into enrollments (workspace_id, campaign_id, lead_id, version, x_account_id, state, reason, last_step_id, last_step_number, last_ordinal,
         last_sent_at, next_step_number, next_at, paused_until, is_unqueued)
       select c.workspace_id, c.id, l.id, 1, case when had > 0 then c.x_account_id end, state,
         case state when 'replied' then '{"code": "reply", "params": {}}'::jsonb when 'paused' then '{"code": "auto_reply", "params": {}}' end,
         case had when 1 then $1::uuid when 2 then $2::uuid end, nullif(had, 0), nullif(had, 0) - 1, case when had > 0 then sent_at end,
         case when state in ('active', 'paused') then had + 1 end,
         case when (state = 'active' and p < 50) or state = 'paused' then now() + make_interval(secs => 864000 * random()) end,
         case when state = 'paused' then now() + interval '9 days' end, p in (60, 61)
       from campaigns c, leads l cross join lateral (select l.follower_count % 100 as p, now() - make_interval(secs => 31536000 * random()) as sent_at) d
       cross join lateral (select case when p < 62 then 'active' when p < 80 then 'finished' when p < 90 then 'replied' when p = 90 then 'opted_out'
         when p < 94 then 'failed' when p < 97 then 'stopped' else 'paused' end as state,
         case when p < 50 or p between 55 and 59 then 1 when p between 62 and 90 then 1 + (p % 2) when p > 96 then 1 else 0 end as had) s`,
      [STEPS[0]?.id, STEPS[1]?.id],
    )
    const columns = `workspace_id, lead_id, campaign_id, enrollment_id, step, step_id, step_number, variant_id, message, status, reason, error_message,
      refusal, sent_at, claimed_at, tried_at, delivered_at, replied_at, answers, person_answers, x_account_id, x_event_id, is_follow_up, created_at`
    const replyCount = `case e.state when 'replied' then 1 + 2 * (l.follower_count / 100 % 3 = 0)::int when 'opted_out' then 5 else 0 end`
    const sentRows = (number: number) => `
      insert into dms (${columns})
      select e.workspace_id, e.lead_id, e.campaign_id, e.id, ${number - 1}, ${stepColumns(number, number === 1 ? 'l.follower_count / 100 % 2' : '0')}, 'Hi',
        case when e.last_step_number = ${number} and e.state in ('replied', 'opted_out') then 'replied' when l.follower_count % 2 = 0 then 'delivered' else 'sent' end,
        null, null, null, at, at, at, case when l.follower_count % 2 = 0 or e.state in ('replied', 'opted_out') then at end,
        case when e.last_step_number = ${number} and e.state in ('replied', 'opted_out') then at end,
        case when e.last_step_number = ${number} then ${replyCount} else 0 end, ${number === 1 ? replyCount : '0'}, e.x_account_id,
        'seed ${number} ' || e.id, ${number > 1}, at
      from enrollments e join leads l on l.id = e.lead_id, lateral (select e.last_sent_at - make_interval(days => e.last_step_number - ${number}) as at) t
      where e.last_step_number >= ${number}`
    await run(sentRows(1))
    await run(sentRows(2))
    await run(
      `insert into dms (${columns})
       select e.workspace_id, e.lead_id, e.campaign_id, e.id, coalesce(e.last_ordinal + 1, 0),
         ${stepColumns(1, 'l.follower_count / 100 % 2')}, 'Hi', case when e.state = 'active' then 'queued' else 'failed' end,
         case when e.state = 'stopped' then '{"code": "no_basis", "params": {}}'::jsonb end, case when e.state = 'failed' then 'X refused it' end,
         case when e.state = 'failed' then 'refused' end, null, case when e.state = 'failed' then now() - make_interval(secs => 31536000 * random()) end,
         null, null, null, 0, 0, null, null, false, now() - interval '1 day'
       from enrollments e join leads l on l.id = e.lead_id
       where e.last_step_number is null and not e.is_unqueued and e.state in ('active', 'failed', 'stopped')`,
    )
    await run(
      `insert into dms (${columns})
       select e.workspace_id, e.lead_id, e.campaign_id, e.id, 1, ${stepColumns(2)}, 'Hi', 'queued', null, null, null, null, null, null, null, null, 0, 0,
         e.x_account_id, null, true, now()
       from enrollments e where e.state = 'active' and e.last_step_number = 1 and e.next_at is null`,
    )
    await run(
      `update campaigns c set total_leads_in_list = $1, open_enrollments = e.open, follow_up_due_at = e.due_at
       from (select count(*) filter (where state in ('active', 'paused')) as open, min(next_at) as due_at from enrollments) e`,
      [people],
    )
  })
  const { rows } = await database.pool.query('select id, workspace_id as "workspaceId" from campaigns')
  return rows[0]
}

/** Creates a list of leads, some of whom were messaged, replied or closed their inbox. @returns the list's ids */
export async function fillList(
  database: Database,
  sealer: { seal(text: string): string },
  people: number,
): Promise<{ id: string; workspaceId: string }> {
  await fill(database, async (run) => {
    await insertCampaigns(run, sealer.seal, 1, 1)
    await insertLeads(run, people, `case when n % 20 = 0 then '1' end, case when n % 50 = 0 then now() end`)
    await run(
      `insert into lead_list_items (lead_list_id, lead_id) select ll.id, l.id from lead_lists ll join leads l on l.workspace_id = ll.workspace_id`,
    )
    await countLists(run)
    await run(
      `insert into dms (workspace_id, lead_id, campaign_id, message, status, sent_at, claimed_at)
       select c.workspace_id, l.id, c.id, 'Hi', 'sent', now() - interval '9 days', now() - interval '9 days'
       from campaigns c join leads l on l.workspace_id = c.workspace_id where l.follower_count % 4 = 0`,
    )
  })
  const { rows } = await database.pool.query('select id, workspace_id as "workspaceId" from lead_lists')
  return rows[0]
}
