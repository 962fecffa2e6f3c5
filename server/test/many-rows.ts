import { sql } from 'drizzle-orm'
import { recountMessages } from '../src/core/messages/counts.ts'
import { recountLeads } from '../src/core/people/lead-counts.ts'
import type { Writer } from './matching.ts'

// Inserts rows in bulk, because adding them through the product would take minutes.

type Workspace = { workspaceId: string }

/**
 * Adds leads for tests of paging: their names, descriptions and follower counts repeat every ten,
 * so that sorting has ties. Each lead is a minute older than the previous one.
 */
export async function fillLeads({ db }: Writer, { workspaceId }: Workspace, count: number): Promise<void> {
  await db.execute(sql`
    insert into leads (workspace_id, twitter_handle, name, bio, follower_count, dm_status, created_at)
    select ${workspaceId}::uuid, 'deep_' || n, 'Name ' || n % 10, case when n % 3 > 0 then 'Founder ' || n % 10 end, n % 10,
      case when n % 5 = 0 then 'queued' else 'not_sent' end, now() - make_interval(mins => n)
    from generate_series(1, ${count}::int) n`)
  await recountLeads(db)
  await db.execute(sql`analyze leads, lead_standings`)
}

/** Adds leads with follower counts below 1,000. Groups of seven have the same creation time. */
export async function fillLeadsTogether({ db }: Writer, { workspaceId }: Workspace, count: number): Promise<void> {
  await db.execute(sql`
    insert into leads (workspace_id, name, twitter_handle, follower_count, created_at)
    select ${workspaceId}::uuid, 'Lead ' || n, 'lead_' || n, n % 1000, now() - n / 7 * interval '1 second'
    from generate_series(1, ${count}::int) n`)
  await recountLeads(db)
}

/**
 * Fills the database for tests of query plans: 3,000 leads in this workspace and more in 300
 * others. Each workspace has a list, a tag, a campaign and a scrape with all its leads, and
 * messages and suppressions.
 */
export async function fillForPlans({ db }: Writer, { workspaceId }: Workspace): Promise<void> {
  const statements = [
    sql`insert into workspaces (name) select 'other' from generate_series(1, 300)`,
    sql`
      insert into leads (workspace_id, x_user_id, name, twitter_handle, bio, follower_count, dm_status, created_at)
      select ${workspaceId}::uuid, n::text, 'Lead ' || n, 'lead_' || n, 'founder', n % 1000,
        (array['not_sent', 'queued', 'sent', 'failed'])[1 + n % 4], now() - n * interval '1 second'
      from generate_series(1, 3000) n`,
    sql`
      insert into leads (workspace_id, name, twitter_handle, dm_status)
      select id, 'Lead', 'lead_' || n, 'sent' from workspaces, generate_series(1, 20) n where name = 'other'`,
    sql`insert into lead_lists (workspace_id, name) select id, 'l' from workspaces`,
    sql`insert into tags (workspace_id, name, color) select id, 't', 'gray' from workspaces`,
    sql`
      insert into campaigns (workspace_id, name, message_template, channel, status)
      select id, 'c', 'm', 'api', 'paused' from workspaces`,
    sql`
      insert into lead_list_items (lead_list_id, lead_id)
      select ll.id, l.id from lead_lists ll join leads l using (workspace_id)`,
    sql`insert into lead_tags (tag_id, lead_id) select t.id, l.id from tags t join leads l using (workspace_id)`,
    sql`
      insert into scrapes (workspace_id, twitter_handle, type, min_followers, max_followers, keywords, max_results)
      select id, 'x', 'followers', 0, 1, '[]', 1 from workspaces`,
    sql`insert into scrape_leads (scrape_id, lead_id) select s.id, l.id from scrapes s join leads l using (workspace_id)`,
    sql`
      insert into dms (workspace_id, lead_id, campaign_id, enrollment_id, message, status, sent_at)
      select workspace_id, l.id, c.id, gen_random_uuid(), 'm', case when is_sent then 'sent' else 'queued' end,
        case when is_sent then now() end
      from campaigns c
      join leads l using (workspace_id)
      cross join lateral (select l.twitter_handle < 'lead_2' as is_sent) s`,
    sql`
      insert into suppressions (workspace_id, twitter_handle, x_user_id, reason)
      select id, 'gone_' || n, (1000000 + n)::text, 'manual' from workspaces, generate_series(1, 20) n`,
    sql`
      insert into x_accounts (workspace_id, x_user_id, handle, status, last_connected_at)
      values (${workspaceId}, '1', 'ana', 'connected', now())`,
  ]
  for (const statement of statements) await db.execute(statement)
  await recountLeads(db)
  await recountMessages(db)
}

/** Copies a campaign `count` times. Each copy counts one person as messaged at `at`. */
export async function copyCampaign({ db }: Writer, id: string, count: number, at: Date): Promise<void> {
  await db.execute(sql`
    with added as (
      insert into campaigns (workspace_id, user_id, name, message_template, channel, kind, status)
      select workspace_id, user_id, 'Copy ' || n, message_template, channel, kind, status
      from campaigns, generate_series(1, ${count}::int) n
      where id = ${id}
      returning id, workspace_id
    )
    insert into dm_activity (workspace_id, campaign_id, slot, people)
    select workspace_id, id, ${at.toISOString()}::timestamptz, 1 from added`)
}
