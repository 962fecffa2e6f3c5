import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import type { Db } from '../../db/open.ts'
import { isIdConfirmed, leads } from '../tables/leads.ts'
import { countedLead, countLeads } from './lead-counts.ts'
import { incoming } from './stage-table.ts'

// Remembers contacted people after their lead is deleted, so that a lead that returns is not messaged again.

const lead = alias(leads, 'l')
const known = alias(leads, 'known')

/** Includes the workspace, so that the same person has a different hash in each workspace. */
const hashOf = (workspaceId: SQL, what: SQL) =>
  sql`encode(sha256(convert_to(${workspaceId}::text || ${what}, 'UTF8')), 'base64')`
const xUserHash = (person: AliasOf<typeof leads>, workspaceId: SQL) =>
  hashOf(workspaceId, sql`'#' || ${person.xUserId}`)
const handleHash = (person: AliasOf<typeof leads>, workspaceId: SQL) =>
  hashOf(workspaceId, sql`'@' || lower(${person.twitterHandle})`)

/** Stores which of the leads to be deleted were contacted. Call it before deleting their messages. */
export async function storePastContacts(tx: Db, workspaceId: string, leadIds: SQL): Promise<void> {
  const own = sql`${workspaceId}::uuid`
  // An id that only a file claims may be wrong, so the id and the handle are remembered separately.
  const keys = sql`
    lateral (select l.x_user_id is not null and not ${isIdConfirmed(lead)} as is_doubtful) id cross join lateral (
    select ${xUserHash(lead, own)} as x_user_hash,
      case when l.handle_lost_at is null then ${handleHash(lead, own)} else '' end as handle_hash
    where not is_doubtful
    union all
    select apart.*
    from (values (${xUserHash(lead, own)}, ''), (null, ${handleHash(lead, own)})) apart (x_user_hash, handle_hash)
    where is_doubtful) key`
  await tx.execute(sql`
    insert into past_contacts (workspace_id, x_user_hash, handle_hash, contacted_at, replied_at)
    select ${own}, key.x_user_hash, key.handle_hash, written.at, l.replied_at
    from leads l cross join lateral (
      select greatest(l.contacted_before_at, max(coalesce(d.sent_at, d.claimed_at, d.tried_at, d.updated_at)),
        case when l.dm_status in ('sent', 'contacted') then l.updated_at end) as at
      from dms d
      where d.lead_id = l.id
        and (
          d.sent_at is not null
          or d.outcome_unknown
          or (d.status = 'queued' and coalesce(d.lease_expires_at, d.tried_at) is not null)
        )
    ) written cross join ${keys}
    where l.workspace_id = ${own}
      and l.id in (${leadIds})
      and not l.is_sample
      and coalesce(written.at, l.replied_at) is not null`)
}

/** Records that a person without a lead was messaged, by X user id. */
export async function storePastContact(tx: Db, workspaceId: string, xUserId: string, at: Date): Promise<void> {
  const own = sql`${workspaceId}::uuid`
  await tx.execute(sql`
    insert into past_contacts (workspace_id, x_user_hash, handle_hash, contacted_at)
    select ${own}, ${xUserHash(known, own)}, ${handleHash(known, own)}, ${at.toISOString()}::timestamptz
    from (values (${xUserId}::text, ''::text)) known (x_user_id, twitter_handle)`)
}

/** SQL: whether a person with this X id was messaged, as a lead that has been deleted or without a lead. */
export function wasContacted(workspaceId: string, xUserId: string): SQL<boolean> {
  return isRemembered(workspaceId, xUserId, sql`p.contacted_at is not null`)
}

/** SQL: whether a person with this X id replied, as a lead that has been deleted or without a lead. */
export function hadReplied(workspaceId: string, xUserId: string): SQL<boolean> {
  return isRemembered(workspaceId, xUserId, sql`p.replied_at is not null`)
}

function isRemembered(workspaceId: string, xUserId: string, which: SQL): SQL<boolean> {
  const own = sql`${workspaceId}::uuid`
  return sql`exists (select from past_contacts p, (values (${xUserId}::text)) known (x_user_id)
    where p.workspace_id = ${own} and p.x_user_hash = ${xUserHash(known, own)} and ${which})`
}

/**
 * Copies the remembered contacts of staged people to their new leads. @param isFromX the staged ids
 * come from X; otherwise a contact found by id stays remembered, because the id may be wrong
 */
export async function restorePastContacts(tx: Db, workspaceId: string, isFromX: boolean): Promise<void> {
  const own = sql`${workspaceId}::uuid`
  await tx.execute(sql`
    with known as materialized (${remembered(own, sql`incoming_leads`, sql`i.lead_id`, sql`i.is_new`)}),
    gone as (
      delete from past_contacts p using known where p.id = known.id and (${isFromX} or p.x_user_hash is null)
    ), contacts as (
      select known.lead_id, max(p.contacted_at) as contacted_at, max(p.replied_at) as replied_at
      from known join past_contacts p on p.id = known.id group by known.lead_id
    ), old as (
      select c.contacted_at, c.replied_at, ${countedLead(lead)}
      from contacts c
      join leads l on l.id = c.lead_id
      order by l.id
      for no key update of l
    ), changed as (
      update leads l
      set contacted_before_at = old.contacted_at, replied_at = greatest(l.replied_at, old.replied_at),
        dm_status = case when old.contacted_at is null then l.dm_status else 'contacted' end
      from old
      where l.id = old.id
      returning ${countedLead(lead)}
    ), ${countLeads({ before: 'old', after: 'changed' })}
    select from changed`)
}

/** Deletes the remembered contacts of restored leads. */
export async function deletePastContacts(tx: Db, workspaceId: string, leadIds: SQL): Promise<void> {
  const own = sql`${workspaceId}::uuid`
  await tx.execute(sql`
    delete from past_contacts p using (${remembered(own, sql`leads`, sql`i.id`, sql`i.id in (${leadIds})`)}) known
    where p.id = known.id`)
}

/** SQL: rows of past_contacts about people, found by X user id, or by handle if either side lacks the id. */
function remembered(own: SQL, people: SQL, leadId: SQL, which: SQL): SQL {
  return sql`
    select p.id, ${leadId} as lead_id
    from ${people} i
    join past_contacts p on p.workspace_id = ${own} and p.x_user_hash = ${xUserHash(incoming, own)}
    where ${which}
    union
    select p.id, ${leadId}
    from ${people} i
    join past_contacts p on p.workspace_id = ${own} and p.handle_hash = ${handleHash(incoming, own)}
    where ${which} and (p.x_user_hash is null or i.x_user_id is null)`
}
