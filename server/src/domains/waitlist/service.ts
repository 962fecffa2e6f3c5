import type { LeaderboardPeriod } from '@x-automated/contract/waitlist'
import { stringify } from 'csv-stringify/sync'
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { countryOf } from '../../requests/country.ts'
import type { Limits } from '../../requests/limits.ts'
import { hashToken } from '../../sealing.ts'
import { authUsers } from '../auth/tables.ts'
import {
  addresseeOf,
  changeWaitlist,
  credit,
  creditOrHold,
  expireWeek,
  insertMember,
  keepAddress,
  type LockedWaitlist,
  type Member,
  memberToken,
  type Provenance,
  periodKey,
  type Referral,
  refer,
  sessionCode,
  takeBack,
  takePlace,
  takePlaceLater,
  type WaitlistContext,
} from './engine.ts'
import { invitationMail, joinedMail } from './mails.ts'
import {
  addressRange,
  maskEmail,
  nextReward,
  normalizeEmail,
  pageOf,
  progressPercent,
  readCursor,
  writeCursor,
} from './rules.ts'
import {
  joinAddresses,
  leaderboardTallies,
  leaderboardTies,
  members,
  mostFirst,
  pageViews,
  referralCounts,
  referrals,
  rewardGrants,
  signUpReferrals,
  waitlistState,
} from './tables.ts'

export type { WaitlistContext } from './engine.ts'

/** What is known of the client. */
interface Client {
  address: string
  addressHash: string
}

/** Known members who did not get the mail may join again for another, this often. */
const CONFIRMATION_MAIL_HOURS = 1

// Joining

interface JoinContext extends WaitlistContext {
  db: Db
  limits: Limits
  request: Client
}

/** Joins the waitlist at its end; again, answers with the place that is there. @throws Refusal RATE_LIMITED */
export async function join(context: JoinContext, input: { email: string; referralCode?: string }) {
  const { db, limits, request } = context
  await limits.spend('joinByAddress', request.addressHash)
  const normalizedEmail = normalizeEmail(input.email)
  const known = await findByMailbox(db, normalizedEmail)
  const joined = known?.position ? null : await joinNow(context, input, known)
  if (joined) return placeOf(joined, 'You are on the waitlist.')
  // Where it was not known before, somebody joined with the same mailbox in between.
  const member = known?.position ? known : await findByMailbox(db, normalizedEmail)
  if (!member) throw new Error('a mailbox is taken by nobody')
  // Made in between by an account that has not joined.
  if (!member.position) return join(context, input)
  return joinedAgain(context, member)
}

/** @param known a member who has not joined yet. @returns null where the mailbox has a member by now that was not known */
async function joinNow(
  context: JoinContext,
  { email, referralCode }: { email: string; referralCode?: string },
  known: Member | undefined,
): Promise<Member | null> {
  const referrerId = await findReferrer(context.db, referralCode)
  const from = provenanceOf(context)
  const normalizedEmail = normalizeEmail(email)
  return changeWaitlist(context.db, async (waitlist) => {
    const { tx } = waitlist
    const newcomer = { email, normalizedEmail, country: from.country, referredBy: referrerId }
    const member = known ? await takePlaceLater(waitlist, known.id, from.country) : await takePlace(waitlist, newcomer)
    if (!member) return null
    if (referrerId) {
      const referral = { member, referrerId, email: normalizedEmail, from }
      if (known) await refer(waitlist, context, referral)
      else await creditOrHold(waitlist, context, referral)
    }
    await keepAddress(tx, member.id, from)
    await countJoin(tx, referrerId ? (referralCode ?? '') : '')
    await mailPlace(context, tx, member)
    return member
  })
}

async function joinedAgain(context: JoinContext, member: Member) {
  const mailedAt = member.confirmationMailedAt?.getTime() ?? 0
  const isMissing = context.env.waitlistConfirmRequired && !member.confirmedAt
  if (isMissing && Date.now() - mailedAt > CONFIRMATION_MAIL_HOURS * 3_600_000) {
    await context.db.transaction(async (tx) => {
      await mailPlace(context, tx, member)
      await tx.update(members).set({ confirmationMailedAt: new Date() }).where(eq(members.id, member.id))
    })
  }
  return placeOf(member, 'User already exists')
}

function placeOf({ position, referralCode }: Member, message: string) {
  return { success: true as const, position, referralCode: referralCode ?? '', message }
}

