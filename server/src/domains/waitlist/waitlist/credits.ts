import { type Achievement, SPOTS_PER_REFERRAL } from '@x-automated/contract/waitlist/waitlist'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { WaitlistContext } from '../../../ports.ts'
import { hashToken } from '../../../sealing.ts'
import { authSessions } from '../../identity/auth/tables.ts'
import { publishEvent } from '../../platform/webhooks/webhooks.ts'
import { achievementsEmail, movedUpEmail } from './emails.ts'
import { changeWaitlist, type LockedWaitlist } from './lock.ts'
import { addresseeOf, type Member } from './members.ts'
import { grantRewards, publishEarned, scheduleRewards, utcDay } from './rewards.ts'
import { addressRange, BURSTS, holdReason, newAchievements } from './rules.ts'
import { joinAddresses, members, referralCounts, referrals } from './tables.ts'

export type Referral = typeof referrals.$inferSelect

/** The origin of a request: hashes of its address and range, and its country. */
export interface Provenance {
  addressHash: string
  rangeHash: string
  /** Whether the request came from this machine, whose addresses say nothing. */
  isLoopback?: boolean
  country: string | null
}

/** Hashes the range of an address. */
export function hashRange(secret: string, address: string): string {
  return hashToken(`${secret}\n${addressRange(address) ?? address}`)
}

/** Stores where a member joined from, to detect bursts. */
export async function storeAddress(tx: Db, memberId: string, from: Provenance): Promise<void> {
  const { addressHash, rangeHash } = from
  await tx.insert(joinAddresses).values({ memberId, addressHash, rangeHash }).onConflictDoNothing()
}

interface NewReferral {
  member: Pick<Member, 'id' | 'confirmedAt'>
  referrerId: string
  email: string
  from: Provenance
}

/**
 * Like `creditOrHold`, for an existing member. @returns false without an effect if the member has a
 * referrer, is the referrer, or has referred the referrer
 */
export async function refer(
  waitlist: LockedWaitlist,
  context: WaitlistContext,
  referral: NewReferral,
): Promise<boolean> {
  const { member, referrerId } = referral
  const [referred] = await waitlist.tx
    .update(members)
    .set({ referredBy: referrerId })
    .where(
      sql`${members.id} = ${member.id} and ${members.referredBy} is null and ${members.id} <> ${referrerId}
        and not exists (select from referrals where member_id = ${referrerId} and referrer_id = ${member.id})`,
    )
    .returning({ id: members.id })
  if (!referred) return false
  await creditOrHold(waitlist, context, referral)
  return true
}

/** Credits a referral, unless it is suspicious or unconfirmed. Call it before storing the address. */
export async function creditOrHold(
  waitlist: LockedWaitlist,
  context: WaitlistContext,
  { member, referrerId, email, from }: NewReferral,
): Promise<void> {
  const { tx, now } = waitlist
  const reason = holdReason(email, await joinsFromRange(tx, from.rangeHash, now))
  const unconfirmed = context.env.waitlistConfirmRequired && !member.confirmedAt
  const status = reason ? 'held' : unconfirmed ? 'unconfirmed' : 'credited'
  const isOwn = !from.isLoopback && (await isOwnNetwork(tx, context, referrerId, from.rangeHash))
  const row = {
    memberId: member.id,
    referrerId,
    holdReason: reason,
    rewardHold: isOwn ? ('own_network' as const) : null,
    mailCheckAt: from.isLoopback ? null : now,
    country: from.country,
    createdAt: now,
  }
  if (status !== 'credited') {
    await tx.insert(referrals).values({ ...row, status })
    return
  }
  await tx.insert(referrals).values({ ...row, ...nextCredit(waitlist) })
  await countCredit(waitlist, context, { memberId: member.id, referrerId, country: from.country, moves: true })
}

