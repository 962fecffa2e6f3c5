import { setImmediate } from 'node:timers/promises'
import type { InputOf } from '@x-automated/contract/contract'
import type { ReplyDetection } from '@x-automated/contract/outreach/replies'
import { sql } from 'drizzle-orm'
import { type Actor, callerId } from '../../../actor.ts'
import { optOutWordsOf } from '../../../core/classifier/classify-replies.ts'
import { namedDay } from '../../../core/classifier/dates.ts'
import { classifyReply } from '../../../core/classifier/labels.ts'
import { detectLanguage, isUnknownOrMixed } from '../../../core/classifier/model.ts'
import type { Db } from '../../../db/open.ts'
import type { Limits } from '../../../requests/limits.ts'

/** How many texts count as one call. */
const TEXTS_PER_CALL = 10

/** Labels texts as if they were replies, without storing them. @throws Refusal RATE_LIMITED */
export async function classifyTexts(
  { db, actor, limits }: { db: Db; actor: Actor; limits: Limits },
  { texts, writtenOn }: InputOf<'replies', 'classify'>,
) {
  const calls = Math.ceil(texts.length / TEXTS_PER_CALL)
  // The call itself has already been counted.
  if (calls > 1) limits.countCall(callerId(actor), calls - 1)
  const now = writtenOn ? new Date(writtenOn) : new Date()
  const options = { optOutWords: await optOutWordsOf(db, actor.workspaceId), now, timeZone: 'UTC' }
  const results = []
  for (const text of texts) {
    const language = detectLanguage(text)
    const isUnread = isUnknownOrMixed(text)
    const { label, confidence } = classifyReply(text, options, isUnread)
    results.push({ label, confidence, language, date: isUnread ? null : namedDay(text, options) })
    // Long texts take milliseconds each, which delays other work.
    await setImmediate()
  }
  return { results }
}

/** The current state of reply detection for the workspace's accounts, or for one of them. */
export async function detection(db: Db, actor: Actor, xAccountId: string | null = null) {
  const { rows } = await db.execute<Detected>(sql`
    select a.handle, w.webhook_id is not null as "isSubscribed", w.problem, w.failure, w.read_until as "readUntil",
      coalesce(w.has_message_requests, false) as "hasRequests"
    from x_accounts a left join reply_watches w on w.x_user_id = a.x_user_id
    where a.workspace_id = ${actor.workspaceId} and a.status = 'connected'
      ${xAccountId ? sql`and a.id = ${xAccountId}` : sql``}
    order by w.read_until nulls first`)
  const unread = rows.find(({ failure }) => failure !== null)
  const problem = unread
    ? `We can't read the messages of @${unread.handle}: ${unread.failure} Follow-ups wait.`
    : (rows.find((row) => row.problem !== null)?.problem ?? null)
  const isPolled = unread !== undefined || rows.some((row) => row.problem !== null)
  const state: ReplyDetection['state'] =
    rows.length === 0
      ? 'off'
      : isPolled
        ? 'degraded'
        : rows.every(({ isSubscribed }) => isSubscribed)
          ? 'live'
          : 'starting'
  const readUntil = rows[0]?.readUntil
  const requestsOf = rows.filter(({ hasRequests }) => hasRequests).map(({ handle }) => handle)
  return { state, problem, checkedAt: readUntil ? new Date(readUntil) : null, requestsOf }
}

type Detected = {
  handle: string
  isSubscribed: boolean
  /** Why X does not report everything. */
  problem: string | null
  /** Why the account cannot be read. */
  failure: string | null
  readUntil: string | null
  hasRequests: boolean
}
