import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, gt, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { hashPassword } from '../../../passwords.ts'
import { Refusal } from '../../../refusal.ts'
import { changeAccount, findAccount, findPassword } from '../auth/accounts.ts'
import { endOtherSessions, requireAccountSession } from '../auth/sessions.ts'
import { beginEmailChange } from './email-change.ts'
import { passwordChangedEmail } from './emails.ts'
import { requireProof } from './proof.ts'
import { type Context, mayEmail, setPassword } from './recovery.ts'
import { authEmailChanges } from './tables.ts'

/** @throws Refusal UNAUTHORIZED: the account no longer exists */
export async function findUser(db: Db, actor: Actor) {
  const { id, email, name, createdAt } = await findAccount(db, actor)
  const isPending = and(eq(authEmailChanges.userId, id), gt(authEmailChanges.expiresAt, sql`now()`))
  const [password, [change]] = await Promise.all([
    findPassword(db, id),
    db.select().from(authEmailChanges).where(isPending),
  ])
  return {
    id,
    email,
    name,
    createdAt,
    hasPassword: password !== null,
    pendingEmail: change?.email ?? null,
    pendingEmailConfirmed: change
      ? { present: change.currentConfirmedAt !== null, new: change.newConfirmedAt !== null }
      : null,
  }
}

/** Changes name and password, and starts a change of the address, in one transaction. */
export async function updateUser(context: Context, actor: Actor, changes: InputOf<'account', 'updateUser'>) {
  const { db, auth, outbox, origin } = context
  const { name, password, email, currentPassword } = changes
  const { email: presentEmail } = await findAccount(db, actor)
  // Keeping the same address needs no reauthentication and sends no email.
  const moves = email !== undefined && email !== presentEmail
  if (password !== undefined || moves) await requireProof(context, actor, currentPassword)
  else await requireAccountSession(db, actor)
  // Emails to free and taken addresses are counted alike, so this error reveals nothing about another account.
  if (moves && !(await mayEmail(context, 'change', email)))
    throw new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: 60 * 60 })
  const hash = password === undefined ? null : await hashPassword(password)
  await db.transaction(async (tx) => {
    const user = await findAccount(tx, actor)
    if (name !== undefined) await changeAccount(tx, user.id, { name })
    if (hash !== null) {
      await setPassword(tx, user.id, hash)
      await endOtherSessions(tx, auth, { userId: user.id, except: actor.sessionId })
      await outbox.postAccount(tx, passwordChangedEmail(user.email, `${origin}/forgot-password`))
    }
    if (email !== undefined) await beginEmailChange(context, tx, user, email)
  })
  return findUser(db, actor)
}
