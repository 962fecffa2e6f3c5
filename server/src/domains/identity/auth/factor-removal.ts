import { and, asc, eq, isNotNull } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { createSealer } from '../../../sealing.ts'
import { authFactors } from '../second-factors/tables.ts'

const TICKET_MINUTES = 15

/** Proof that the caller controls the account's mailbox. A password alone does not prove that. */
interface MailboxProof {
  userId: string
  provedAt: Date
}

/** After a mailbox proof, offers to remove older second factors, which may be lost or an attacker's. */
export async function offerFactorRemoval({ db, env }: { db: Db; env: { authSecret: string } }, userId: string) {
  const factors = await db
    .select({ kind: authFactors.kind, name: authFactors.name, createdAt: authFactors.createdAt })
    .from(authFactors)
    .where(and(eq(authFactors.userId, userId), isNotNull(authFactors.confirmedAt)))
    .orderBy(asc(authFactors.createdAt))
  if (factors.length === 0) return null
  return { ticket: sealerOf(env).seal(JSON.stringify({ userId, provedAt: new Date() })), factors }
}

/** @returns null if the ticket is forged or expired */
export function openRemovalTicket(env: { authSecret: string }, ticket: string): MailboxProof | null {
  try {
    const { userId, provedAt } = JSON.parse(sealerOf(env).open(ticket)) as { userId: string; provedAt: string }
    const isFresh = Date.now() - Date.parse(provedAt) < TICKET_MINUTES * 60_000
    return isFresh ? { userId, provedAt: new Date(provedAt) } : null
  } catch {
    return null
  }
}

function sealerOf({ authSecret }: { authSecret: string }) {
  return createSealer(authSecret, 'x-automated factor removal')
}
