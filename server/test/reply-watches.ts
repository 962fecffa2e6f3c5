import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { chatReads, replyWatches } from '../src/core/tables/replies.ts'
import { matching, type Which, type Writer } from './matching.ts'

// How X accounts are read. Each verb changes all watches chosen, by default all.

type Watches = Which<typeof replyWatches>

/** Watches an X account, or changes how it is watched. */
export async function watchAccount(
  { db }: Writer,
  xUserId: string,
  values: Omit<typeof replyWatches.$inferInsert, 'xUserId'>,
): Promise<void> {
  await db
    .insert(replyWatches)
    .values({ xUserId, ...values })
    .onConflictDoUpdate({ target: replyWatches.xUserId, set: values })
}

/** Nothing is watched. */
export async function deleteWatches({ db }: Writer): Promise<void> {
  await db.delete(replyWatches)
}

/** The last complete read of the accounts began that many seconds ago. */
export async function recordRead(to: Writer, which: Watches = {}, secondsAgo = 0): Promise<void> {
  await change(to, which, { readUntil: sql`now() - make_interval(secs => ${secondsAgo})` })
}

/** The accounts were never read. */
export async function forgetRead(to: Writer, which: Watches = {}): Promise<void> {
  await change(to, which, { readUntil: null })
}

/** The accounts are read then, by default now. */
export async function planRead(to: Writer, which: Watches = {}, nextPollAt = new Date()): Promise<void> {
  await change(to, which, { nextPollAt })
}

/** The accounts could not be read for that many seconds. */
export async function failReads(to: Writer, which: Watches = {}, seconds = 0): Promise<void> {
  await change(to, which, { failsSince: sql`now() - make_interval(secs => ${seconds})` })
}

/** X's rate limit of the accounts is over. */
export async function endRest(to: Writer, which: Watches = {}): Promise<void> {
  await change(to, which, { restsUntil: null })
}

/** The webhooks of the accounts are checked now. */
export async function makeCheckDue(to: Writer): Promise<void> {
  await change(to, {}, { nextCheckAt: new Date() })
}

/** X delivers nothing about the accounts. */
export async function loseWebhook(to: Writer, which: Watches): Promise<void> {
  await change(to, which, { webhookId: null })
}

/** X Chat, which the accounts did not have, is looked for again. */
export async function lookForChats(to: Writer, which: Watches): Promise<void> {
  await change(to, which, { chatAbsentUntil: sql`now() - interval '1 second'` })
}

async function change({ db }: Writer, which: Watches, set: PgUpdateSetSource<typeof replyWatches>): Promise<void> {
  await db.update(replyWatches).set(set).where(matching(replyWatches, which))
}

/** An X Chat conversation of the account changed, and was not read since. */
export async function changeChat({ db }: Writer, accountXUserId: string, personXUserId: string): Promise<void> {
  await db.insert(chatReads).values({ accountXUserId, personXUserId, conversationId: '1-2', changedAt: new Date() })
}

/** Nothing is known about the account's X Chat conversations. */
export async function forgetChats({ db }: Writer, accountXUserId: string): Promise<void> {
  await db.delete(chatReads).where(matching(chatReads, { accountXUserId }))
}
