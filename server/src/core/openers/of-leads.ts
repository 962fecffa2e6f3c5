import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import type { Db } from '../../db/open.ts'
import { leads } from '../tables/leads.ts'

const lead = alias(leads, 'l')

// When a lead is merged, deleted or restored, so are its openers. An opener loses its approval if
// the lead's profile no longer contains the facts that it uses.

/**
 * SQL statement that applies changes of openers to the counts of their campaigns. Counts come last
 * in the lock order. @param changes a relation with workspace_id, campaign_id, was_status and
 * status; nulls: the row did not exist before, or does not exist now
 */
export function countOpeners(changes: SQL): SQL {
  const change = (status: string) =>
    sql`(count(*) filter (where status = ${status}) - count(*) filter (where was_status = ${status}))::int`
  return sql`
    insert into opener_counts as counts (workspace_id, campaign_id, draft, approved, failed)
    select * from (
      select workspace_id, campaign_id, ${change('draft')} as draft, ${change('approved')} as approved,
        ${change('failed')} as failed
      from ${changes} group by workspace_id, campaign_id order by workspace_id, campaign_id
    ) total where (draft, approved, failed) <> (0, 0, 0)
    on conflict (workspace_id, campaign_id) do update set draft = counts.draft + excluded.draft,
      approved = counts.approved + excluded.approved, failed = counts.failed + excluded.failed`
}

/** SQL over a lead's alias: everything that an opener may quote. */
export function profileOf(lead: AliasOf<typeof leads>): SQL<string> {
  return sql`concat_ws(E'\n', ${lead.name}, ${lead.bio}, ${lead.website}, ${lead.sourceProfile})`
}

/** SQL: a text prepared for comparing facts, because models change case, spaces and character forms. */
const folded = (text: SQL) => sql`lower(regexp_replace(normalize(${text}, NFKC), '\\s+', ' ', 'g'))`

/** Drops the approvals of openers whose quotes the staged leads no longer contain. */
export async function dropApprovals(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`
    with stale as materialized (
      select o.id
      from openers o
      join incoming_leads i on i.lead_id = o.lead_id and not i.is_new
      join leads l on l.id = o.lead_id
      where o.workspace_id = ${workspaceId} and o.status = 'approved' and o.profile_hash <> md5(${profileOf(lead)})
        and exists (
          select from unnest(o.facts_used) fact where position(${folded(sql`fact`)} in ${folded(profileOf(lead))}) = 0
        )
      order by o.id for no key update of o
    ), changed as (
      update openers o set status = 'draft', approved_by = null, approved_at = null, updated_at = now()
      from stale where o.workspace_id = ${workspaceId} and o.id = stale.id
      returning o.workspace_id, o.campaign_id, 'approved' as was_status, o.status
    )
    ${countOpeners(sql`changed`)}`)
}

/**
 * Deletes the openers of leads. The caller has locked the leads. @param chosen subquery of lead ids
 * @param removalId the stored deletion that keeps the openers for its undo
 */
export async function deleteOpeners(
  tx: Db,
  workspaceId: string,
  chosen: SQL,
  removalId: string | null = null,
): Promise<void> {
  await tx.execute(sql`
    with gone as (
      delete from openers where workspace_id = ${workspaceId} and lead_id in (${chosen}) returning *
    ), kept as (
      update removed_leads removed set openers = own.openers
      from (select lead_id, jsonb_agg(to_jsonb(gone)) as openers from gone group by lead_id) own
      where removed.removal_id = ${removalId}::uuid and removed.lead_id = own.lead_id
    )
    ${countOpeners(sql`(select workspace_id, campaign_id, status as was_status, null::text as status from gone) changed`)}`)
}

/** Restores openers. @param rows subquery of their former rows; the leads exist again */
export async function restoreOpeners(tx: Db, rows: SQL): Promise<void> {
  await tx.execute(sql`
    with back as (
      insert into openers ${rows} on conflict do nothing
      returning workspace_id, campaign_id, null::text as was_status, status
    )
    ${countOpeners(sql`back`)}`)
}

/** Moves openers to the lead that is kept, unless that lead has its own. @param pairs a relation pair(kept, gone) */
export async function mergeOpeners(tx: Db, workspaceId: string, pairs: SQL): Promise<void> {
  await tx.execute(sql`
    update openers o
    set lead_id = pair.kept
    from ${pairs}
    where o.workspace_id = ${workspaceId} and o.lead_id = pair.gone
      and not exists (select from openers other
        where other.workspace_id = o.workspace_id and other.campaign_id = o.campaign_id and other.lead_id = pair.kept)`)
  await deleteOpeners(tx, workspaceId, sql`select gone from ${pairs}`)
}
