import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { addedToCampaign } from '../messages/counts.ts'
import { endTurn } from '../messages/schedule.ts'

/**
 * SQL: updates a campaign after an outcome, and completes it if nothing is open or queued. @param
 * changes the CTE with the changes of the counts, such as `campaign_changes` of `sumMessages`
 */
export function campaignRun(campaignId: string, opened: number, nextAt: string | null, changes?: string): SQL {
  const queued = changes ? sql`locked.dms_queued_count + d.dms_queued_count` : sql`locked.dms_queued_count`
  const done = sql`locked.kind = 'campaign' and locked.queued_at is not null
    and locked.status not in ('completed', 'archived')
    and ${queued} = 0 and locked.open_enrollments + ${opened}::int = 0`
  return sql`
    update campaigns c
    set ${changes ? sql`${addedToCampaign}, ` : sql``}open_enrollments = locked.open_enrollments + ${opened}::int,
      follow_up_due_at = least(locked.follow_up_due_at, ${nextAt}::timestamptz),
      last_run_at = now(), updated_at = now(), status = case when ${done} then 'completed' else locked.status end,
      reason = case when ${done} then null else locked.reason end,
      pause_reason = case when ${done} then null else locked.pause_reason end
    from (select * from campaigns where id = ${campaignId} for no key update) locked
      ${changes ? sql`cross join ${sql.identifier(changes)} d` : sql``}
    where c.id = locked.id
    returning c.id, locked.status as "wasStatus", c.status, c.x_account_id as "xAccountId"`
}

/** The row that `campaignRun` returns. */
export type CampaignRun = { id: string; wasStatus: string; status: string; xAccountId: string | null }

/** If the campaign is completed, lets the next campaign on the account send. @returns whether it is completed */
export async function endRun(tx: Db, run: CampaignRun | undefined): Promise<boolean> {
  if (run?.status !== 'completed') return false
  if (run.wasStatus !== 'completed') await notifyOfCampaigns(tx, [run.id])
  await endTurn(tx, run.xAccountId)
  return true
}

/** Notifies members that campaigns have just completed or been paused automatically. Ignores 'Direct'. */
export async function notifyOfCampaigns(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    select notify_members(workspace_id, 'campaign_' || status, jsonb_build_object(
      'campaignId', id, 'campaignName', name, 'pause', reason, 'reason', pause_reason,
      'sent', dms_sent_count, 'failed', dms_failed_count - dms_skipped_count, 'skipped', dms_skipped_count))
    from campaigns
    where id = any(${sql.param(ids)}::uuid[]) and kind = 'campaign'
    order by id`)
}

/**
 * Completes a campaign if no enrollment is open and no message is queued. @param opened change in
 * the number of open enrollments @returns whether the campaign is completed
 */
export async function completeIfDone(tx: Db, campaignId: string, opened = 0): Promise<boolean> {
  const { rows } = await tx.execute<CampaignRun>(campaignRun(campaignId, opened, null))
  return endRun(tx, rows[0])
}
