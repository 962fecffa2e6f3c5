import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { labelCorrections } from '../src/core/tables/conversations.ts'
import { stepTests } from '../src/core/tables/sequences.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes tests of variants directly in the database. Each function changes all tests that `which` selects.

type Tests = Which<typeof stepTests>

/** Sets the variants' shares of the tests. */
export async function setShares(
  to: Writer,
  which: Tests,
  shares: (typeof stepTests.$inferSelect)['shares'],
): Promise<void> {
  await change(to, which, { shares })
}

/** Moves the start of the tests to `days` days ago. */
export async function ageTests(to: Writer, which: Tests, days: number): Promise<void> {
  await change(to, which, { startedAt: sql`now() - make_interval(days => ${days})` })
}

/** Makes the next verdict of all running tests due now. */
export async function makeJudgementsDue(to: Writer): Promise<void> {
  await change(to, sql`ended_at is null`, { nextAt: sql`now() - interval '1 minute'` })
}

/** Deletes the evidence of earlier verdicts, as if the tests had never been judged. */
export async function forgetJudgements(to: Writer, which: Tests): Promise<void> {
  await change(to, which, { state: { pairs: [], records: [] } })
}

/** Records a member's correction of a label from interested to not interested. @param ago a PostgreSQL interval */
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
