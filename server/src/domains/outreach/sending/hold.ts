import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import type { Db } from '../../../db/open.ts'
import { lockRows, transact } from '../../../db/transact.ts'
import { endTurn, wakeAccount } from './limits.ts'
import { lockLeads, refund } from './queue.ts'
import { resetLeadStatus } from './stop.ts'
import { isInQueue } from './tables.ts'

/*
 * A launch may hold its messages for a few seconds: they are due later. Until a sender claims one,
 * the launch can be undone.
 */

/** Makes held messages due and ends the undo. @param which SQL over a campaign `c` */
export async function endHolds(tx: Db, which: SQL): Promise<void> {
  const { rows } = await tx.execute<{ id: string; xAccountId: string | null }>(sql`
    select id, x_account_id as "xAccountId" from campaigns c where ${which} and undo_until > now() order by id`)
  for (const { id, xAccountId } of rows) {
    await allowLongStatements(tx)
    await tx.execute(sql`
      update dms set due_at = now(), updated_at = now()
      where campaign_id = ${id} and ${isInQueue} and due_at > now() and due_at <= (select undo_until from campaigns where id = ${id})`)
    await tx.execute(sql`update campaigns set undo_until = null where id = ${id}`)
    await endTurn(tx, xAccountId)
  }
}

/** Deletes what a launch queued. The caller has locked the campaign and the leads of its messages. */
export async function unqueue(tx: Db, workspaceId: string, campaignId: string): Promise<void> {
  const enrolled = sql`from enrollments where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`
  await allowLongStatements(tx)
  await refund(tx, sql`campaign_id = ${campaignId} and status = 'queued'`)
  await tx.execute(sql`delete from dms where campaign_id = ${campaignId}`)
  await resetLeadStatus(tx, sql`select lead_id ${enrolled}`)
  await tx.execute(sql`delete ${enrolled}`)
}

/** Deletes direct messages that nobody has claimed. @param undoId as their caller chose it */
export async function undoQueue(db: Db, actor: Actor, undoId: string) {
  return transact(db, async (tx) => {
    const undone = await deleteUnclaimed(tx, actor.workspaceId, sql`undo_id = ${undoId}`)
    return { success: true as const, undone }
  })
}

/** Deletes direct messages that nobody has claimed. @param which SQL over dms @returns their number */
export async function deleteUnclaimed(tx: Db, workspaceId: string, which: SQL): Promise<number> {
  await allowLongStatements(tx)
  const { rows } = await tx.execute<{ id: string; leadId: string }>(sql`
    select id, lead_id as "leadId" from dms
    where workspace_id = ${workspaceId} and ${which} and status = 'queued' and claimed_at is null and tried_at is null
    order by id for update`)
  const undone = sql`any(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  const leadIds = sql`select unnest(${sql.param(rows.map(({ leadId }) => leadId))}::uuid[])`
  await lockLeads(tx, leadIds)
  await refund(tx, sql`id = ${undone}`)
  await tx.execute(sql`delete from dms where id = ${undone}`)
  await resetLeadStatus(tx, leadIds)
  return rows.length
}

/** Sets when held messages are due, unless they are sooner, and lets their accounts look again. */
export async function setDue(tx: Db, workspaceId: string, ids: readonly string[], at: Date): Promise<void> {
  const due = sql`${at.toISOString()}::timestamptz`
  await lockRows(
    tx,
    'dms',
    sql`id = any(${sql.param(ids)}::uuid[]) and workspace_id = ${workspaceId} and ${isInQueue} and due_at > ${due}`,
  )
  const { rows } = await tx.execute<{ xAccountId: string | null }>(sql`
    with changed as (
      update dms set due_at = ${due}, updated_at = now()
      where id = any(${sql.param(ids)}::uuid[]) and workspace_id = ${workspaceId} and ${isInQueue} and due_at > ${due}
      returning campaign_id
    )
    select distinct x_account_id as "xAccountId" from campaigns where id in (select campaign_id from changed)`)
  for (const { xAccountId } of rows) if (xAccountId) await wakeAccount(tx, xAccountId)
}
