import { type SQL, sql } from 'drizzle-orm'
import { allowLongStatements } from '../../db/long-statements.ts'
import type { Db } from '../../db/open.ts'
import { lockRows } from '../../db/transact.ts'

// Locks

/**
 * Lets one transaction at a time queue messages in a workspace. Each must see what the previous one
 * queued, or both could message the same lead.
 */
export async function lockQueueing(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('queueing:' || ${workspaceId}::text, 0))`)
}

/** Locks the enrollments of messages. Call it before locking the messages: replies take the same order. */
export async function lockEnrollmentsOf(tx: Db, dmIds: SQL): Promise<void> {
  await tx.execute(sql`
    select count(*) from (
      select from enrollments e
      where (e.workspace_id, e.id) in (select workspace_id, enrollment_id from dms where id in (${dmIds}))
      order by e.id for no key update
    ) locked`)
}

/** Locks the enrollments of leads, before their messages. @param leadIds a query */
export async function lockEnrollmentsOfLeads(tx: Db, workspaceId: string, leadIds: SQL): Promise<void> {
  await tx.execute(sql`
    select count(*) from (
      select
      from enrollments
      where workspace_id = ${workspaceId} and lead_id in (${leadIds})
      order by id
      for no key update
    ) locked`)
}

/** Locks a lead's enrollments, before their messages. */
export async function lockEnrollmentsOfLead(tx: Db, workspaceId: string, leadId: string): Promise<void> {
  await lockEnrollmentsOfLeads(tx, workspaceId, sql`select ${leadId}::uuid`)
}

/** Locks a campaign's enrollments, before its messages, leads and the campaign itself. */
export async function lockEnrollmentsOfCampaign(tx: Db, workspaceId: string, campaignId: string): Promise<void> {
  await allowLongStatements(tx)
  await lockRows(tx, 'enrollments', sql`workspace_id = ${workspaceId} and campaign_id = ${campaignId}`)
}

/** Locks leads in id order, so that two transactions never deadlock. */
export async function lockLeads(tx: Db, ids: SQL): Promise<void> {
  await allowLongStatements(tx)
  await tx.execute(sql`
    select count(*) from (select from leads where id in (${ids}) order by id for no key update) locked`)
}

/** Locks leads, then the campaigns with messages to them, each in id order. @param leadIds a query */
export async function lockLeadsAndCampaigns(tx: Db, leadIds: SQL): Promise<void> {
  await lockLeads(tx, leadIds)
  await tx.execute(sql`
    select
    from campaigns
    where id in (select campaign_id from dms where lead_id in (${leadIds}))
    order by id
    for no key update`)
}

/** Locks a lead, then the campaigns with messages to them in id order, so that two transactions never deadlock. */
export async function lockLeadAndCampaigns(tx: Db, leadId: string): Promise<void> {
  await tx.execute(sql`select from leads where id = ${leadId} for no key update`)
  await tx.execute(sql`
    select
    from campaigns
    where id in (select campaign_id from dms where lead_id = ${leadId})
    order by id
    for no key update`)
}

/**
 * Locks the leads of a campaign's queued messages. Call it before locking the campaign: recording
 * an outcome takes the same order.
 */
export async function lockQueuedLeads(tx: Db, campaignId: string): Promise<void> {
  await lockLeads(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
}