async function mailPlace(context: WaitlistContext, tx: Db, member: Member): Promise<void> {
  const to = addresseeOf(context, member)
  if (!to) return
  const { env, origin, outbox } = context
  const token = memberToken(env.authSecret, 'confirm').seal(member.id)
  await outbox.post(tx, joinedMail(to, `${origin}/api/waitlist/confirm?token=${token}`, env.waitlistConfirmRequired))
}

async function findByMailbox(db: Db, normalizedEmail: string): Promise<Member | undefined> {
  const [member] = await db.select().from(members).where(eq(members.normalizedEmail, normalizedEmail))
  return member
}

/** The member who has the code; null for an unknown one. */
async function findReferrer(db: Db, code: string | undefined): Promise<string | null> {
  const trimmed = code?.trim()
  if (!trimmed || trimmed.includes('\u0000')) return null
  const [referrer] = await db.select({ id: members.id }).from(members).where(eq(members.referralCode, trimmed))
  return referrer?.id ?? null
}

function provenanceOf({ env, request }: { env: { authSecret: string }; request: Client }): Provenance {
  const range = addressRange(request.address) ?? request.address
  return {
    addressHash: request.addressHash,
    rangeHash: hashToken(`${env.authSecret}\n${range}`),
    country: countryOf(request.address),
  }
}

/** Confirms the address a mailed link was sent to; a referral that waited for it is credited. @throws Refusal INVALID_CODE */
export async function confirmMember(context: WaitlistContext & { db: Db }, token: string): Promise<void> {
  const memberId = memberIn(context, 'confirm', token)
  await changeWaitlist(context.db, (waitlist) => confirm(waitlist, context, memberId))
}

async function confirm(waitlist: LockedWaitlist, context: WaitlistContext, memberId: string): Promise<void> {
  const { tx, now } = waitlist
  const [confirmed] = await tx
    .update(members)
    .set({ confirmedAt: now })
    .where(and(eq(members.id, memberId), isNull(members.confirmedAt)))
    .returning({ id: members.id })
  if (!confirmed) return
  const [waiting] = await tx
    .select()
    .from(referrals)
    .where(and(eq(referrals.memberId, memberId), eq(referrals.status, 'unconfirmed')))
  if (waiting) await credit(waitlist, context, waiting)
}

/** Ends mails to a member. @throws Refusal INVALID_CODE */
export async function unsubscribe(context: Pick<WaitlistContext, 'env'> & { db: Db }, token: string): Promise<void> {
  const memberId = memberIn(context, 'unsubscribe', token)
  await context.db
    .update(members)
    .set({ unsubscribedAt: sql`coalesce(${members.unsubscribedAt}, now())` })
    .where(eq(members.id, memberId))
}

function memberIn({ env }: Pick<WaitlistContext, 'env'>, purpose: 'confirm' | 'unsubscribe', token: string): string {
  try {
    return memberToken(env.authSecret, purpose).open(token)
  } catch {
    throw new Refusal('INVALID_CODE')
  }
}

// Looking up

/** A member's place by email. Who has an account and never joined is not found: nobody learns who has one. @throws Refusal MEMBER_NOT_FOUND, RATE_LIMITED */
export async function findPosition(
  { db, limits, request }: { db: Db; limits: Limits; request: Client },
  { email }: { email: string },
) {
  await limits.spend('positionByAddress', request.addressHash)
  const [found] = await db
    .select({ member: members, count: referralCounts.referralCount })
    .from(members)
    .leftJoin(referralCounts, and(eq(referralCounts.memberId, members.id), eq(referralCounts.period, 'alltime')))
    .where(and(eq(members.normalizedEmail, normalizeEmail(email)), gt(members.position, 0)))
  if (!found?.member.joinedAt) throw new Refusal('MEMBER_NOT_FOUND')
  const { position, achievements, referralCode, joinedAt } = found.member
  const referralCount = found.count ?? 0
  return {
    success: true as const,
    message: `You are #${position} on the waitlist.`,
    position,
    referralCount,
    joinedDate: joinedAt,
    user: { position, email: maskEmail(email), referralCount, achievements, referral_code: referralCode ?? '' },
  }
}

export async function count(db: Db) {
  const [state] = await db.select({ count: waitlistState.joined }).from(waitlistState)
  return { count: state?.count ?? 0 }
}

