import { type SQL, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { campaigns } from '../src/core/tables/campaigns.ts'
import { enrollments, sequenceVersions, type VersionStep } from '../src/core/tables/sequences.ts'
import { matching, type Which, type Writer } from './matching.ts'

// What happens to campaigns beside their people and messages. Each verb changes all campaigns chosen.

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

/** Pauses the campaigns without releasing anything. */
export async function pauseNow(to: Writer, which: Campaigns, more: Change = {}): Promise<void> {
  await change(to, which, { status: 'paused', ...more })
}

/** The campaigns send again. */
export async function reactivate(to: Writer, which: Campaigns, more: Change = {}): Promise<void> {
  await change(to, which, { status: 'active', reason: null, ...more })
}

/** Everybody got everything. */
export async function complete(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { status: 'completed', reason: null })
}

/** Archives the campaigns without releasing anything. */
export async function archiveNow(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { status: 'archived' })
}

/** Their next follow-up is due then. */
export async function planFollowUp(to: Writer, which: Campaigns, followUpDueAt: Date | null): Promise<void> {
  await change(to, which, { followUpDueAt })
}

/** The campaigns consist of manual messages. */
export async function makeDirect(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { kind: 'direct' })
}

/** Deletes the campaigns with their messages, as deleting their workspace does. */
export async function deleteCampaigns({ db }: Writer, which: Campaigns = {}): Promise<void> {
  await db.delete(campaigns).where(matching(campaigns, which))
}

/** The people enrolled by a launch whose first message no plan has allowed yet. */
export async function leaveUnqueued({ db }: Writer, which: Which<typeof enrollments>): Promise<void> {
  await db.update(enrollments).set({ isUnqueued: true }).where(matching(enrollments, which))
}

/** The enrolled people replied, which ends their way. */
export async function endByReply({ db }: Writer, which: Which<typeof enrollments>): Promise<void> {
  await db.update(enrollments).set({ state: 'replied' }).where(matching(enrollments, which))
}

/** Pretends that the enrolled people have received the step before this one. */
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

/** The stored steps of a campaign are these, also if the product accepts them no longer. */
export async function replaceSteps({ db }: Writer, campaignId: string, steps: VersionStep[] | SQL): Promise<void> {
  await db.update(sequenceVersions).set({ steps }).where(matching(sequenceVersions, { campaignId }))
}

/** The campaigns have no stored steps. */
export async function deleteSteps({ db }: Writer, which: Versions): Promise<void> {
  await db.delete(sequenceVersions).where(matching(sequenceVersions, which))
}

/** The enrolled people are paused until then; null: until someone resumes them. */
export async function pausePeople(
  { db }: Writer,
  which: Which<typeof enrollments>,
  pausedUntil: Date | null = null,
): Promise<void> {
  const pause = { state: 'paused' as const, pausedUntil, nextAt: pausedUntil }
  await db.update(enrollments).set(pause).where(matching(enrollments, which))
}

/** The enrolled people skipped this step then. */
export async function skipStep(
  { db }: Writer,
  which: Which<typeof enrollments>,
  skippedStepNumber: number,
  skippedAt: Date,
): Promise<void> {
  await db.update(enrollments).set({ skippedStepNumber, skippedAt }).where(matching(enrollments, which))
}

/** Enrolls people who stopped and are no leads any more. @returns the ids of the enrollments */
export async function insertStopped({ db }: Writer, campaignId: string, count: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    insert into enrollments (workspace_id, campaign_id, lead_id, state, version)
    select workspace_id, id, gen_random_uuid(), 'stopped', 1
    from campaigns, generate_series(1, ${count}::int)
    where id = ${campaignId}
    returning id`)
  return rows.map(({ id }) => id)
}

/** The next parts of launches are due. */
export async function makePartsDue(to: Writer): Promise<void> {
  await change(to, sql`next_part_at is not null`, { nextPartAt: new Date() })
}

/** The launches can no longer be undone. */
export async function endUndo(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { undoUntil: sql`now()` })
}

/** The campaigns were created then. */
export async function createdAt(to: Writer, which: Campaigns, at: Date): Promise<void> {
  await change(to, which, { createdAt: at })
}

/** The campaigns belong to the sample data. */
export async function makeSample(to: Writer, which: Campaigns): Promise<void> {
  await change(to, which, { isSample: true })
}

/** The campaigns reached this many people. */
export async function setFigures(
  to: Writer,
  which: Campaigns,
  figures: Pick<Campaign, 'peopleMessaged' | 'peopleReplied' | 'peoplePositive'>,
): Promise<void> {
  await change(to, which, figures)
}
