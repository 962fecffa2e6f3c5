import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { lockRows } from '../../db/transact.ts'
import { mergeConversations } from '../conversations/of-leads.ts'
import { mergeOpeners } from '../openers/of-leads.ts'
import { campaigns } from '../tables/campaigns.ts'
import { isIdConfirmed, leads } from '../tables/leads.ts'
import { dms, mayGoOut } from '../tables/messages.ts'
import { addEntries, addFinds, addTaggings, deleteLinks } from './counts.ts'
import { isSameHandle } from './identity.ts'
import { countedLead, countLeads, deleteLeads } from './lead-counts.ts'
import { incoming } from './stage-table.ts'

const [kept, gone, other, lead] = [alias(leads, 'kept'), alias(leads, 'gone'), alias(leads, 'other'), alias(leads, 'l')]
const message = alias(dms, 'd')
const campaign = alias(campaigns, 'c')

/**
 * The same person can exist twice: once by X id, once by imported handle. Merges the second lead
 * into the first, with lists, messages and contact history. @param isFromX the staged ids come from
 * X
 */
export async function mergeDuplicateLeads(tx: Db, workspaceId: string, isFromX: boolean): Promise<void> {
  const own = sql`${workspaceId}::uuid`
  // If a lead's id comes only from a file, X must show the id with the lead's handle.
  const hasSameHandle = isSameHandle(kept, incoming)
  const isKept = isFromX ? sql`(${hasSameHandle} or ${isIdConfirmed(kept)})` : hasSameHandle
  // A lead that is about to lose a wrong id may be a second lead with the same handle.
  const wrong = sql`
    union
    select kept.id, gone.id from incoming_leads i
    join leads gone on gone.workspace_id = ${own}
      and gone.x_user_id = i.x_user_id
      and not ${isSameHandle(gone, incoming)}
      and not ${isIdConfirmed(gone)}
    join leads kept on kept.workspace_id = ${own} and kept.x_user_id is null and ${isSameHandle(kept, gone)}
    where not exists (select from incoming_leads other where ${isSameHandle(other, gone)})`
  const { rows } = await tx.execute<{ kept: string; gone: string }>(sql`
    select kept.id as kept, gone.id as gone from incoming_leads i
    join leads kept on kept.workspace_id = ${own} and kept.x_user_id = i.x_user_id and ${isKept}
    join leads gone on gone.workspace_id = ${own} and gone.x_user_id is null and ${isSameHandle(gone, incoming)}
    ${isFromX ? wrong : sql``}`)
  if (rows.length === 0) return
  const pairs = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as pair(kept uuid, gone uuid)`
  // Lock messages, lists, then leads, in the lock order (core/README.md).
  await lockRows(tx, 'dms', sql`lead_id in (select gone from ${pairs})`)
  await lockRows(
    tx,
    'lead_lists',
    sql`id in (select lead_list_id from lead_list_items where lead_id in (select gone from ${pairs}))`,
  )
  await lockRows(tx, 'leads', sql`id in (select kept from ${pairs} union select gone from ${pairs})`, 'update')
  const entries = sql`
    select i.lead_list_id, pair.kept, i.contact_status, i.added_at
    from lead_list_items i join ${pairs} on i.lead_id = pair.gone order by 1, 2`
  await tx.execute(sql`${addEntries(entries)} select count(*) from added`)
  const taggings = sql`
    select g.tag_id, pair.kept, g.added_at from lead_tags g join ${pairs} on g.lead_id = pair.gone order by 1, 2`
  await tx.execute(sql`${addTaggings(taggings)} select count(*) from added`)
  await tx.execute(
    addFinds(sql`
      select s.scrape_id, pair.kept, s.found_at
      from scrape_leads s join ${pairs} on s.lead_id = pair.gone order by 1, 2`),
  )
  await deleteLinks(tx, sql`select gone from ${pairs}`)
  await tx.execute(sql`
    update dms d set lead_id = pair.kept from ${pairs} where d.lead_id = pair.gone
    and not exists (
      select
      from dms other
      where other.campaign_id = d.campaign_id and other.step = d.step and other.lead_id = pair.kept
    )`)
  // If one campaign enrolled both, the second lead's enrollment stays behind with its message.
  await tx.execute(sql`
    update enrollments e
    set lead_id = pair.kept
    from ${pairs}
    where e.workspace_id = ${workspaceId} and e.lead_id = pair.gone
    and not exists (
      select
      from enrollments other
      where other.workspace_id = e.workspace_id and other.campaign_id = e.campaign_id and other.lead_id = pair.kept
    )`)
  // Replies move too, so that queued messages stop.
  await tx.execute(sql`update replies r set lead_id = pair.kept from ${pairs} where r.lead_id = pair.gone`)
  await mergeConversations(tx, workspaceId, pairs)
  await mergeOpeners(tx, workspaceId, pairs)
  await tx.execute(sql`
    insert into lead_reads (lead_id, account_x_user_id, read_at)
    select pair.kept, r.account_x_user_id, max(r.read_at)
    from lead_reads r
    join ${pairs} on r.lead_id = pair.gone
    group by 1, 2
    order by 1, 2
    on conflict (lead_id, account_x_user_id) do update set read_at = greatest(lead_reads.read_at, excluded.read_at)`)
  // If one campaign has messages to both, the second lead's message stays behind, but its contact
  // history moves.
  await tx.execute(sql`
    with old as (
      select ${countedLead()}
      from leads
      where id in (select kept from ${pairs})
      order by id
      for no key update
    ), changed as (
      update leads l set
        dm_status = case
          when exists (
            select
            from dms d
            join campaigns c on c.id = d.campaign_id
            where d.lead_id = l.id and d.status = 'queued' and ${mayGoOut(message, campaign)}
          ) then 'queued'
          else coalesce((
            select status from unnest(array[l.dm_status, gone.dm_status]) status where status <> 'queued'
            order by array_position(array['contacted', 'sent', 'failed_contact', 'failed', 'not_sent'], status)
            limit 1), 'not_sent')
        end,
        replied_at = greatest(l.replied_at, gone.replied_at),
        contacted_before_at = greatest(l.contacted_before_at, gone.contacted_before_at, (
          select max(coalesce(d.sent_at, d.claimed_at, d.tried_at)) from dms d
          where d.lead_id = gone.id and (d.sent_at is not null or d.outcome_unknown or d.lease_expires_at is not null))),
        basis = case when l.basis = 'none' then gone.basis else l.basis end,
        basis_at = case when l.basis = 'none' then gone.basis_at else l.basis_at end,
        basis_source = case when l.basis = 'none' then gone.basis_source else l.basis_source end,
        first_name = case when l.first_name_from = 'file' or gone.first_name_from = 'name' then l.first_name
          else gone.first_name end,
        first_name_from = case when l.first_name_from = 'file' or gone.first_name_from = 'name' then l.first_name_from
          else gone.first_name_from end,
        metadata = gone.metadata || l.metadata, former_handles = gone.former_handles || l.former_handles
      from old
      join ${pairs} on pair.kept = old.id
      join leads gone on gone.id = pair.gone
      where l.id = old.id
      returning ${countedLead(lead)}
    ), ${countLeads({ before: 'old', after: 'changed' })}
    select from changed`)
  await deleteLeads(tx, sql`id in (select gone from ${pairs})`)
}