interface LeaderboardInput {
  period: LeaderboardPeriod
  page: number
  pageSize: number
  cursor?: string
}

/**
 * One page of a leaderboard, and the caller's own row wherever it stands.
 * @param userId the account that asks; null for a visitor
 * @throws Refusal INVALID_INPUT: a cursor that is none
 */
export async function leaderboard(
  { db, env }: { db: Db; env: { leaderboardEmailsInFull: boolean } },
  userId: string | null,
  { period, page, pageSize, cursor }: LeaderboardInput,
) {
  const place = cursor === undefined ? null : readCursor(cursor)
  if (cursor !== undefined && !place) throw invalidField('cursor', 'is not a cursor of the leaderboard')
  if (period === 'week') await expireWeek(db)
  const key = periodKey(period)
  const behind = place && sql`(${mostFirst}, last_credit) > (${-place.referralCount}::int, ${place.lastCredit}::bigint)`
  const [standings, total, own] = await Promise.all([
    readStandings(db, and(inPeriod(key), behind ?? undefined), place ? 0 : (page - 1) * pageSize, pageSize + 1),
    readTotal(db, key),
    userId ? findOwnStanding(db, key, userId) : null,
  ])
  const before = place ? place.rank : (page - 1) * pageSize
  const rowOf = ({ member, referralCount }: Standing, rank: number) => {
    const isOwn = member.id === own?.member.id
    const { id, position, signupDate, achievements } = member
    const email = isOwn || env.leaderboardEmailsInFull ? (member.email ?? '') : maskEmail(member.email ?? '')
    const referralCode = isOwn ? member.referralCode : null
    return { id, rank, email, referralCode, position, signupDate, achievements, referralCount, isOwn }
  }
  const shown = standings.slice(0, pageSize)
  const last = standings.length > pageSize ? shown.at(-1) : undefined
  return {
    success: true as const,
    message: 'Leaderboard retrieved',
    leaderboard: shown.map((standing, i) => rowOf(standing, before + i + 1)),
    own: own && rowOf(own, own.rank),
    total,
    page,
    pageSize,
    cursor: last ? writeCursor({ ...last, rank: before + shown.length }) : null,
  }
}

interface Standing {
  member: Member
  referralCount: number
  lastCredit: number
}

const inPeriod = (key: SQL) => sql`${referralCounts.period} = ${key} and ${referralCounts.referralCount} > 0`

async function readStandings(db: Db, where: SQL | undefined, offset: number, limit: number): Promise<Standing[]> {
  // The ids first: far down, the index alone tells them.
  const ranked = db
    .select({
      memberId: referralCounts.memberId,
      referralCount: referralCounts.referralCount,
      lastCredit: referralCounts.lastCredit,
    })
    .from(referralCounts)
    .where(where)
    .orderBy(asc(mostFirst), asc(referralCounts.lastCredit))
    .offset(offset)
    .limit(limit)
    .as('ranked')
  return db
    .select({ member: members, referralCount: ranked.referralCount, lastCredit: ranked.lastCredit })
    .from(ranked)
    .innerJoin(members, eq(members.id, ranked.memberId))
    .orderBy(sql`-${ranked.referralCount}`, asc(ranked.lastCredit))
}

/** Members who stand on a leaderboard: a sum over the different counts that there are. */
async function readTotal(db: Db, key: SQL): Promise<number> {
  const [row] = await db
    .select({ total: sql<number>`coalesce(sum(${leaderboardTallies.members}), 0)`.mapWith(Number) })
    .from(leaderboardTallies)
    .where(sql`${leaderboardTallies.period} = ${key}`)
  return row?.total ?? 0
}

/** Credits of one bucket of leaderboard_ties, as its triggers have it. */
const TIE_BUCKET = 1024

