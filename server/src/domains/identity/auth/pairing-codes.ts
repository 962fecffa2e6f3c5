import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { hashToken } from '../../../sealing.ts'
import { extensionCodes } from '../workspaces/tables.ts'

// Codes that pair an extension. They are deleted with the session that created them.

type PairingCode = Omit<typeof extensionCodes.$inferInsert, 'codeHash'>

/** Stores a user's pairing code and invalidates the previous one. */
export async function storePairingCode(tx: Db, code: string, row: PairingCode): Promise<void> {
  await deletePairingCodes(tx, eq(extensionCodes.userId, row.userId))
  await tx.insert(extensionCodes).values({ ...row, codeHash: hashToken(code) })
}

/** Redeems a pairing code, which works once. @returns null if it is wrong, used or expired */
export async function redeemPairingCode(tx: Db, code: string) {
  const [redeemed] = await tx
    .delete(extensionCodes)
    .where(and(eq(extensionCodes.codeHash, hashToken(code)), gt(extensionCodes.expiresAt, sql`now()`)))
    .returning()
  return redeemed ?? null
}

/** Deletes pairing codes. @param which a condition on extension_codes */
export async function deletePairingCodes(tx: Db, which: SQL): Promise<void> {
  await tx.delete(extensionCodes).where(which)
}

/** Deletes expired pairing codes. */
export async function purgeExpiredPairingCodes(db: Db): Promise<void> {
  await deletePairingCodes(db, lt(extensionCodes.expiresAt, sql`now()`))
}
