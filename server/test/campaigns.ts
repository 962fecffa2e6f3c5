import { type SQL, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { campaigns } from '../src/core/tables/campaigns.ts'
import { enrollments, sequenceVersions, type VersionStep } from '../src/core/tables/sequences.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes campaigns directly in the database. Each function changes all campaigns that `which` selects.

type Campaigns = Which<typeof campaigns>
type Campaign = typeof campaigns.$inferSelect
type Change = PgUpdateSetSource<typeof campaigns>

/** Inserts a campaign without steps, people or checks. */
export async function insertCampaign(
  { db }: Writer,
  values: Partial<typeof campaigns.$inferInsert> & { workspaceId: string },
): Promise<Campaign> {
  const bare = { name: 'c', messageTemplate: 'm', channel: 'api' as const, status: 'paused' as const }
  const [campaign] = await db
    .insert(campaigns)
    .values({ ...bare, ...values })
    .returning()
  return campaign!
}

/** Sets the campaigns to paused, but does not release claimed messages. */
export async function pauseNow(to: Writer, which: Campaigns, more: Change = {}): Promise<void> {
  await change(to, which, { status: 'paused', ...more })
}

/** Sets the campaigns to active, without a pause reason. */
export async function reactivate(to: Writer, which: Campaigns, more: Change = {}): Promise<void> {
  await change(to, which, { status: 'active', reason: null, ...more })
}

/** Sets the campaigns to completed. */
export async function complete(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { status: 'completed', reason: null })
}

/** Sets the campaigns to archived, but does not release claimed messages. */
export async function archiveNow(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { status: 'archived' })
}

/** Sets when the campaigns' enrollments are next checked for follow-ups; null: never. */
export async function planFollowUp(to: Writer, which: Campaigns, followUpDueAt: Date | null): Promise<void> {
  await change(to, which, { followUpDueAt })
}

/** Makes the campaigns consist of direct messages. */
export async function makeDirect(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { kind: 'direct' })
}

/** Deletes the campaigns with their messages, as deleting their workspace does. */
export async function deleteCampaigns({ db }: Writer, which: Campaigns = {}): Promise<void> {
  await db.delete(campaigns).where(matching(campaigns, which))
}

/** Marks the enrollments as waiting until the plan allows their first message. */
export async function leaveUnqueued({ db }: Writer, which: Which<typeof enrollments>): Promise<void> {
  await db.update(enrollments).set({ isUnqueued: true }).where(matching(enrollments, which))
}

/** Ends the enrollments as if the leads had replied. */
export async function endByReply({ db }: Writer, which: Which<typeof enrollments>): Promise<void> {
  await db.update(enrollments).set({ state: 'replied' }).where(matching(enrollments, which))
}

/** Sets the number of the enrollments' next step, as if the steps before it had been sent. */
export async function placeBefore(
  { db }: Writer,
  which: Which<typeof enrollments>,
  nextStepNumber: number,
  more: PgUpdateSetSource<typeof enrollments> = {},
): Promise<void> {
  await db
    .update(enrollments)
    .set({ nextStepNumber, ...more })
    .where(matching(enrollments, which))
}

async function change({ db }: Writer, which: Campaigns, set: Change): Promise<void> {
  await db.update(campaigns).set(set).where(matching(campaigns, which))
}

type Versions = Which<typeof sequenceVersions>

/** Replaces a campaign's stored steps, possibly with steps that the product no longer accepts. */
export async function replaceSteps({ db }: Writer, campaignId: string, steps: VersionStep[] | SQL): Promise<void> {
  await db.update(sequenceVersions).set({ steps }).where(matching(sequenceVersions, { campaignId }))
}

/** Deletes stored versions of sequences, with their steps. */
export async function deleteSteps({ db }: Writer, which: Versions): Promise<void> {
  await db.delete(sequenceVersions).where(matching(sequenceVersions, which))
}

/** Pauses the enrollments until `pausedUntil`; null: until a user resumes them. */
export async function pausePeople(
  { db }: Writer,
  which: Which<typeof enrollments>,
  pausedUntil: Date | null = null,
): Promise<void> {
  const pause = { state: 'paused' as const, pausedUntil, nextAt: pausedUntil }
  await db.update(enrollments).set(pause).where(matching(enrollments, which))
}

/** Records that the enrollments skipped this step at `skippedAt`. */
export async function skipStep(
  { db }: Writer,
  which: Which<typeof enrollments>,
  skippedStepNumber: number,
  skippedAt: Date,
): Promise<void> {
  await db.update(enrollments).set({ skippedStepNumber, skippedAt }).where(matching(enrollments, which))
}

/** Inserts stopped enrollments whose leads no longer exist. @returns the ids of the enrollments */
export async function insertStopped({ db }: Writer, campaignId: string, count: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    insert into enrollments (workspace_id, campaign_id, lead_id, state, version)
    select workspace_id, id, gen_random_uuid(), 'stopped', 1
    from campaigns, generate_series(1, ${count}::int)
    where id = ${campaignId}
    returning id`)
  return rows.map(({ id }) => id)
}

/** Makes the next part of every launch due now. */
export async function makePartsDue(to: Writer): Promise<void> {
  await change(to, sql`next_part_at is not null`, { nextPartAt: new Date() })
}

/** Ends the time in which the launches can be undone. */
export async function endUndo(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { undoUntil: sql`now()` })
}

/** Sets when the campaigns were created. */
export async function createdAt(to: Writer, which: Campaigns, at: Date): Promise<void> {
  await change(to, which, { createdAt: at })
}

/** Makes the campaigns part of the sample data. */
export async function makeSample(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { isSample: true })
}

/** Sets how many people the campaigns have messaged, and how many replied. */
export async function setFigures(
  to: Writer,
  which: Campaigns,
  figures: Pick<Campaign, 'peopleMessaged' | 'peopleReplied' | 'peoplePositive'>,
): Promise<void> {
  await change(to, which, figures)
}
