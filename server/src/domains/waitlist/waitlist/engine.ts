import { randomInt } from 'node:crypto'
import { HOUR_MS } from '@x-automated/contract/time'
import {
  ACHIEVEMENTS,
  type Achievement,
  confirmationsNeeded,
  SPOTS_PER_REFERRAL,
} from '@x-automated/contract/waitlist/waitlist'
import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { type Dns, DnsUnavailable } from '../../../outside/dns.ts'
import type { WaitlistContext } from '../../../ports.ts'
import { createSealer, hashToken } from '../../../sealing.ts'
import { authSessions } from '../../identity/auth/tables.ts'
import { publishEvent } from '../../platform/webhooks/service.ts'
import { type Addressee, achievementsEmail, movedUpEmail } from './emails.ts'
import { addressRange, BURSTS, holdReason, newAchievements, PIONEERS, rewardMonths, rewardProgress } from './rules.ts'
import { joinAddresses, members, referralCounts, referrals, rewardGrants, waitlistState } from './tables.ts'

export type Member = typeof members.$inferSelect
export type Referral = typeof referrals.$inferSelect

/** The origin of a request: hashes of its address and range, and its country. */
export interface Provenance {
  addressHash: string
  rangeHash: string
  /** The request comes from this machine, so its address says nothing. */
  isLoopback?: boolean
  country: string | null
}

/** Hashes a range of addresses. */
export function hashRange(secret: string, address: string): string {
  return hashToken(`${secret}\n${addressRange(address) ?? address}`)
}

/** The waitlist, locked against other changes. */
export interface LockedWaitlist {
  tx: Db
  /** The number of places. */
  joined: number
  /** The number of the last credit. */
  credits: number
  now: Date
}

/**
 * Runs `work` in a transaction that locks the waitlist, so that places stay dense and credits are
 * ordered. Keep it short: all joins wait for it.
 */
export function changeWaitlist<T>(db: Db, work: (waitlist: LockedWaitlist) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const state = { joined: waitlistState.joined, credits: waitlistState.credits, now: sql<string>`clock_timestamp()` }
    const { joined, credits, now } = one(await tx.select(state).from(waitlistState).for('update'))
    const waitlist: LockedWaitlist = { tx, joined, credits, now: new Date(now) }
    const result = await work(waitlist)
    if (waitlist.joined !== joined || waitlist.credits !== credits)
      await tx.update(waitlistState).set({ joined: waitlist.joined, credits: waitlist.credits })
    return result
  })
}

interface Newcomer {
  email: string
  normalizedEmail: string
  country: string | null
  referredBy: string | null
}

/** Assigns the next place to a new member. @returns null if the mailbox already has a member */
export async function assignPlace(
  waitlist: LockedWaitlist,
  context: WaitlistContext,
  newcomer: Newcomer,
): Promise<Member | null> {
  const { tx, now } = waitlist
  const position = waitlist.joined + 1
  const member = await insertMember(tx, {
    ...newcomer,
    position,
    joinedAt: now,
    signupDate: now,
    confirmationMailedAt: now,
    achievements: achievementsAt(position),
    referralCode: () => randomText(LETTERS_AND_DIGITS, 8),
  })
  if (!member) return null
  waitlist.joined = position
  await grantRewards(waitlist, member, achievementsAt(position))
  await publishJoined(waitlist, context, member)
  return member
}

/** Assigns the next place to an existing member. @returns null if they have joined meanwhile */
export async function assignPlaceToMember(
  waitlist: LockedWaitlist,
  context: WaitlistContext,
  memberId: string,
  country: string | null,
): Promise<Member | null> {
  const { tx, now } = waitlist
  const position = waitlist.joined + 1
  const [member] = await tx
    .update(members)
    .set({
      position,
      joinedAt: now,
      confirmationMailedAt: now,
      country: sql`coalesce(${members.country}, ${country})`,
      achievements: sql`${members.achievements} || ${sql.param(achievementsAt(position), members.achievements)}`,
    })
    .where(and(eq(members.id, memberId), eq(members.position, 0)))
    .returning()
  if (!member) return null
  waitlist.joined = position
  await grantRewards(waitlist, member, achievementsAt(position))
  await publishJoined(waitlist, context, member)
  return member
}

