import { randomInt } from 'node:crypto'
import { and, asc, gt, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import type { WaitlistContext } from '../../../ports.ts'
import { createSealer } from '../../../sealing.ts'
import type { Addressee } from './emails.ts'
import type { LockedWaitlist } from './lock.ts'
import { members } from './tables.ts'

export type Member = typeof members.$inferSelect

type NewMember = Omit<typeof members.$inferInsert, 'referralCode'> & { referralCode: () => string }

/** Inserts a member with an unused code. @returns null if the mailbox already has a member */
export async function insertMember(tx: Db, { referralCode, ...member }: NewMember): Promise<Member | null> {
  // Short codes collide occasionally: take the first unused one.
  const codes = Array.from({ length: 4 }, referralCode)
  const free = sql<string>`(select code from unnest(array[${sql.join(
    codes.map((code) => sql`${code}`),
    sql`, `,
  )}]::text[]) as code where not exists (select from users where referral_code = code) limit 1)`
  const [made] = await tx
    .insert(members)
    .values({ ...member, referralCode: free })
    .onConflictDoNothing({ target: members.normalizedEmail })
    .returning()
  return made ?? null
}

/** An alphabet without easily confused characters. */
export const LETTERS_AND_DIGITS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CAPITALS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** The referral code of a member created by signing in: six capitals and digits. */
export function sessionCode(): string {
  return randomText(CAPITALS_AND_DIGITS, 6)
}

/** A random text of characters from an alphabet. */
export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** The recipient of waitlist emails; null if the member cannot get any. */
export function addresseeOf({ env, origin }: WaitlistContext, member: Member): Addressee | null {
  const { email, referralCode, position } = member
  if (!email || !referralCode || member.unsubscribedAt) return null
  const token = memberToken(env.authSecret, 'unsubscribe').seal(member.id)
  return { email, referralCode, position, origin, unsubscribeLink: `${origin}/api/waitlist/unsubscribe?token=${token}` }
}

/** Seals and opens member ids in emailed links. */
export function memberToken(secret: string, purpose: 'confirm' | 'unsubscribe') {
  return createSealer(secret, `x-automated waitlist ${purpose}`)
}

/** Marks the next members by position as invited, if they may be emailed. @returns these members */
export async function markNextInvited(
  { tx, now }: Pick<LockedWaitlist, 'tx' | 'now'>,
  howMany: number,
): Promise<Member[]> {
  const next = tx
    .select({ id: members.id })
    .from(members)
    .where(
      and(gt(members.position, 0), isNull(members.invitedAt), isNotNull(members.email), isNull(members.unsubscribedAt)),
    )
    .orderBy(asc(members.position))
    .limit(howMany)
  return tx.update(members).set({ invitedAt: now }).where(inArray(members.id, next)).returning()
}
