import { eq, inArray, type SQLWrapper } from 'drizzle-orm'
import { secondsFromNow } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { authFactors, authRecoveryCodes, authTickets } from './tables.ts'

// The parts of second factors that sign-ins need.

/** Time to complete the second step of a sign-in. */
const TICKET_SECONDS = 10 * 60
const TRIES = 5

/** Creates the ticket of a sign-in whose first step succeeded. */
export async function createTicket(
  tx: Db,
  { userId, ssoIdentityId }: { userId: string; ssoIdentityId: string | null },
): Promise<string> {
  const ticket = newToken()
  await tx.insert(authTickets).values({
    ticketHash: hashToken(ticket),
    userId,
    ssoIdentityId,
    attemptsLeft: TRIES,
    expiresAt: secondsFromNow(TICKET_SECONDS),
  })
  return ticket
}

/** Deletes the tickets of single sign-on identities. @param identities a subquery of their ids */
export async function deleteTickets(tx: Db, identities: SQLWrapper): Promise<void> {
  await tx.delete(authTickets).where(inArray(authTickets.ssoIdentityId, identities))
}

/** Deletes all second factors of an account. */
export async function deleteFactors(tx: Db, userId: string): Promise<void> {
  await tx.delete(authFactors).where(eq(authFactors.userId, userId))
  await tx.delete(authRecoveryCodes).where(eq(authRecoveryCodes.userId, userId))
}
