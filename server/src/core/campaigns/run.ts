import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { endTurn } from '../messages/schedule.ts'

/** SQL: updates a campaign after an outcome, and completes it if nothing is open or queued. */
export function campaignRun(campaignId: string, opened: number, nextAt: string | null): SQL {
  const done = sql`kind = 'campaign' and queued_at is not null and status not in ('completed', 'archived')
    and dms_queued_count = 0 and open_enrollments + ${opened}::int = 0`
  return sql`
    update campaigns
    set open_enrollments = open_enrollments + ${opened}::int,
      follow_up_due_at = least(follow_up_due_at, ${nextAt}::timestamptz),
      last_run_at = now(), updated_at = now(), status = case when ${done} then 'completed' else status end,
      reason = case when ${done} then null else reason end,
      pause_reason = case when ${done} then null else pause_reason end
    where id = ${campaignId} returning status, x_account_id as "xAccountId"`
}

/** A campaign after `campaignRun`. */
export type CampaignRun = { status: string; xAccountId: string | null }

/** Lets the next campaign on the account send if this one is completed. @returns whether it is completed */
export async function endRun(tx: Db, run: CampaignRun | undefined): Promise<boolean> {
  if (run?.status !== 'completed') return false
  await endTurn(tx, run.xAccountId)
  return true
}

/**
 * Completes a campaign when no enrollment is open and no message is queued. @param opened change of
 * the number of open enrollments
 */
export async function completeIfDone(tx: Db, campaignId: string, opened = 0): Promise<boolean> {
  const { rows } = await tx.execute<CampaignRun>(campaignRun(campaignId, opened, null))
  return endRun(tx, rows[0])
}
