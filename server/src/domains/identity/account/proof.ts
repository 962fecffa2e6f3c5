import type { InputOf } from '@x-automated/contract/contract'
import { REAUTHENTICATED_MINUTES } from '@x-automated/contract/identity/account'
import { and, eq, gt, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { verifyPassword } from '../../../passwords.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { Limits } from '../../../requests/limits.ts'
import { findAccount, findPassword } from '../auth/accounts.ts'
import { trustSession } from '../auth/sessions.ts'
import { authSessions } from '../auth/tables.ts'
import { createCode, useCode } from './codes.ts'
import { codeEmail } from './emails.ts'
import { type Context, mayEmail } from './recovery.ts'

/** @throws Refusal INVALID_CREDENTIALS, RATE_LIMITED */
async function checkPassword({ db, limits }: { db: Db; limits: Limits }, userId: string, password: string) {
  // Count the attempt before the check, so that parallel guesses count too.
  await limits.consume('proofByUser', userId)
  const hash = await findPassword(db, userId)
  if (!hash || !(await verifyPassword(hash, password)))
    throw new Refusal('INVALID_CREDENTIALS', 'The current password is incorrect.')
  await limits.reset('proofByUser', userId)
}

/** Requires the current password, or a session that reauthenticated recently. */
export async function requireProof(
  context: { db: Db; limits: Limits },
  { userId, sessionId }: Actor,
  currentPassword?: string,
): Promise<void> {
  if (currentPassword !== undefined) return checkPassword(context, userId, currentPassword)
  const since = sql`now() - make_interval(mins => ${REAUTHENTICATED_MINUTES})`
  const [session] = await context.db
    .select({ id: authSessions.id })
    .from(authSessions)
    .where(and(eq(authSessions.id, sessionId), gt(authSessions.reauthenticatedAt, since)))
  if (!session) throw new Refusal('REAUTHENTICATION_NEEDED')
}

/** Reauthenticates with the password or a code; emails a code if neither is given. */
export async function reauthenticate(
  context: Context,
  actor: Actor,
  { password, ticket, code }: InputOf<'account', 'reauthenticate'>,
) {
  const { db, outbox, origin } = context
  if (password !== undefined) {
    await checkPassword(context, actor.userId, password)
  } else if (ticket !== undefined && code !== undefined) {
    const email = await db.transaction((tx) => useCode(tx, { ticket, code, sessionId: actor.sessionId }))
    if (!email) throw new Refusal('INVALID_CODE')
  } else if (ticket !== undefined || code !== undefined) {
    throw invalidField(ticket === undefined ? 'ticket' : 'code', 'is required')
  } else {
    const user = await findAccount(db, actor)
    const isEmailed = await mayEmail(context, 'reauthenticate', user.email)
    const ticket = await db.transaction(async (tx) => {
      const made = await createCode(tx, user.email, actor.sessionId)
      if (isEmailed)
        await outbox.postAccount(tx, codeEmail(user.email, made.code, "confirm it's you", `${origin}/account`))
      return made.ticket
    })
    return { success: true as const, message: 'We emailed you a code.', ticket, goodUntil: null }
  }
  const since = await trustSession(db, actor.sessionId)
  const goodUntil = new Date(since.getTime() + REAUTHENTICATED_MINUTES * 60_000)
  return { success: true as const, message: 'Confirmed.', ticket: null, goodUntil }
}
