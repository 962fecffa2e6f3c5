import { sql } from 'drizzle-orm'
import { updateMessages } from '../../server/src/core/messages/counts.ts'
import type { Database } from '../../server/src/db/open.ts'
import { OPERATOR_APP_ID } from '../../server/src/domains/platform/x-apps/tables.ts'
import { recount } from '../measuring/recount.ts'

/** Recreates workspaces, each with an X account, a list with leads and a launched campaign. */
export async function fillQueue(
  { connect }: Database,
  sealer: { seal(text: string): string },
  { accounts, messages, queued = true }: { accounts: number; messages: number; queued?: boolean },
): Promise<void> {
  const client = await connect()
  // Inserting a million rows takes minutes.
  client.allowSilence(0)
  const run = (text: string, values?: unknown[]) => client.query(text, values)
  try {
    await run('truncate workspaces cascade')
    await run('insert into x_apps (id) values ($1) on conflict do nothing', [OPERATOR_APP_ID])
    await run(
      `with w as (insert into workspaces (name) select 'bench' from generate_series(1, $1::int) returning id),
       a as (
         insert into x_accounts (workspace_id, x_user_id, handle, status, sealed_access_token, access_token_expires_at, last_connected_at)
         select id, (row_number() over ())::text, 'bench', 'connected', $2, now() + interval '1 hour', now() from w returning id, workspace_id
       ), l as (
         insert into lead_lists (workspace_id, name) select id, 'bench' from w returning id, workspace_id
       )
       insert into campaigns (workspace_id, name, lead_list_id, message_template, channel, x_account_id, status, queued_at, total_leads_in_list)
       select a.workspace_id, 'bench', l.id, 'Hi {lead_name}', 'api', a.id, 'active', now(), $3::int
       from a join l on l.workspace_id = a.workspace_id`,
      [accounts, sealer.seal('token'), messages / accounts],
    )
    await run(
      `insert into leads (workspace_id, x_user_id, x_user_checked_at, name, twitter_handle, dm_status)
       select w.id, (1000000 + n)::text, now(), 'Lead ' || n, 'lead_' || n, $2 from workspaces w, generate_series(1, $1::int) n`,
      [messages / accounts, queued ? 'queued' : 'not_sent'],
    )
    await run(
      'insert into lead_list_items (lead_list_id, lead_id) select ll.id, l.id from lead_lists ll join leads l on l.workspace_id = ll.workspace_id',
    )
    await run(
      'update lead_lists l set lead_count = (select count(*) from lead_list_items i where i.lead_list_id = l.id)',
    )
    if (queued)
      await run(
        `with v as (
           insert into sequence_versions (workspace_id, campaign_id, version, steps)
           select workspace_id, id, 1, jsonb_build_array(jsonb_build_object('id', new_id())) from campaigns returning *
         ), e as (
           insert into enrollments (workspace_id, campaign_id, lead_id, version, next_step_number)
           select l.workspace_id, c.id, l.id, 1, 1 from campaigns c join leads l on l.workspace_id = c.workspace_id returning *
         ), counted as (
           update campaigns set open_enrollments = total_leads_in_list
         )
         insert into dms (workspace_id, lead_id, campaign_id, enrollment_id, step_id, step_number, message)
         select l.workspace_id, l.id, e.campaign_id, e.id, (v.steps -> 0 ->> 'id')::uuid, 1, 'Hi ' || l.name
         from e join leads l on l.id = e.lead_id join v on v.campaign_id = e.campaign_id`,
      )
    await recount(client)
    await run('vacuum analyze')
    await run('update x_accounts set next_send_at = now()')
  } finally {
    await client.end()
  }
}

/**
 * Marks messages of each campaign as sent two days ago, ready for replies. @returns X ids of leads
 * and accounts
 */
export async function sendSome(
  { db, pool }: Database,
  each: number,
): Promise<{ leadXUserId: string; accountXUserId: string }[]> {
  await updateMessages(
    db,
    sql`dms.id in (
      select d.id from campaigns o cross join lateral (
        select id from dms where campaign_id = o.id and status = 'queued' order by due_at desc, id desc limit ${each}
      ) d)`,
    sql`status = 'sent', sent_at = now() - interval '2 days', claimed_at = now() - interval '2 days',
      tried_at = now() - interval '2 days', x_event_id = 'seed ' || dms.id,
      x_account_id = (select c.x_account_id from campaigns c where c.id = dms.campaign_id)`,
  )
  const { rows } = await pool.query(
    `select l.x_user_id as "leadXUserId", a.x_user_id as "accountXUserId"
     from dms d join leads l on l.id = d.lead_id join x_accounts a on a.id = d.x_account_id where d.status = 'sent' and d.x_event_id like 'seed %'
     order by d.id`,
  )
  return rows
}
