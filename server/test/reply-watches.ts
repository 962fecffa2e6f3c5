import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { chatReads, replyWatches } from '../src/core/tables/replies.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes how X accounts are watched for replies. Each function changes all watches that `which` selects.

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

/** Stops watching all accounts. */
export async function deleteWatches({ db }: Writer): Promise<void> {
  await db.delete(replyWatches)
}

/** Backdates the start of the accounts' last complete read to `secondsAgo` seconds ago. */
export async function recordRead(to: Writer, which: Watches = {}, secondsAgo = 0): Promise<void> {
  await change(to, which, { readUntil: sql`now() - make_interval(secs => ${secondsAgo})` })
}

/** Removes the last complete read of the accounts, as if they had never been read. */
export async function forgetRead(to: Writer, which: Watches = {}): Promise<void> {
  await change(to, which, { readUntil: null })
}

/** Sets when the accounts are read next, by default now. */
export async function planRead(to: Writer, which: Watches = {}, nextPollAt = new Date()): Promise<void> {
  await change(to, which, { nextPollAt })
}

/** Marks reads of the accounts as failing for `seconds` seconds. */
export async function failReads(to: Writer, which: Watches = {}, seconds = 0): Promise<void> {
  await change(to, which, { failsSince: sql`now() - make_interval(secs => ${seconds})` })
}

/** Ends the wait for X's rate limit of the accounts. */
export async function endRest(to: Writer, which: Watches = {}): Promise<void> {
  await change(to, which, { restsUntil: null })
}

/** Makes the check of all accounts' webhook subscriptions due now. */
export async function makeCheckDue(to: Writer): Promise<void> {
  await change(to, {}, { nextCheckAt: new Date() })
}

/** Removes the accounts' webhook, so that X delivers nothing about them. */
export async function loseWebhook(to: Writer, which: Watches): Promise<void> {
  await change(to, which, { webhookId: null })
}

/** Makes the accounts' next check for X Chat due now. */
export async function lookForChats(to: Writer, which: Watches): Promise<void> {
  await change(to, which, { chatAbsentUntil: sql`now() - interval '1 second'` })
}

async function change({ db }: Writer, which: Watches, set: PgUpdateSetSource<typeof replyWatches>): Promise<void> {
  await db.update(replyWatches).set(set).where(matching(replyWatches, which))
}

/** Records that an X Chat conversation of the account has changed and has not been read since. */
export async function changeChat({ db }: Writer, accountXUserId: string, personXUserId: string): Promise<void> {
  await db.insert(chatReads).values({ accountXUserId, personXUserId, conversationId: '1-2', changedAt: new Date() })
}

/** Deletes the records of the account's X Chat conversations. */
export async function forgetChats({ db }: Writer, accountXUserId: string): Promise<void> {
  await db.delete(chatReads).where(matching(chatReads, { accountXUserId }))
}
