import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { authIdentities, authUsers } from './tables.ts'

// The rows of accounts and of their sign-in methods, for all ways of signing in.

type Account = typeof authUsers.$inferSelect
type Identity = typeof authIdentities.$inferInsert

/** Inserts an account. @returns null if its address already has an account */
export async function insertAccount(
  tx: Db,
  row: Pick<typeof authUsers.$inferInsert, 'email' | 'name' | 'emailVerified'>,
): Promise<Account | null> {
  const [account] = await tx.insert(authUsers).values(row).onConflictDoNothing().returning()
  return account ?? null
}

/** Deletes an account that was never confirmed, which frees its address. */
export async function deleteUnconfirmed(tx: Db, email: string): Promise<void> {
  await tx.delete(authUsers).where(and(eq(authUsers.email, email), eq(authUsers.emailVerified, false)))
}

/** Changes an account's name, its address, or whether that address is verified. */
export async function changeAccount(
  tx: Db,
  id: string,
  change: Partial<Pick<Account, 'name' | 'email' | 'emailVerified'>>,
): Promise<void> {
  await tx
    .update(authUsers)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(authUsers.id, id))
}

/** Deletes an account with everything that belongs to it. */
export async function deleteAccount(tx: Db, id: string): Promise<void> {
  await tx.delete(authUsers).where(eq(authUsers.id, id))
}

/** Links a provider's identity to an account. @returns null if it is already linked */
export async function insertIdentity(tx: Db, row: Identity): Promise<{ id: string; userId: string } | null> {
  const { id, userId } = authIdentities
  const [identity] = await tx.insert(authIdentities).values(row).onConflictDoNothing().returning({ id, userId })
  return identity ?? null
}

/** Sets the hash of an account's password. @param password the hash */
export async function setPasswordHash(tx: Db, userId: string, password: string): Promise<void> {
  await tx
    .insert(authIdentities)
    .values({ userId, providerId: 'credential', accountId: userId, password })
    .onConflictDoUpdate({
      target: [authIdentities.providerId, authIdentities.accountId],
      set: { password, updatedAt: sql`now()` },
    })
}

/** The account of a caller. @throws Refusal UNAUTHORIZED: it no longer exists */
export async function findAccount(db: Db, { userId }: Pick<Actor, 'userId'>) {
  const [user] = await db.select().from(authUsers).where(eq(authUsers.id, userId))
  if (!user) throw new Refusal('UNAUTHORIZED')
  return user
}

/** The hash of an account's password; null: it has none. */
export async function findPassword(db: Db, userId: string): Promise<string | null> {
  const isPassword = and(eq(authIdentities.userId, userId), eq(authIdentities.providerId, 'credential'))
  const [row] = await db.select({ password: authIdentities.password }).from(authIdentities).where(isPassword)
  return row?.password ?? null
}