/** Whether the referrer has joined or signed in from a range. */
async function isOwnNetwork(tx: Db, { env }: WaitlistContext, referrerId: string, rangeHash: string) {
  const [joined] = await tx
    .select({ id: joinAddresses.memberId })
    .from(joinAddresses)
    .where(and(eq(joinAddresses.memberId, referrerId), eq(joinAddresses.rangeHash, rangeHash)))
  if (joined) return true
  const sessions = await tx
    .select({ address: authSessions.ipAddress })
    .from(authSessions)
    .innerJoin(members, eq(members.accountUserId, authSessions.userId))
    .where(eq(members.id, referrerId))
  return sessions.some(({ address }) => address !== null && hashRange(env.authSecret, address) === rangeHash)
}

/** Counts earlier joins from a range within the time of each of BURSTS, up to the burst's size. */
async function joinsFromRange(tx: Db, rangeHash: string, now: Date): Promise<number[]> {
  const counts = BURSTS.map(
    ({ joins, minutes }) =>
      sql`(select count(*)::int from (select from join_addresses where range_hash = ${rangeHash}
        and created_at > ${now.toISOString()}::timestamptz - make_interval(mins => ${minutes})
        limit ${joins}) as recent)`,
  )
  const { rows } = await tx.execute<{ joins: number[] }>(sql`select array[${sql.join(counts, sql`, `)}] as joins`)
  return one(rows).joins
}

/** Credits a waiting referral. */
export async function credit(waitlist: LockedWaitlist, context: WaitlistContext, referral: Referral): Promise<void> {
  const { memberId, referrerId, country, moved } = referral
  await waitlist.tx.update(referrals).set(nextCredit(waitlist)).where(eq(referrals.memberId, memberId))
  await countCredit(waitlist, context, { memberId, referrerId, country, moves: !moved })
}

function nextCredit(waitlist: LockedWaitlist) {
  waitlist.credits += 1
  return {
    status: 'credited' as const,
    creditNumber: waitlist.credits,
    creditedAt: waitlist.now,
    inWeek: true,
    moved: true,
  }
}

interface Credit {
  /** The referred member. */
  memberId: string
  referrerId: string
  country: string | null
  moves: boolean
}

/** Counts a credit for its referrer: period counts, position, achievements, rewards and an email. */
async function countCredit(
  waitlist: LockedWaitlist,
  context: WaitlistContext,
  { memberId, referrerId, country, moves }: Credit,
): Promise<void> {
  const { tx, credits } = waitlist
  const day = utcDay(waitlist.now)
  const counts = await tx
    .insert(referralCounts)
    .values(
      ['alltime', 'week', day].map((period) => ({
        period,
        memberId: referrerId,
        referralCount: 1,
        lastCredit: credits,
      })),
    )
    .onConflictDoUpdate({
      target: [referralCounts.period, referralCounts.memberId],
      set: { referralCount: sql`${referralCounts.referralCount} + 1`, lastCredit: sql`excluded.last_credit` },
    })
    .returning({ period: referralCounts.period, count: referralCounts.referralCount })
  const countOf = (period: string) => counts.find((row) => row.period === period)?.count ?? 0
  if (moves) await moveUp(tx, referrerId)

  const referrer = one(await tx.select().from(members).where(eq(members.id, referrerId)))
  const isNewCountry = country !== null && !referrer.referralCountries.includes(country)
  const countries = isNewCountry ? [...referrer.referralCountries, country] : referrer.referralCountries
  const totals = { alltime: countOf('alltime'), day: countOf(day), countries: countries.length }
  const earned = newAchievements(referrer.achievements, totals)
  const mailed = await emailReferrer(waitlist, context, { referrer, earned, referralCount: totals.alltime })
  const { now } = waitlist
  const { position } = referrer
  const data = { memberId, referrerId, referralCount: totals.alltime, position, creditedAt: now.toISOString() }
  await publishEvent(tx, context.jobs, { event: 'referral.credited', at: now, data })
  await publishEarned(tx, context, now, referrerId, earned, totals.alltime)
  await grantRewards(waitlist, referrer, earned)
  await scheduleRewards(tx, referrerId)
  if (earned.length > 0 || isNewCountry || mailed) {
    await tx
      .update(members)
      .set({
        achievements: [...referrer.achievements, ...earned],
        referralCountries: countries,
        ...(mailed ? { movedUpMailedAt: waitlist.now } : {}),
      })
      .where(eq(members.id, referrerId))
  }
}

