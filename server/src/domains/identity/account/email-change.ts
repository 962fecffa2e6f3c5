import { and, eq, gt, ne, or, sql } from 'drizzle-orm'
import { secondsFromNow } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { isUniqueViolation } from '../../../db/unique-violation.ts'
import type { SignUpContext, Waitlist } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { changeAccount, deleteUnconfirmed } from '../auth/accounts.ts'
import { deleteSignUps } from '../auth/sign-up.ts'
import { authUsers } from '../auth/tables.ts'
import { addressChangedEmail, addressTakenEmail, confirmNewAddressEmail, confirmOldAddressEmail } from './emails.ts'
import type { Context } from './recovery.ts'
import { authEmailChanges, authPasswordResets } from './tables.ts'

const EMAIL_CHANGE_SECONDS = 24 * 60 * 60

/**
 * Starts an email change and replaces a pending one. If `email` is the current address, only cancels
 * the pending change. Behaves the same for free and taken addresses.
 */
export async function beginEmailChange(
  { outbox, origin, waitlist }: Context,
  tx: Db,
  user: { id: string; email: string },
  email: string,
): Promise<void> {
  await tx.delete(authEmailChanges).where(eq(authEmailChanges.userId, user.id))
  if (email === user.email) return
  const [currentToken, newAddressToken] = [newToken(), newToken()]
  await tx.insert(authEmailChanges).values({
    userId: user.id,
    email,
    currentTokenHash: hashToken(currentToken),
    newTokenHash: hashToken(newAddressToken),
    expiresAt: secondsFromNow(EMAIL_CHANGE_SECONDS),
  })
  const link = (token: string) => `${origin}/api/auth/change-email?token=${token}`
  const isEmailTaken = await isTaken(tx, waitlist, user.id, email)
  await outbox.postAccount(tx, confirmOldAddressEmail(user.email, email, link(currentToken)))
  await outbox.postAccount(
    tx,
    isEmailTaken ? addressTakenEmail(email, `${origin}/login`) : confirmNewAddressEmail(email, link(newAddressToken)),
  )
}

/** Whether another confirmed account or waitlist member owns the address or its mailbox. */
async function isTaken(tx: Db, waitlist: Waitlist, userId: string, email: string): Promise<boolean> {
  const isAnothers = and(eq(authUsers.email, email), eq(authUsers.emailVerified, true), ne(authUsers.id, userId))
  const [account] = await tx.select({ id: authUsers.id }).from(authUsers).where(isAnothers)
  if (account) return true
  const owner = await waitlist.findMailboxOwner(tx, email)
  return owner !== null && owner !== userId
}

/** Records one mailbox's confirmation; the second completes the change, also on the waitlist. */
export async function confirmEmailChange(
  context: SignUpContext & { db: Db },
  token: string,
): Promise<'waiting' | 'done'> {
  const { db, outbox, origin, waitlist } = context
  const hash = hashToken(token)
  const moved = transact(db, async (tx) => {
    const [change] = await tx
      .update(authEmailChanges)
      .set({
        currentConfirmedAt: sql`
          case
            when ${authEmailChanges.currentTokenHash} = ${hash} then now()
            else ${authEmailChanges.currentConfirmedAt} end`,
        newConfirmedAt: sql`
          case when ${authEmailChanges.newTokenHash} = ${hash} then now() else ${authEmailChanges.newConfirmedAt} end`,
      })
      .where(
        and(
          or(eq(authEmailChanges.currentTokenHash, hash), eq(authEmailChanges.newTokenHash, hash)),
          gt(authEmailChanges.expiresAt, sql`now()`),
        ),
      )
      .returning()
    if (!change) throw new Refusal('INVALID_CODE')
    if (!change.currentConfirmedAt || !change.newConfirmedAt) return 'waiting'
    const [user] = await tx.select().from(authUsers).where(eq(authUsers.id, change.userId)).for('update')
    if (!user || (await isTaken(tx, waitlist, user.id, change.email))) throw new Refusal('INVALID_CODE')
    // An unconfirmed account does not own its address.
    await deleteUnconfirmed(tx, change.email)
    await deleteSignUps(tx, user.email)
    await changeAccount(tx, user.id, { email: change.email })
    await tx.delete(authEmailChanges).where(eq(authEmailChanges.userId, user.id))
    // The account's reset links were emailed to its former mailbox.
    await tx.delete(authPasswordResets).where(eq(authPasswordResets.userId, user.id))
    await waitlist.moveMember({ ...context, db: tx }, user.id, change.email)
    await outbox.postAccount(tx, addressChangedEmail(user.email, change.email, `${origin}/login`))
    return 'done' as const
  })
  return moved.catch((error: unknown) => {
    // Another account or waitlist member took the address at the same moment.
    throw isUniqueViolation(error) ? new Refusal('INVALID_CODE') : error
  })
}
