import { setImmediate } from 'node:timers/promises'
import { REPLY_TEXT_MAX } from '@x-automated/contract/outreach/replies'
import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { replySettings } from '../../domains/outreach/sending-settings/tables.ts'
import { classifyReply, type Reading } from './labels.ts'

/** Other work gets a turn after texts have been read for this long. */
const BUSY_MS = 5

/**
 * Labels replies to X accounts of a workspace, using days of the account's time zone.
 * @returns a reading for each reply, in the same order; null: the reply has no text
 */
export async function classifyReplies(
  db: Db,
  workspaceId: string,
  replies: readonly { accountId: string; text: string; at: Date }[],
): Promise<(Reading | null)[]> {
  if (replies.every(({ text }) => text.trim() === '')) return replies.map(() => null)
  const { rows } = await db.execute<{ accountId: string; timeZone: string }>(
    sql`
      select x_account_id as "accountId", time_zone as "timeZone"
      from sending_limits
      where workspace_id = ${workspaceId}`,
  )
  const optOutWords = await optOutWordsOf(db, workspaceId)
  const readings: (Reading | null)[] = []
  let startedAt = performance.now()
  for (const { accountId, text, at } of replies) {
    if (text.trim() === '') {
      readings.push(null)
      continue
    }
    const timeZone = rows.find((row) => row.accountId === accountId)?.timeZone ?? 'UTC'
    readings.push(classifyReply(text.slice(0, REPLY_TEXT_MAX), { optOutWords, now: at, timeZone }))
    // Long texts take milliseconds each, which delays other work.
    if (performance.now() - startedAt < BUSY_MS) continue
    await setImmediate()
    startedAt = performance.now()
  }
  return readings
}

/** The workspace's own opt-out words, in addition to the built-in ones. */
export async function optOutWordsOf(db: Db, workspaceId: string): Promise<string[]> {
  const [row] = await db
    .select({ words: replySettings.optOutWords })
    .from(replySettings)
    .where(eq(replySettings.workspaceId, workspaceId))
  return row?.words ?? []
}
