import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { replies } from '../src/core/tables/replies.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes stored replies directly in the database. Each function changes all replies that `which` selects.

type Replies = Which<typeof replies>
type Reply = typeof replies.$inferSelect

let events = 0

/** Stores a lead's reply to the X account '1', by default received now, without the other effects of a reply. */
export async function insertReply(
  { db }: Writer,
  values: Partial<typeof replies.$inferInsert> & { workspaceId: string; leadId: string },
): Promise<Reply> {
  events += 1
  const plain = { accountXUserId: '1', xEventId: `inserted ${events}`, kind: 'reply' as const, at: new Date() }
  const [reply] = await db
    .insert(replies)
    .values({ ...plain, ...values })
    .returning()
  return reply!
}

/** Backdates the replies to `days` days ago. */
export async function ageReplies(to: Writer, which: Replies, days: number): Promise<void> {
  await change(to, which, { at: sql`now() - make_interval(days => ${days})` })
}

/** Stores each of the replies `times` more times, as other messages. */
export async function repeatReplies({ db }: Writer, which: Replies, times: number): Promise<void> {
  const rows = await db.select().from(replies).where(matching(replies, which))
  const more = rows.flatMap(({ id, ...row }) =>
    Array.from({ length: times }, (_, n) => ({ ...row, xEventId: `${id} ${n}` })),
  )
  await db.insert(replies).values(more)
}

/** Delays the arrival of the replies by `hours` hours. */
export async function delayReplies(to: Writer, which: Replies, hours: number): Promise<void> {
  await change(to, which, { at: sql`${replies.at} + make_interval(hours => ${hours})` })
}

/** Changes the label or text of the replies. */
export async function rewriteReplies(
  to: Writer,
  which: Replies,
  content: Partial<Pick<Reply, 'label' | 'text'>>,
): Promise<Reply[]> {
  return change(to, which, content)
}

function change({ db }: Writer, which: Replies, set: PgUpdateSetSource<typeof replies>): Promise<Reply[]> {
  return db.update(replies).set(set).where(matching(replies, which)).returning()
}
