import { randomInt } from 'node:crypto'
import { MAIL_CODE_DIGITS } from '@x-automated/contract/identity/account'
import { and, eq, gt, sql } from 'drizzle-orm'
import { secondsFromNow } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { authMailCodes } from './tables.ts'

const CODE_SECONDS = 10 * 60
const CODE_TRIES = 5

/** Creates a code for an address. @param sessionId the only session that may redeem the code; null: any session may */
export async function createCode(
  tx: Db,
  email: string,
  sessionId: string | null,
): Promise<{ ticket: string; code: string }> {
  const ticket = newToken()
  const code = String(randomInt(10 ** MAIL_CODE_DIGITS)).padStart(MAIL_CODE_DIGITS, '0')
  await tx.insert(authMailCodes).values({
    ticketHash: hashToken(ticket),
    codeHash: codeHash(ticket, code),
    email,
    sessionId,
    attemptsLeft: CODE_TRIES,
    expiresAt: secondsFromNow(CODE_SECONDS),
  })
  return { ticket, code }
}

/**
 * Redeems a code, or counts a failed attempt. @returns the address to which the code was sent, or
 * null if it is invalid
 */
export async function useCode(
  tx: Db,
  { ticket, code, sessionId }: { ticket: string; code: string; sessionId: string | null },
): Promise<string | null> {
  const ticketHash = hashToken(ticket)
  const [row] = await tx
    .update(authMailCodes)
    .set({ attemptsLeft: sql`${authMailCodes.attemptsLeft} - 1` })
    .where(
      and(
        eq(authMailCodes.ticketHash, ticketHash),
        sql`${authMailCodes.sessionId} is not distinct from ${sessionId}::uuid`,
        gt(authMailCodes.attemptsLeft, 0),
        gt(authMailCodes.expiresAt, sql`now()`),
      ),
    )
    .returning()
  if (!row || row.codeHash !== codeHash(ticket, code)) return null
  await tx.delete(authMailCodes).where(eq(authMailCodes.ticketHash, ticketHash))
  return row.email
}

function codeHash(ticket: string, code: string): string {
  return hashToken(`${ticket}\n${code}`)
}

/** Deletes the codes that were emailed to an address. */
export async function deleteCodesTo(tx: Db, email: string): Promise<void> {
  await tx.delete(authMailCodes).where(eq(authMailCodes.email, email))
}
