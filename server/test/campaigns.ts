import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { campaigns } from '../src/core/tables/campaigns.ts'
import { enrollments } from '../src/core/tables/sequences.ts'
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
