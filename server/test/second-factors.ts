import { eq } from 'drizzle-orm'
import { authFactors, authRecoveryCodes } from '../src/domains/identity/second-factors/tables.ts'
import { hashToken } from '../src/sealing.ts'
import type { Writer } from './matching.ts'

/** Adds an authenticator app without a secret. @param confirmedAt null: not confirmed yet */
export async function addFactor(
  { db }: Writer,
  userId: string,
  name = 'x',
  confirmedAt: Date | null = new Date(),
): Promise<typeof authFactors.$inferSelect> {
  const [factor] = await db.insert(authFactors).values({ userId, kind: 'totp', name, confirmedAt }).returning()
  return factor!
}

/** Adds a recovery code, which works once in place of a second factor. */
export async function addRecoveryCode({ db }: Writer, userId: string, code: string): Promise<void> {
  await db.insert(authRecoveryCodes).values({ userId, codeHash: hashToken(code) })
}

/** Removes the person's second factors, but not their recovery codes. */
export async function removeFactors({ db }: Writer, userId: string): Promise<void> {
  await db.delete(authFactors).where(eq(authFactors.userId, userId))
}

/** Allows the person to use their current code again. Otherwise, a code works once per time step. */
export async function allowCodesAgain({ db }: Writer, userId: string): Promise<void> {
  await db.update(authFactors).set({ lastStep: null }).where(eq(authFactors.userId, userId))
}
