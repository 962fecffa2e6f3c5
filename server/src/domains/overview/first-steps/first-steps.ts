import type { InputOf } from '@x-automated/contract/contract'
import { FIRST_STEPS, type FirstStep, type FirstSteps } from '@x-automated/contract/overview/first-steps'
import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { firstStepsDismissals } from './tables.ts'

type StepFacts = Record<FirstStep, boolean> & Pick<FirstSteps, 'dismissed' | 'isMessageSent' | 'hasSampleData'>

/**
 * Derives the steps from the workspace's current data. Each `exists` stops at the first row.
 * After the first launch all steps stay done, whatever is removed or disconnected later. Sample
 * data does not count.
 */
export async function find(db: Db, { workspaceId, userId }: Actor): Promise<FirstSteps> {
  const { rows } = await db.execute<StepFacts>(sql`
    select
      exists (select from x_accounts where workspace_id = ${workspaceId} and status = 'connected') as connect_x,
      exists (select from leads where workspace_id = ${workspaceId} and not is_sample) as find_leads,
      exists (
        select from lead_lists where workspace_id = ${workspaceId} and lead_count > 0 and not is_sample
      ) as make_list,
      exists (
        select
        from campaigns
        where workspace_id = ${workspaceId} and kind = 'campaign' and queued_at is not null and not is_sample
      ) as launch_campaign,
      exists (
        select
        from campaigns
        where workspace_id = ${workspaceId} and kind = 'campaign' and dms_sent_count > 0 and not is_sample
      ) as "isMessageSent",
      exists (
        select from first_steps_dismissals where workspace_id = ${workspaceId} and user_id = ${userId}
      ) as dismissed,
      (exists (select from leads where workspace_id = ${workspaceId} and is_sample)
        or exists (select from lead_lists where workspace_id = ${workspaceId} and is_sample)
        or exists (select from campaigns where workspace_id = ${workspaceId} and kind = 'campaign' and is_sample)) as "hasSampleData"`)
  const row = one(rows)
  return {
    steps: FIRST_STEPS.map((step) => ({ step, done: row.launch_campaign || row[step] })),
    dismissed: row.dismissed,
    isMessageSent: row.isMessageSent,
    hasSampleData: row.hasSampleData,
  }
}

/** Hides the first steps for this member, or shows them again. */
export async function update(
  db: Db,
  actor: Actor,
  { dismissed }: InputOf<'firstSteps', 'update'>,
): Promise<FirstSteps> {
  const { workspaceId, userId } = actor
  if (dismissed) {
    // Selects from the membership, so that nothing is stored if it has just ended.
    await db.execute(sql`
      insert into first_steps_dismissals (workspace_id, user_id)
      select workspace_id, user_id from workspace_members where workspace_id = ${workspaceId} and user_id = ${userId}
      on conflict do nothing`)
  } else {
    const own = and(eq(firstStepsDismissals.workspaceId, workspaceId), eq(firstStepsDismissals.userId, userId))
    await db.delete(firstStepsDismissals).where(own)
  }
  return find(db, actor)
}
