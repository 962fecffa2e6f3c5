import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { recountMessages } from '../src/core/messages/counts.ts'
import { sendingLimits } from '../src/domains/outreach/sending-settings/tables.ts'
import { restores, xAccounts } from '../src/domains/platform/x-account/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes connected X accounts directly in the database. Each function changes all accounts that `which` selects.

type Accounts = Which<typeof xAccounts>
type Account = typeof xAccounts.$inferSelect
type Change = PgUpdateSetSource<typeof xAccounts>

/** Sets when senders check the accounts next, by default now. */
export async function letSend(to: Writer, which: Accounts = {}, nextSendAt = new Date()): Promise<void> {
  await change(to, which, { nextSendAt })
}

/** Makes senders ignore the accounts, as if nothing of theirs were due. */
export async function leaveIdle(to: Writer, which: Accounts = {}): Promise<void> {
  await change(to, which, { nextSendAt: null })
}

/** Makes senders check this account now, and no other. */
export async function letOnlySend(to: Writer, id: string): Promise<void> {
  await change(to, {}, { nextSendAt: sql`case when id = ${id} then now() end` })
}

/** Marks the accounts' connection as lost, as if X had rejected their tokens. */
export async function loseConnection(to: Writer, which: Accounts, reason: string | null = null): Promise<void> {
  await change(to, which, { status: 'lost', ...(reason !== null && { reason }) })
}

/** Marks the accounts as connected. */
export async function reconnect(to: Writer, which: Accounts): Promise<void> {
  await change(to, which, { status: 'connected' })
}

/** Marks the accounts as disconnected by a user. */
export async function disconnect(to: Writer, which: Accounts, more: Change = {}): Promise<void> {
  await change(to, which, { status: 'disconnected', ...more })
}

/** Sets when the accounts' access tokens expire, by default in 1970. */
export async function expireTokens(to: Writer, which: Accounts, accessTokenExpiresAt = new Date(0)): Promise<void> {
  await change(to, which, { accessTokenExpiresAt })
}

/** Marks what the accounts did on X between these times as unread, as a restore does; null: nothing is unread. */
export async function leaveUnread(
  to: Writer,
  which: Accounts,
  unreadSince: Date | null,
  unreadUntil = unreadSince,
): Promise<void> {
  await change(to, which, { unreadSince, unreadUntil })
}

/** Makes the accounts wait for X's rate limit until `restsUntil`; null ends the wait. */
export async function rest(to: Writer, which: Accounts, restsUntil: Date | null): Promise<void> {
  await change(to, which, { restsUntil })
}

/** Sets the accounts' X user id. */
export async function identify(to: Writer, which: Accounts, xUserId: string, more: Change = {}): Promise<Account[]> {
  return change(to, which, { xUserId, ...more })
}

/** Sets the X app through which the accounts were connected. */
export async function changeApp(to: Writer, which: Accounts, xAppId: string): Promise<void> {
  await change(to, which, { xAppId })
}

/** Deletes the accounts, as deleting their workspace does. */
export async function deleteAccounts({ db }: Writer, which: Accounts = {}): Promise<void> {
  await db.delete(xAccounts).where(matching(xAccounts, which))
  await recountMessages(db)
}

function change({ db }: Writer, which: Accounts, set: Change): Promise<Account[]> {
  return db.update(xAccounts).set(set).where(matching(xAccounts, which)).returning()
}

/** Inserts a connected account without tokens. */
export async function insertAccount(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  xUserId: string,
  handle: string,
): Promise<void> {
  await db.insert(xAccounts).values({ workspaceId, xUserId, handle, status: 'connected' })
}

/** Makes the period that a restore left unread on X end now. */
export async function endUnread(to: Writer, which: Accounts): Promise<void> {
  await change(to, which, { unreadUntil: new Date() })
}

/** Backdates the last read of the accounts' handles to `hours` hours ago. */
export async function ageHandles(to: Writer, which: Accounts, hours: number): Promise<void> {
  await change(to, which, { handleReadAt: sql`now() - make_interval(hours => ${hours})` })
}

/** Resets the decision whether texts of the accounts' conversations are stored. */
export async function askForConsent(to: Writer, which: Accounts): Promise<void> {
  await change(to, which, { storesConversations: null, consentBy: null, consentAt: null })
}

/** Sets the person who decided whether texts are stored. */
export async function consentAs(to: Writer, which: Accounts, consentBy: string): Promise<void> {
  await change(to, which, { consentBy })
}

/** Replaces the accounts' tokens, as if X had renewed them. */
export async function renewTokens(
  to: Writer,
  which: Accounts,
  sealed: { sealedAccessToken: string; sealedRefreshToken: string },
): Promise<void> {
  await change(to, which, sealed)
}

/** Makes accounts without their own limits send on weekdays in this time zone, without warm-up. */
export async function setTimeZone({ db }: Writer, { workspaceId }: { workspaceId: string }, timeZone: string) {
  const limits = { workspaceId, timeZone, workDays: [1, 2, 3, 4, 5], warmUp: false }
  await db
    .insert(sendingLimits)
    .values(limits)
    .onConflictDoUpdate({ target: [sendingLimits.workspaceId, sendingLimits.xAccountId], set: limits })
}

/** Sets an account's stored time zone to one that does not exist. */
export async function loseTimeZone({ db }: Writer, xAccountId: string): Promise<void> {
  await db.update(sendingLimits).set({ timeZone: 'Mars/Olympus' }).where(matching(sendingLimits, { xAccountId }))
}

/** Deletes the records of restores, so that nothing is read back from X. */
export async function deleteRestores({ db }: Writer): Promise<void> {
  await db.delete(restores)
}