/** Where an account's member stands: those with more, those with as many in earlier buckets, and the few before it in its own. */
async function findOwnStanding(db: Db, key: SQL, userId: string): Promise<(Standing & { rank: number }) | null> {
  const member = await findMember(db, userId)
  if (!member) return null
  const [standing] = await db
    .select({ referralCount: referralCounts.referralCount, lastCredit: referralCounts.lastCredit })
    .from(referralCounts)
    .where(and(inPeriod(key), eq(referralCounts.memberId, member.id)))
  if (!standing) return null
  const { referralCount, lastCredit } = standing
  const bucket = Math.floor(lastCredit / TIE_BUCKET)
  const { rows } = await db.execute<{ ahead: string }>(sql`
    select (select coalesce(sum(members), 0) from ${leaderboardTallies} where period = ${key} and referral_count > ${referralCount})
      + (select coalesce(sum(members), 0) from ${leaderboardTies}
         where period = ${key} and referral_count = ${referralCount} and bucket < ${bucket})
      + (select count(*) from ${referralCounts} where period = ${key} and referral_count > 0 and ${mostFirst} = ${-referralCount}::int
         and last_credit >= ${bucket * TIE_BUCKET}::bigint and last_credit < ${lastCredit}::bigint) as ahead`)
  return { member, referralCount, lastCredit, rank: Number(rows[0]?.ahead ?? 0) + 1 }
}

// Accounts

/** The member of an account: its own, else the one with its verified address. */
async function findMember(db: Db, userId: string): Promise<Member | undefined> {
  const [own] = await db.select().from(members).where(eq(members.accountUserId, userId))
  if (own) return own
  const [account] = await db
    .select({ email: authUsers.email })
    .from(authUsers)
    .where(and(eq(authUsers.id, userId), eq(authUsers.emailVerified, true)))
  if (!account) return undefined
  return findByMailbox(db, normalizeEmail(account.email))
}

/**
 * The member of an account, made at position 0 where there is none; an entry with the account's verified address becomes the account's,
 * with the rewards that waited for one.
 * @throws Refusal UNAUTHORIZED where the account is gone
 */
async function ensureMember(context: WaitlistContext & { db: Db }, userId: string): Promise<Member> {
  const { db } = context
  const found = await findMember(db, userId)
  if (found?.accountUserId) return found
  const [account] = await db.select().from(authUsers).where(eq(authUsers.id, userId))
  if (!account) throw new Refusal('UNAUTHORIZED')
  if (found) {
    await changeWaitlist(db, async (waitlist) => {
      const { tx } = waitlist
      const unclaimed = and(eq(members.id, found.id), isNull(members.accountUserId))
      await tx.update(members).set({ accountUserId: userId }).where(unclaimed)
      const waiting = and(eq(rewardGrants.memberId, found.id), isNull(rewardGrants.accountUserId))
      await tx.update(rewardGrants).set({ accountUserId: userId }).where(waiting)
      await confirm(waitlist, context, found.id)
    })
  } else {
    const member = {
      email: account.email,
      normalizedEmail: normalizeEmail(account.email),
      accountUserId: userId,
      confirmedAt: new Date(),
      referralCode: sessionCode,
    }
    // Two requests of one account at once clash in its mailbox or in the account itself, whichever index is written first.
    await db
      .transaction((tx) => insertMember(tx, member))
      .catch((error) => {
        if (!isUniqueViolation(error)) throw error
      })
  }
  // Read again: another request may have been quicker.
  const member = await findMember(db, userId)
  if (!member) throw new Error('an account has no member')
  return member
}

/** Keeps the referral code that came with a sign-up until its address is confirmed. Unknown codes are ignored. */
export async function rememberSignUpReferral(
  context: { db: Db; env: { authSecret: string }; request: Client },
  { email, referralCode }: { email: string; referralCode?: string },
): Promise<void> {
  const { db } = context
  if (!(await findReferrer(db, referralCode))) return
  const account = and(eq(authUsers.email, email), eq(authUsers.emailVerified, false))
  const [unconfirmed] = await db.select({ id: authUsers.id }).from(authUsers).where(account)
  if (!unconfirmed) return
  await db
    .insert(signUpReferrals)
    .values({ accountUserId: unconfirmed.id, referralCode: referralCode?.trim() ?? '', ...provenanceOf(context) })
    .onConflictDoNothing()
}

/**
 * Gives a confirmed account its member, and credits who referred it. For every way to sign up; in the transaction that confirms the address.
 * Being a member is not joining: the position stays 0.
 */
export async function joinOnSignUp(context: WaitlistContext & { db: Db }, userId: string): Promise<void> {
  const { db } = context
  const member = await ensureMember(context, userId)
  const [brought] = await db.delete(signUpReferrals).where(eq(signUpReferrals.accountUserId, userId)).returning()
  const referrerId = brought && (await findReferrer(db, brought.referralCode))
  if (!referrerId) return
  await changeWaitlist(db, async (waitlist) => {
    const email = member.normalizedEmail ?? ''
    const isReferred = await refer(waitlist, context, { member, referrerId, email, from: brought })
    if (isReferred) await keepAddress(waitlist.tx, member.id, brought)
  })
}