/** Moves a member up, and the members passed down by one: at most 6 rows. */
async function moveUp(tx: Db, memberId: string): Promise<void> {
  await tx.execute(sql`
    update users as u
    set position = case
      when u.id = mover.id then greatest(1, mover.position - ${SPOTS_PER_REFERRAL}::int)
      else u.position + 1 end
    from users as mover
    where mover.id = ${memberId} and mover.position > 1
      and u.position > 0 and u.position between mover.position - ${SPOTS_PER_REFERRAL}::int and mover.position`)
}

/** Minimum number of hours between two "moved up" emails to a referrer. */
const MOVED_UP_MAIL_HOURS = 24

/** @returns whether an email was queued */
async function emailReferrer(
  { tx, now }: LockedWaitlist,
  context: WaitlistContext,
  { referrer, earned, referralCount }: { referrer: Member; earned: Achievement[]; referralCount: number },
): Promise<boolean> {
  const to = addresseeOf(context, referrer)
  if (!to) return false
  const last = referrer.movedUpMailedAt
  const isDue = !last || now.getTime() - last.getTime() > MOVED_UP_MAIL_HOURS * 3_600_000
  if (earned.length === 0 && !isDue) return false
  await context.outbox.post(
    tx,
    earned.length > 0 ? achievementsEmail(to, earned, referralCount) : movedUpEmail(to, referralCount),
  )
  return true
}

/** Stores what an operator decided about a referral. */
export async function storeDecision(
  tx: Db,
  memberId: string,
  decision: Partial<Pick<Referral, 'status' | 'decidedAt' | 'decidedBy' | 'rewardAllowed'>>,
): Promise<void> {
  await tx.update(referrals).set(decision).where(eq(referrals.memberId, memberId))
}

/** Reverts a credit's counts. Positions and achievements are kept. */
export async function revertCredit({ tx }: LockedWaitlist, referral: Referral): Promise<void> {
  if (!referral.creditedAt) return
  const { memberId, referrerId, creditedAt, inWeek } = referral
  await tx
    .update(referrals)
    .set({ status: 'held', creditNumber: null, creditedAt: null, inWeek: false })
    .where(eq(referrals.memberId, memberId))
  const remaining = sql`from referrals where referrer_id = ${referrerId} and credit_number is not null`
  const periods = ['alltime', utcDay(creditedAt), ...(inWeek ? ['week'] : [])]
  await tx.execute(sql`
    update referral_counts
    set referral_count = referral_count - 1, last_credit = coalesce((select max(credit_number) ${remaining}), 0)
    where member_id = ${referrerId} and period in ${periods}`)
  await tx.execute(sql`
    update users
    set referral_countries = coalesce((select array_agg(distinct country) ${remaining} and country is not null), '{}')
    where id = ${referrerId}`)
  await scheduleRewards(tx, referrerId)
}

const EXPIRY_BATCH = 1_000

/** Credits older than 7 days that the weekly counts still contain until the next `expireWeek`. */
export const expiredInWeek = sql`in_week and credited_at <= now() - interval '7 days'`

/** Removes expired credits from weekly counts, every minute; reads subtract the rest. */
export async function expireWeek(db: Db): Promise<void> {
  for (;;) {
    const { rows: due } = await db.execute(sql`select from referrals where ${expiredInWeek} limit 1`)
    if (due.length === 0) return
    await changeWaitlist(db, ({ tx }) =>
      tx.execute(sql`
        with expired as (
          update referrals set in_week = false where member_id in (
            select member_id from referrals where ${expiredInWeek}
            order by credited_at limit ${EXPIRY_BATCH})
          returning referrer_id),
        lost as (select referrer_id, count(*) as credits from expired group by 1)
        update referral_counts as c set referral_count = c.referral_count - lost.credits
        from lost where c.period = 'week' and c.member_id = lost.referrer_id`),
    )
  }
}

/** The period's key in `referral_counts`. */
export function periodKey(period: 'alltime' | 'week' | 'today'): SQL {
  return period === 'today' ? sql`to_char(now() at time zone 'UTC', 'YYYY-MM-DD')` : sql`${period}`
}
