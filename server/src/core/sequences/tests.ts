import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import type { campaigns } from '../tables/campaigns.ts'
import { type StepTest, stepTests, type VersionStep } from '../tables/sequences.ts'
import { startsNewTest } from './versions.ts'

type Campaign = Pick<typeof campaigns.$inferSelect, 'id' | 'workspaceId'>

/**
 * Ends the tests of changed and removed steps, and starts one for each new or changed step with
 * several active variants.
 */
export async function startTests(
  tx: Db,
  { id, workspaceId }: Campaign,
  before: readonly VersionStep[],
  after: readonly VersionStep[],
): Promise<void> {
  const find = (steps: readonly VersionStep[], step: VersionStep) => steps.find((candidate) => candidate.id === step.id)
  const isNew = (was: VersionStep | undefined, is: VersionStep | undefined) => !was || !is || startsNewTest(was, is)
  const ended = before.filter((was) => isNew(was, find(after, was))).map((step) => step.id)
  if (ended.length > 0)
    await tx
      .update(stepTests)
      .set({ endedAt: sql`now()`, nextAt: null })
      .where(
        and(
          eq(stepTests.workspaceId, workspaceId),
          eq(stepTests.campaignId, id),
          inArray(stepTests.stepId, ended),
          isNull(stepTests.endedAt),
        ),
      )
  const started = after.flatMap((step) => {
    const variants = step.variants.filter(({ isActive }) => isActive).map(({ id, weight }) => ({ id, weight }))
    if (variants.length < 2 || !isNew(find(before, step), step)) return []
    const { id: stepId, allocation, testWindowDays: windowDays } = step
    return [{ workspaceId, campaignId: id, stepId, allocation, windowDays, variants, nextAt: sql`now()` }]
  })
  if (started.length > 0) await tx.insert(stepTests).values(started)
}

/** The current tests of a campaign, by step. */
export async function findTests(db: Db, { id, workspaceId }: Campaign): Promise<Map<string, StepTest>> {
  const rows = await db
    .select()
    .from(stepTests)
    .where(and(eq(stepTests.workspaceId, workspaceId), eq(stepTests.campaignId, id), isNull(stepTests.endedAt)))
  return new Map(rows.map((row) => [row.stepId, row]))
}