/** One's own place, counts and what is next. Makes the member of an account that has none. */
export async function dashboard(context: WaitlistContext & { db: Db }, { userId }: { userId: string }) {
  const member = await ensureMember(context, userId)
  const [counted] = await context.db
    .select({ referralCount: referralCounts.referralCount })
    .from(referralCounts)
    .where(and(eq(referralCounts.period, 'alltime'), eq(referralCounts.memberId, member.id)))
  const referralCount = counted?.referralCount ?? 0
  return {
    position: member.position,
    referralCount,
    referralCode: member.referralCode ?? '',
    signupDate: member.signupDate,
    achievements: member.achievements,
    isReferred: member.referredBy !== null,
    nextReward: nextReward(referralCount),
    progressPercent: progressPercent(referralCount),
  }
}

/**
 * Notes who referred the account's member; the first one stays.
 * @throws Refusal INVALID_REFERRAL_CODE: unknown, one's own, or of somebody whom one has referred
 */
export async function nameReferrer(
  context: WaitlistContext & { db: Db; request: Client },
  { userId }: { userId: string },
  { referralCode }: { referralCode: string },
) {
  const member = await ensureMember(context, userId)
  const referrerId = await findReferrer(context.db, referralCode)
  if (!referrerId || referrerId === member.id) throw new Refusal('INVALID_REFERRAL_CODE')
  const here = provenanceOf(context)
  const from = { ...here, country: member.country ?? here.country }
  await changeWaitlist(context.db, async (waitlist) => {
    const email = member.normalizedEmail ?? ''
    if (await refer(waitlist, context, { member, referrerId, email, from })) {
      await keepAddress(waitlist.tx, member.id, from)
      return
    }
    const [{ referredBy } = { referredBy: null }] = await waitlist.tx
      .select({ referredBy: members.referredBy })
      .from(members)
      .where(eq(members.id, member.id))
    if (!referredBy) throw new Refusal('INVALID_REFERRAL_CODE')
  })
  return { success: true as const }
}

/** Leaves an anonymous place of an account's member. Credits that it gave stay its referrer's. Call before the account is deleted. */
export async function forgetMember(db: Db, userId: string): Promise<void> {
  await changeWaitlist(db, async ({ tx }) => {
    const found = await findMember(tx, userId)
    // Another account with the same mailbox owns it.
    if (!found || (found.accountUserId && found.accountUserId !== userId)) return
    const [member] = await tx
      .update(members)
      .set({
        email: null,
        normalizedEmail: null,
        referralCode: null,
        accountUserId: null,
        achievements: [],
        country: null,
        referralCountries: [],
      })
      .where(eq(members.id, found.id))
      .returning({ id: members.id })
    if (!member) return
    await tx.delete(joinAddresses).where(eq(joinAddresses.memberId, member.id))
    await tx.delete(referralCounts).where(eq(referralCounts.memberId, member.id))
    await tx.delete(rewardGrants).where(eq(rewardGrants.memberId, member.id))
    // What has not been credited never will be: neither what it would have given nor what it would have got.
    const concerned = or(eq(referrals.memberId, member.id), eq(referrals.referrerId, member.id))
    const undone = await tx
      .delete(referrals)
      .where(and(concerned, ne(referrals.status, 'credited')))
      .returning({ memberId: referrals.memberId })
    const freed = undone.map((row) => row.memberId)
    if (freed.length > 0) await tx.update(members).set({ referredBy: null }).where(inArray(members.id, freed))
  })
}

// Views

/** Rows of a day beyond which views are counted without their referral code, so that nobody can fill the table. */
const VIEW_ROWS_A_DAY = 10_000
const today = sql<string>`(now() at time zone 'UTC')::date`

/** Counts a view by day, page and known referral code. */
export async function trackView(db: Db, input: { path: string; ref?: string }) {
  const path = pageOf(input.path)
  const ref = input.ref?.trim() ?? ''
  if (ref.length > 64 || ref.includes('\u0000') || !(await countKnownView(db, path, ref))) {
    const isKnown = ref !== '' && (await findReferrer(db, ref)) !== null && (await hasRoomToday(db))
    await countView(db, path, isKnown ? ref : '')
  }
  return { success: true as const }
}