/** Publishes a join and the achievements it earned to webhooks. */
async function publishJoined({ tx, now }: LockedWaitlist, context: WaitlistContext, member: Member): Promise<void> {
  const { id, email, position, referredBy } = member
  const data = { memberId: id, email, position, referredBy, joinedAt: now.toISOString() }
  await publishEvent(tx, context.jobs, { event: 'member.joined', at: now, data, addressOf: id })
  await publishEarned(tx, context, now, id, achievementsAt(position), 0)
}

/** Publishes earned achievements to webhooks. */
async function publishEarned(
  tx: Db,
  context: WaitlistContext,
  now: Date,
  memberId: string,
  earned: readonly Achievement[],
  referralCount: number,
): Promise<void> {
  for (const achievement of earned) {
    const data = { memberId, achievement, name: ACHIEVEMENTS[achievement], referralCount, earnedAt: now.toISOString() }
    await publishEvent(tx, context.jobs, { event: 'achievement.earned', at: now, data })
  }
}

function achievementsAt(position: number): Achievement[] {
  return position <= PIONEERS ? ['pioneer'] : []
}

type NewMember = Omit<typeof members.$inferInsert, 'referralCode'> & { referralCode: () => string }

/** Inserts a member with an unused code. @returns null if the mailbox already has a member */
export async function insertMember(tx: Db, { referralCode, ...member }: NewMember): Promise<Member | null> {
  // Short codes collide occasionally, so the first unused one of several is taken.
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

/** Leaves out characters that are easily confused. */
const LETTERS_AND_DIGITS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CAPITALS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** The referral code of a member created by signing in: six capitals and digits. */
export function sessionCode(): string {
  return randomText(CAPITALS_AND_DIGITS, 6)
}

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
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
 * Like `creditOrHold`, for an existing member. @returns false, and does nothing, if the member has
 * a referrer, is the referrer, or has referred the referrer
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

/** Counts a credit for its referrer: period counts, place, achievements, rewards and an email. */
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

/**
 * Stores the rewards of achievements, for the member's account now or once it exists. Rewards that
 * cost money are held.
 */
async function grantRewards(
  { tx, now }: LockedWaitlist,
  member: Pick<Member, 'id' | 'accountUserId'>,
  earned: readonly Achievement[],
): Promise<void> {
  if (earned.length === 0) return
  const { id: memberId, accountUserId } = member
  await tx
    .insert(rewardGrants)
    .values(
      earned.map((achievement) => {
        const needed = confirmationsNeeded(achievement)
        const grantedAt = needed > 0 ? null : now
        const months = rewardMonths(achievement)
        return { achievement, months, needed, memberId, accountUserId, earnedAt: now, grantedAt }
      }),
    )
    .onConflictDoNothing()
}

/** Updates when a member's held rewards start. Call it after any change of their referrals. */
export async function scheduleRewards(tx: Db, memberId: string): Promise<void> {
  const held = await tx
    .select({ id: rewardGrants.id, achievement: rewardGrants.achievement })
    .from(rewardGrants)
    .where(and(eq(rewardGrants.memberId, memberId), isNull(rewardGrants.grantedAt)))
  if (held.length === 0) return
  const all = await tx
    .select({ confirmedAt: members.confirmedAt, creditedAt: referrals.creditedAt })
    .from(referrals)
    .innerJoin(members, eq(members.id, referrals.memberId))
    .where(
      and(
        eq(referrals.referrerId, memberId),
        // The condition means credited, in the form that the index needs.
        isNotNull(referrals.creditNumber),
        isNotNull(members.confirmedAt),
        or(isNull(referrals.rewardHold), eq(referrals.rewardAllowed, true)),
      ),
    )
  const confirmations = all.flatMap(({ confirmedAt, creditedAt }) =>
    confirmedAt && creditedAt ? [{ confirmedAt, day: utcDay(creditedAt) }] : [],
  )
  for (const { id, achievement } of held)
    await tx
      .update(rewardGrants)
      .set(rewardProgress(achievement, confirmations))
      .where(and(eq(rewardGrants.id, id), isNull(rewardGrants.grantedAt)))
}

/** Gives the held rewards whose time has come. */
export async function giveRewards(db: Db): Promise<void> {
  await db.execute(sql`update reward_grants set granted_at = now() where granted_at is null and starts_at <= now()`)
}

/** How many domains one run looks up, and how long a domain that gives no answer is tried. */
const MAIL_CHECKS = 50
const MAIL_CHECK_HOURS = 48

/**
 * Looks up whether the domains of referred members can receive email. A domain without an answer is
 * not suspicious.
 */
export async function checkMailServers({ db, dns }: { db: Db; dns: Dns }): Promise<void> {
  const due = await db
    .select({ memberId: referrals.memberId, email: members.email, createdAt: referrals.createdAt })
    .from(referrals)
    .innerJoin(members, eq(members.id, referrals.memberId))
    .where(lte(referrals.mailCheckAt, sql`now()`))
    .orderBy(referrals.mailCheckAt)
    .limit(MAIL_CHECKS)
  const domainOf = ({ email }: { email: string | null }) => email?.slice(email.lastIndexOf('@') + 1) ?? null
  const domains = [...new Set(due.flatMap((referral) => domainOf(referral) ?? []))]
  const results = new Map(
    await Promise.all(
      domains.map(async (domain) => {
        const hasMailServer = await dns.hasMailServer(domain).catch((error) => {
          if (error instanceof DnsUnavailable) return null
          throw error
        })
        return [domain, hasMailServer] as const
      }),
    ),
  )
  for (const referral of due) {
    const domain = domainOf(referral)
    const hasMailServer = domain === null ? true : (results.get(domain) ?? null)
    const isOld = Date.now() - referral.createdAt.getTime() > MAIL_CHECK_HOURS * HOUR_MS
    await changeWaitlist(db, async ({ tx }) => {
      const [checked] = await tx
        .update(referrals)
        .set({
          mailCheckAt: hasMailServer === null && !isOld ? sql`now() + interval '1 hour'` : null,
          ...(hasMailServer === false && { rewardHold: sql`coalesce(${referrals.rewardHold}, 'no_mail_server')` }),
        })
        .where(eq(referrals.memberId, referral.memberId))
        .returning({ referrerId: referrals.referrerId })
      if (checked && hasMailServer === false) await scheduleRewards(tx, checked.referrerId)
    })
  }
}

/** The minimum time between two of these emails, for popular referrers. */
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

/** The recipient of waitlist emails; null if the member cannot receive any. */
export function addresseeOf({ env, origin }: WaitlistContext, member: Member): Addressee | null {
  const { email, referralCode, position } = member
  if (!email || !referralCode || member.unsubscribedAt) return null
  const token = memberToken(env.authSecret, 'unsubscribe').seal(member.id)
  return { email, referralCode, position, origin, unsubscribeLink: `${origin}/api/waitlist/unsubscribe?token=${token}` }
}

/** Encrypts a member's id for an emailed link. */
export function memberToken(secret: string, purpose: 'confirm' | 'unsubscribe') {
  return createSealer(secret, `x-automated waitlist ${purpose}`)
}

/** Stores what an operator decided about a referral. */
export async function storeDecision(
  tx: Db,
  memberId: string,
  decision: Partial<Pick<Referral, 'status' | 'decidedAt' | 'decidedBy' | 'rewardAllowed'>>,
): Promise<void> {
  await tx.update(referrals).set(decision).where(eq(referrals.memberId, memberId))
}

/** Marks the next members by position as invited, if they may be emailed. @returns the members */
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

/** Reverts the counts of a credit. Places and achievements stay. */
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

/** The date in UTC, such as 2026-11-20. */
function utcDay(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

/** The period's key in `referral_counts`. */
export function periodKey(period: 'alltime' | 'week' | 'today'): SQL {
  return period === 'today' ? sql`to_char(now() at time zone 'UTC', 'YYYY-MM-DD')` : sql`${period}`
}
