import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { labelCorrections } from '../src/core/tables/conversations.ts'
import { stepTests } from '../src/core/tables/sequences.ts'
import { matching, type Which, type Writer } from './matching.ts'

// What happens to the tests of a campaign's variants. Each verb changes all tests chosen.

type Tests = Which<typeof stepTests>

/** The tests give the variants these shares. */
export async function setShares(
  to: Writer,
  which: Tests,
  shares: (typeof stepTests.$inferSelect)['shares'],
): Promise<void> {
  await change(to, which, { shares })
}

/** The tests began that many days ago. */
export async function ageTests(to: Writer, which: Tests, days: number): Promise<void> {
  await change(to, which, { startedAt: sql`now() - make_interval(days => ${days})` })
}

/** All tests that go on are judged now. */
export async function makeJudgementsDue(to: Writer): Promise<void> {
  await change(to, sql`ended_at is null`, { nextAt: sql`now() - interval '1 minute'` })
}

/** The tests were never judged. */
export async function forgetJudgements(to: Writer, which: Tests): Promise<void> {
  await change(to, which, { state: { pairs: [], records: [] } })
}

/** A member corrected a conversation's label from interested to not interested, that long ago. */
export async function insertCorrection(
  { db }: Writer,
  of: { workspaceId: string; conversationId: string; userId: string },
  ago: string,
): Promise<void> {
  const labels = { oldLabel: 'interested', newLabel: 'not_interested' } as const
  await db.insert(labelCorrections).values({ ...of, ...labels, at: sql`now() - ${ago}::interval` })
}

async function change({ db }: Writer, which: Tests, set: PgUpdateSetSource<typeof stepTests>): Promise<void> {
  await db.update(stepTests).set(set).where(matching(stepTests, which))
}
