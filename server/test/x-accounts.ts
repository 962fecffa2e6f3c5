import { sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { recountMessages } from '../src/core/messages/counts.ts'
import { sendingLimits } from '../src/domains/outreach/sending-settings/tables.ts'
import { restores, xAccounts } from '../src/domains/platform/x-account/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// What happens to connected X accounts. Each verb changes all accounts chosen, by default all.

type Accounts = Which<typeof xAccounts>
type Account = typeof xAccounts.$inferSelect
type Change = PgUpdateSetSource<typeof xAccounts>

/** Senders look at the accounts again then, by default now. */
export async function letSend(to: Writer, which: Accounts = {}, nextSendAt = new Date()): Promise<void> {
  await change(to, which, { nextSendAt })
}

/** No sender looks at the accounts, because nothing of theirs is due. */
export async function leaveIdle(to: Writer, which: Accounts = {}): Promise<void> {
  await change(to, which, { nextSendAt: null })
}

/** Senders look at this account now, and at no other. */
export async function letOnlySend(to: Writer, id: string): Promise<void> {
  await change(to, {}, { nextSendAt: sql`case when id = ${id} then now() end` })
}

/** X rejected the accounts' tokens. */
export async function loseConnection(to: Writer, which: Accounts, reason: string | null = null): Promise<void> {
  await change(to, which, { status: 'lost', ...(reason !== null && { reason }) })
}

/** The accounts are connected again. */
export async function reconnect(to: Writer, which: Accounts): Promise<void> {
  await change(to, which, { status: 'connected' })
}

/** Their people disconnected the accounts. */
export async function disconnect(to: Writer, which: Accounts, more: Change = {}): Promise<void> {
  await change(to, which, { status: 'disconnected', ...more })
}

/** The access tokens expired then. */
export async function expireTokens(to: Writer, which: Accounts, accessTokenExpiresAt = new Date(0)): Promise<void> {
  await change(to, which, { accessTokenExpiresAt })
}

/** A restore leaves what the accounts did on X unread between these times, or nothing if there are none. */
export async function leaveUnread(
  to: Writer,
  which: Accounts,
  unreadSince: Date | null,
  unreadUntil = unreadSince,
): Promise<void> {
  await change(to, which, { unreadSince, unreadUntil })
}

/** The accounts rest until then, after X's rate limit; null ends it. */
export async function rest(to: Writer, which: Accounts, restsUntil: Date | null): Promise<void> {
  await change(to, which, { restsUntil })
}

/** The accounts are this one on X. */
export async function identify(to: Writer, which: Accounts, xUserId: string, more: Change = {}): Promise<Account[]> {
  return change(to, which, { xUserId, ...more })
}

/** The accounts were connected through this app. */
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

/** What the accounts did on X before a restore is to be read until now. */
export async function endUnread(to: Writer, which: Accounts): Promise<void> {
  await change(to, which, { unreadUntil: new Date() })
}

/** The handles of the accounts were read that many hours ago. */
export async function ageHandles(to: Writer, which: Accounts, hours: number): Promise<void> {
  await change(to, which, { handleReadAt: sql`now() - make_interval(hours => ${hours})` })
}

/** Nobody has decided yet whether texts of the accounts' conversations are stored. */
export async function askForConsent(to: Writer, which: Accounts): Promise<void> {
  await change(to, which, { storesConversations: null, consentBy: null, consentAt: null })
}

/** This person allowed to store texts. */
export async function consentAs(to: Writer, which: Accounts, consentBy: string): Promise<void> {
  await change(to, which, { consentBy })
}

/** X renewed the tokens of the accounts. */
export async function renewTokens(
  to: Writer,
  which: Accounts,
  sealed: { sealedAccessToken: string; sealedRefreshToken: string },
): Promise<void> {
  await change(to, which, sealed)
}

/** The workspace sends on weekdays in this time zone, on accounts without limits of their own. */
export async function setTimeZone({ db }: Writer, { workspaceId }: { workspaceId: string }, timeZone: string) {
  const limits = { workspaceId, timeZone, workDays: [1, 2, 3, 4, 5], warmUp: false }
  await db
    .insert(sendingLimits)
    .values(limits)
    .onConflictDoUpdate({ target: [sendingLimits.workspaceId, sendingLimits.xAccountId], set: limits })
}

/** The stored time zone of an account exists no longer. */
export async function loseTimeZone({ db }: Writer, xAccountId: string): Promise<void> {
  await db.update(sendingLimits).set({ timeZone: 'Mars/Olympus' }).where(matching(sendingLimits, { xAccountId }))
}

/** No restore is being read back. */
export async function deleteRestores({ db }: Writer): Promise<void> {
  await db.delete(restores)
}