async function countKnownView(db: Db, path: string, ref: string): Promise<boolean> {
  const counted = await db
    .update(pageViews)
    .set({ views: sql`${pageViews.views} + 1` })
    .where(and(sql`${pageViews.day} = ${today}`, eq(pageViews.path, path), eq(pageViews.ref, ref)))
    .returning({ views: pageViews.views })
  return counted.length > 0
}

async function hasRoomToday(db: Db): Promise<boolean> {
  const rows = sql`select 1 from page_views where day = ${today} limit ${VIEW_ROWS_A_DAY}`
  const { rows: found } = await db.execute<{ rows: string }>(sql`select count(*) as rows from (${rows}) as counted`)
  return Number(found[0]?.rows) < VIEW_ROWS_A_DAY
}

async function countView(db: Db, path: string, ref: string): Promise<void> {
  await db
    .insert(pageViews)
    .values({ day: today, path, ref, views: 1 })
    .onConflictDoUpdate({
      target: [pageViews.day, pageViews.path, pageViews.ref],
      set: { views: sql`${pageViews.views} + 1` },
    })
}

/** @param ref the code that brought them, '' for none */
async function countJoin(tx: Db, ref: string): Promise<void> {
  await tx
    .insert(pageViews)
    .values({ day: today, path: '/waitlist', ref: ref.trim(), joins: 1 })
    .onConflictDoUpdate({
      target: [pageViews.day, pageViews.path, pageViews.ref],
      set: { joins: sql`${pageViews.joins} + 1` },
    })
}

// The operator

/** Is the account's verified address among OPERATORS? */
export async function isOperator(db: Db, env: { operators: string[] }, userId: string): Promise<boolean> {
  const account = and(eq(authUsers.id, userId), eq(authUsers.emailVerified, true))
  const [found] = await db.select({ email: authUsers.email }).from(authUsers).where(account)
  return found !== undefined && env.operators.includes(found.email.toLowerCase())
}

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

/** Views and joins by UTC day, page and referral code, between two days inclusive ('2026-11-20'), newest first, most viewed first. */
export async function listViews(db: Db, { from, to }: { from: string; to: string }) {
  return db
    .select()
    .from(pageViews)
    .where(and(sql`${pageViews.day} >= ${from}::date`, sql`${pageViews.day} <= ${to}::date`))
    .orderBy(sql`${pageViews.day} desc`, sql`${pageViews.views} desc`, asc(pageViews.path), asc(pageViews.ref))
}

/** Joins of each UTC day that had any, and all joined by its end. */
export async function growth(db: Db) {
  const { rows } = await db.execute<{ day: string; joins: number; total: number }>(sql`
    select day::text, joins::int, (sum(joins) over (order by day))::int as total
    from (select day, sum(joins) as joins from page_views group by day having sum(joins) > 0) as days
    order by day`)
  return rows
}

// Forgetting

const ADDRESSES_KEPT_DAYS = 30
const UNCONFIRMED_KEPT_DAYS = 7

/** Removes what is kept for a time only, and lets the week's counts go on when nobody looks. */
export async function forgetOld(db: Db): Promise<void> {
  await expireWeek(db)
  await db
    .delete(joinAddresses)
    .where(lt(joinAddresses.createdAt, sql`now() - make_interval(days => ${ADDRESSES_KEPT_DAYS})`))
  await db
    .delete(signUpReferrals)
    .where(lt(signUpReferrals.createdAt, sql`now() - make_interval(days => ${UNCONFIRMED_KEPT_DAYS})`))
  // Yesterday's counts are still those of an undo around midnight; no screen shows older ones.
  const pastDays = sql`period ~ '^\\d' and period < to_char(now() at time zone 'UTC' - interval '2 days', 'YYYY-MM-DD')`
  await db.delete(referralCounts).where(pastDays)
  await db.delete(leaderboardTallies).where(or(pastDays, sql`members = 0`))
  await db.delete(leaderboardTies).where(or(pastDays, sql`members = 0`))
}

function isUniqueViolation(error: { code?: string; cause?: { code?: string } }): boolean {
  return (error.cause?.code ?? error.code) === '23505'
}
