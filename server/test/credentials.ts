import { and, eq, sql } from 'drizzle-orm'
import { authEmailChanges, authMailCodes, authPasswordResets } from '../src/domains/identity/account/tables.ts'
import {
  authCodes,
  authIdentities,
  authKeys,
  authRefreshTokens,
  authSignUps,
} from '../src/domains/identity/auth/tables.ts'
import { authLinkCodes, authStates } from '../src/domains/identity/identities/tables.ts'
import { authTickets } from '../src/domains/identity/second-factors/tables.ts'
import { ssoRequests } from '../src/domains/identity/sso/tables.ts'
import { extensionCodes } from '../src/domains/identity/workspaces/tables.ts'
import { xAuthorizations } from '../src/domains/platform/x-account/tables.ts'
import { hashToken } from '../src/sealing.ts'
import type { Writer } from './matching.ts'

// Changes sign-in methods, and temporary links, codes and keys, directly in the database.

const past = () => new Date(Date.now() - 1)
const BY_SECRET = {
  code: [authCodes, authCodes.codeHash],
  linkCode: [authLinkCodes, authLinkCodes.codeHash],
  mailCode: [authMailCodes, authMailCodes.ticketHash],
  passwordReset: [authPasswordResets, authPasswordResets.tokenHash],
  state: [authStates, authStates.stateHash],
  ticket: [authTickets, authTickets.ticketHash],
} as const

/** Lets the code, link, state or ticket with this secret expire. */
export async function expire({ db }: Writer, kind: keyof typeof BY_SECRET, secret: string): Promise<void> {
  const [table, hash] = BY_SECRET[kind]
  await db
    .update(table)
    .set({ expiresAt: past() })
    .where(eq(hash, hashToken(secret)))
}

/** Lets the links of a user's change of email address expire. */
export async function expireEmailChange({ db }: Writer, userId: string): Promise<void> {
  await db.update(authEmailChanges).set({ expiresAt: past() }).where(eq(authEmailChanges.userId, userId))
}

/** Lets the sign-ups of an email address expire, by default those of all addresses. */
export async function expireSignUps({ db }: Writer, email?: string): Promise<void> {
  await db
    .update(authSignUps)
    .set({ expiresAt: past() })
    .where(email === undefined ? undefined : eq(authSignUps.email, email))
}

/** Expires every sign-in at an identity provider that has not returned yet. */
export async function expireSsoRequests({ db }: Writer): Promise<void> {
  await db.update(ssoRequests).set({ expiresAt: past() })
}

/** Expires every visit to X that would connect an account. */
export async function expireAuthorizations({ db }: Writer): Promise<void> {
  await db.update(xAuthorizations).set({ expiresAt: past() })
}

/** Lets the person's pairing code expire. */
export async function expirePairingCode({ db }: Writer, userId: string): Promise<void> {
  await db.update(extensionCodes).set({ expiresAt: past() }).where(eq(extensionCodes.userId, userId))
}

/** Begins a sign-up, as if the link had been emailed. @param password hashed */
export async function insertSignUp({ db }: Writer, email: string, password: string): Promise<void> {
  const expiresAt = new Date(Date.now() + 3_600_000)
  await db.insert(authSignUps).values({ id: crypto.randomUUID(), email, name: 'Ada', password, expiresAt })
}

/** Issues a link to set a new password. */
export async function insertPasswordReset({ db }: Writer, userId: string, token: string): Promise<void> {
  const expiresAt = new Date(Date.now() + 60_000)
  await db.insert(authPasswordResets).values({ tokenHash: hashToken(token), userId, expiresAt })
}

/** Backdates the replacement of a refresh token to `seconds` seconds ago. */
export async function backdateRotation({ db }: Writer, token: string, seconds: number): Promise<void> {
  await db
    .update(authRefreshTokens)
    .set({ rotatedAt: new Date(Date.now() - seconds * 1_000) })
    .where(eq(authRefreshTokens.tokenHash, hashToken(token)))
}

/** Links a sign-in provider's account to a person's account. @returns the id of the link */
export async function linkIdentity(
  { db }: Writer,
  userId: string,
  providerId: string,
  more: Partial<Pick<typeof authIdentities.$inferInsert, 'accountId' | 'email' | 'idToken'>> = {},
): Promise<string> {
  const [identity] = await db
    .insert(authIdentities)
    .values({ userId, providerId, accountId: userId, ...more })
    .returning()
  return identity!.id
}

/** Removes the password of the person's account. */
export async function removePassword({ db }: Writer, userId: string): Promise<void> {
  await db
    .delete(authIdentities)
    .where(and(eq(authIdentities.userId, userId), eq(authIdentities.providerId, 'credential')))
}

type Key = typeof authKeys.$inferInsert

/** Adds keys that sign access tokens. */
export async function insertKeys({ db }: Writer, keys: Key[]): Promise<void> {
  await db.insert(authKeys).values(keys)
}

/** Deletes all keys that sign access tokens. @returns the keys, for `insertKeys` */
export async function removeKeys({ db }: Writer): Promise<Key[]> {
  return db.delete(authKeys).returning()
}

/** Replaces the stored private key of all signing keys. */
export async function sealKeysAs({ db }: Writer, privateKey: string): Promise<void> {
  await db.update(authKeys).set({ privateKey })
}

/** Backdates the time when all keys stopped signing to `hours` hours ago. */
export async function retireKeys({ db }: Writer, hours: number): Promise<void> {
  await db.update(authKeys).set({ expiresAt: sql`now() - make_interval(hours => ${hours})` })
}

/** Backdates the time when the oldest key stopped signing to `hours` hours ago. */
export async function retireOldestKey({ db }: Writer, hours: number): Promise<void> {
  await db
    .update(authKeys)
    .set({ expiresAt: sql`now() - make_interval(hours => ${hours})` })
    .where(sql`${authKeys.expiresAt} = (select min(expires_at) from ${authKeys})`)
}
