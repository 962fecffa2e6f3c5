import { stringify } from 'csv-stringify/sync'
import { and, asc, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { Refusal } from '../../refusal.ts'
import {
  addresseeOf,
  changeWaitlist,
  credit,
  invitationMail,
  type LockedWaitlist,
  type Member,
  normalizeEmail,
  type Referral,
  takeBack,
  type WaitlistContext,
} from '../waitlist/service.ts'
import { members, referralCounts, referrals } from '../waitlist/tables.ts'

/** Referrals that wait for an operator, the oldest first. */
export async function listHeld(db: Db, { page, pageSize }: { page: number; pageSize: number }) {
  const referrer = db.select({ id: members.id, email: members.email }).from(members).as('referrer')
  const isHeld = eq(referrals.status, 'held')
  const [held, total] = await Promise.all([
    db
      .select({
        memberId: referrals.memberId,
        email: members.email,
        referrerId: referrals.referrerId,
        referrerEmail: referrer.email,
        reason: referrals.holdReason,
        country: referrals.country,
        createdAt: referrals.createdAt,
      })
      .from(referrals)
      .innerJoin(members, eq(members.id, referrals.memberId))
      .innerJoin(referrer, eq(referrer.id, referrals.referrerId))
      .where(isHeld)
      .orderBy(asc(referrals.createdAt), asc(referrals.memberId))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.$count(referrals, isHeld),
  ])
  return { held, total, page, pageSize }
}

/** Credits a held referral; where confirmation is required and missing, once that comes. @throws Refusal REFERRAL_NOT_FOUND, REFERRAL_STATE */
export async function releaseReferral(context: WaitlistContext & { db: Db }, operatorId: string, memberId: string) {
  await decide(context.db, memberId, ['held'], async (waitlist, referral) => {
    const { tx, now } = waitlist
    await tx.update(referrals).set({ decidedAt: now, decidedBy: operatorId }).where(eq(referrals.memberId, memberId))
    const [member] = await tx.select().from(members).where(eq(members.id, memberId))
    if (context.env.waitlistConfirmRequired && !member?.confirmedAt)
      await tx.update(referrals).set({ status: 'unconfirmed' }).where(eq(referrals.memberId, memberId))
    else await credit(waitlist, context, referral)
  })
}

/** Refuses a held referral's credit. @throws Refusal REFERRAL_NOT_FOUND, REFERRAL_STATE */
export async function refuseReferral({ db }: { db: Db }, operatorId: string, memberId: string) {
  await decide(db, memberId, ['held'], ({ tx, now }) =>
    tx
      .update(referrals)
      .set({ status: 'refused', decidedAt: now, decidedBy: operatorId })
      .where(eq(referrals.memberId, memberId)),
  )
}

/** Holds a referral again that was released or refused: the credit is taken back, the position stays. @throws Refusal REFERRAL_NOT_FOUND, REFERRAL_STATE */
export async function undoDecision({ db }: { db: Db }, memberId: string) {
  await decide(db, memberId, ['credited', 'refused', 'unconfirmed'], async (waitlist, referral) => {
    if (!referral.holdReason || !referral.decidedAt) throw new Refusal('REFERRAL_STATE')
    await takeBack(waitlist, referral)
    await waitlist.tx
      .update(referrals)
      .set({ status: 'held', decidedAt: null, decidedBy: null })
      .where(eq(referrals.memberId, memberId))
  })
}

async function decide(
  db: Db,
  memberId: string,
  from: Referral['status'][],
  decision: (waitlist: LockedWaitlist, referral: Referral) => Promise<unknown>,
): Promise<void> {
  await changeWaitlist(db, async (waitlist) => {
    const [referral] = await waitlist.tx.select().from(referrals).where(eq(referrals.memberId, memberId))
    if (!referral) throw new Refusal('REFERRAL_NOT_FOUND')
    if (!from.includes(referral.status)) throw new Refusal('REFERRAL_STATE')
    await decision(waitlist, referral)
  })
}

/** Members whose address begins with the text, or whose code it is; by address, at most 50. */
export async function searchMembers(db: Db, text: string) {
  const typed = text.trim().toLowerCase()
  // Addresses are kept as mailboxes: also look for what the text would be kept as, and for a beginning without dots.
  const beginnings = [typed, normalizeEmail(typed), typed.replaceAll('.', '')]
  return db
    .select()
    .from(members)
    .where(
      or(
        ...beginnings.map((start) => sql`${members.normalizedEmail} like ${`${start.replace(/[\\%_]/g, '\\$&')}%`}`),
        eq(members.referralCode, text.trim()),
      ),
    )
    .orderBy(asc(members.normalizedEmail))
    .limit(50)
}

/** Invites the next so many by position and mails them; they keep their places. @returns how many were invited */
export async function inviteNext(context: WaitlistContext & { db: Db }, howMany: number): Promise<number> {
  return changeWaitlist(context.db, async ({ tx, now }) => {
    const next = tx
      .select({ id: members.id })
      .from(members)
      .where(and(gt(members.position, 0), isNull(members.invitedAt), isNotNull(members.email)))
      .orderBy(asc(members.position))
      .limit(howMany)
    const invited = await tx.update(members).set({ invitedAt: now }).where(inArray(members.id, next)).returning()
    for (const member of invited) {
      const to = addresseeOf(context, member)
      if (to) await context.outbox.post(tx, invitationMail(to))
    }
    return invited.length
  })
}

const CSV_BATCH = 1_000
const CSV_COLUMNS = ['id', 'email', 'referral_code', 'referred_by', 'signup_date', 'position', 'achievements'] as const
const CSV_HEADER = [...CSV_COLUMNS, 'referral_count', 'country', 'confirmed_at', 'invited_at']

/** All members as CSV under the specification's column names, in pieces. What a spreadsheet would run as a formula is escaped. */
export async function* exportMembers(db: Db): AsyncGenerator<string> {
  yield stringify([CSV_HEADER])
  let after: string | null = null
  for (;;) {
    const rows: { member: Member; count: number | null }[] = await db
      .select({ member: members, count: referralCounts.referralCount })
      .from(members)
      .leftJoin(referralCounts, and(eq(referralCounts.memberId, members.id), eq(referralCounts.period, 'alltime')))
      .where(after ? gt(members.id, after) : undefined)
      .orderBy(asc(members.id))
      .limit(CSV_BATCH)
    const lines = rows.map(({ member: m, count: referralCount }) => [
      ...[m.id, m.email, m.referralCode, m.referredBy, m.signupDate.toISOString(), m.position],
      ...[m.achievements.join(' '), referralCount ?? 0, m.country],
      ...[m.confirmedAt?.toISOString(), m.invitedAt?.toISOString()],
    ])
    if (lines.length > 0) yield stringify(lines, { escape_formulas: true })
    const last = rows.at(-1)
    if (!last || rows.length < CSV_BATCH) return
    after = last.member.id
  }
}

/** Joins of each UTC day that had any, and all joined by its end. */
export async function growth(db: Db) {
  const { rows } = await db.execute<{ day: string; joins: number; total: number }>(sql`
    select day::text, joins::int, (sum(joins) over (order by day))::int as total
    from (select day, sum(joins) as joins from page_views group by day having sum(joins) > 0) as days
    order by day`)
  return rows
}
