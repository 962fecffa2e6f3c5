import { REPLY_LABELS } from '../../contract/src/reply-labels.ts'
import type { Database } from '../../server/src/db/open.ts'
import { writeCursor } from '../../server/src/db/paging.ts'
import { recount } from '../measuring/recount.ts'

/** Creates conversations of the workspace's X account, each with a campaign message and two replies. */
export async function fillConversations(
  { connect, pool }: Database,
  { workspaceId, userId, count }: { workspaceId: string; userId: string; count: number },
) {
  const client = await connect()
  client.allowSilence(0)
  try {
    await client.query(
      `insert into leads (workspace_id, name, twitter_handle, dm_status, follower_count, replied_at)
       select $1, 'Person ' || n, 'lead_' || n, 'contacted', n, now() from generate_series(1, $2::int) n`,
      [workspaceId, count],
    )
    await client.query(
      `with l as (insert into lead_lists (workspace_id, name) values ($1, 'inbox') returning id)
       insert into campaigns (workspace_id, name, lead_list_id, message_template, channel, x_account_id, status, queued_at)
       select $1, n::text, l.id, 'Hi', 'api', a.id, 'completed', now() from l join x_accounts a on a.workspace_id = $1, generate_series(0, 4) n`,
      [workspaceId],
    )
    await client.query(
      `insert into dms (workspace_id, lead_id, campaign_id, message, status, sent_at, claimed_at, tried_at, replied_at, x_account_id, x_event_id)
       select l.workspace_id, l.id, c.id, 'Hi ' || l.name || ', may I show you how teams like yours save an hour a day?', 'replied', at, at, at, at,
         c.x_account_id, 'inbox ' || l.follower_count
       from leads l join campaigns c on c.workspace_id = l.workspace_id and c.name::int = l.follower_count % 5,
         lateral (select now() - make_interval(days => 2, secs => 20 * l.follower_count) as at) sent where l.workspace_id = $1`,
      [workspaceId],
    )
    await client.query(
      `insert into replies (workspace_id, lead_id, dm_id, account_x_user_id, x_event_id, kind, text, label, at)
       select d.workspace_id, l.id, d.id, a.x_user_id, d.x_event_id || ' ' || place, 'reply', case place
           when 1 then 'Thanks for your message. We are a team of ' || l.follower_count % 97 || ' and look at tools like this every quarter.'
           else case l.follower_count % 3 when 0 then 'What about pricing for ' || l.follower_count % 53 || ' people?' else 'Could you tell me more about it?' end
             || case when l.follower_count % 1000 = 0 then ' Please send an invoice.' else '' end end,
         ($2::text[])[1 + l.follower_count % 8], d.sent_at + make_interval(hours => place)
       from dms d join leads l on l.id = d.lead_id join x_accounts a on a.id = d.x_account_id, generate_series(1, 2) place where d.workspace_id = $1`,
      [workspaceId, REPLY_LABELS],
    )
    await client.query(
      `insert into conversations (workspace_id, lead_id, account_x_user_id, campaign_id, sort_at, last_message_id, last_message_at, label, confidence,
         status, snoozed_until, is_unread, assignee_id)
       select r.workspace_id, r.lead_id, r.account_x_user_id, d.campaign_id, r.at, r.id, r.at, r.label, 0.9,
         s.status, case s.status when 'snoozed' then now() + interval '1 day' end, n % 7 = 0, case when n % 20 = 0 then $2::uuid end
       from replies r join dms d on d.id = r.dm_id join leads l on l.id = r.lead_id, lateral (select l.follower_count as n) lead,
         lateral (select case when n % 10 < 6 then 'done' when n % 10 < 9 then 'open' else 'snoozed' end as status) s
       where r.workspace_id = $1 and r.x_event_id like '% 2'`,
      [workspaceId, userId],
    )
    await client.query(
      `insert into conversation_counts (workspace_id, open, unread, snoozed)
       select $1, count(*) filter (where status = 'open'), count(*) filter (where is_unread), count(*) filter (where status = 'snoozed')
       from conversations where workspace_id = $1`,
      [workspaceId],
    )
    for (const [name, divisor] of [
      ['Warm', 10],
      ['Rare', 1_000],
    ])
      await client.query(
        `with t as (insert into tags (workspace_id, name, color) values ($1, $2, 'blue') returning id)
         insert into lead_tags (tag_id, lead_id) select t.id, l.id from t, leads l where l.workspace_id = $1 and l.follower_count % $3::int = 7`,
        [workspaceId, name, divisor],
      )
    await client.query('update tags t set lead_count = (select count(*) from lead_tags g where g.tag_id = t.id)')
    await recount(client)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
  const { rows: samples } = await pool.query<Record<'campaignId' | 'xAccountId' | 'accountXUserId' | 'leadId', string>>(
    `select c.campaign_id as "campaignId", a.id as "xAccountId", a.x_user_id as "accountXUserId", c.lead_id as "leadId"
     from conversations c join x_accounts a on a.workspace_id = c.workspace_id where c.workspace_id = $1 limit 1`,
    [workspaceId],
  )
  const { rows: middle } = await pool.query<{ id: string; at: Date }>(
    `select id, sort_at as at from conversations where workspace_id = $1 order by sort_at desc, id desc offset $2 limit 1`,
    [workspaceId, Math.floor(count / 2)],
  )
  const { rows: repliers } = await pool.query<{ id: string; handle: string }>(
    `select c.id, l.twitter_handle as handle from conversations c join leads l on l.id = c.lead_id where c.workspace_id = $1
     order by md5(c.id::text) limit 1000`,
    [workspaceId],
  )
  const [sample, deep] = [samples[0], middle[0]]
  if (!sample || !deep) throw new Error('no conversation was inserted')
  return { ...sample, cursor: writeCursor(deep), repliers }
}
