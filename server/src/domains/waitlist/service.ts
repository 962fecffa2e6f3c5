import { and, eq, gt, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'
import { Refusal } from '../../refusal.ts'
import { countryOf } from '../../requests/country.ts'
import type { Limits } from '../../requests/limits.ts'
import { hashToken } from '../../sealing.ts'
import { authUsers, type SignUpReferral } from '../auth/tables.ts'
import { countJoin } from '../views/service.ts'
import { forgetAddress } from '../webhooks/service.ts'
import {
  addresseeOf,
  changeWaitlist,
  credit,
  creditOrHold,
  insertMember,
  keepAddress,
  type LockedWaitlist,
  type Member,
  memberToken,
  type Provenance,
  refer,
  sessionCode,
  takePlace,
  takePlaceLater,
  type WaitlistContext,
} from './engine.ts'
import { joinedMail } from './mails.ts'
import { addressRange, maskEmail, nextReward, normalizeEmail, progressPercent } from './rules.ts'
import {
  joinAddresses,
  leaderboardTallies,
  leaderboardTies,
  members,
  referralCounts,
  referrals,
  rewardGrants,
  waitlistState,
} from './tables.ts'

// What other domains build on.
export {
  addresseeOf,
  changeWaitlist,
  credit,
  expiredInWeek,
  expireWeek,
  type LockedWaitlist,
  type Member,
  periodKey,
  type Referral,
  takeBack,
  type WaitlistContext,
} from './engine.ts'
export { invitationMail } from './mails.ts'
export { maskEmail, normalizeEmail } from './rules.ts'

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

interface JoinInput {
  email: string
  referralCode?: string
  /** The page on which the visit began. */
  path?: string
}

/** Joins the waitlist at its end; again, answers with the place that is there. @throws Refusal RATE_LIMITED */
export async function join(context: JoinContext, input: JoinInput) {
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
  { email, referralCode, path }: JoinInput,
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
    await countJoin(tx, { path: path || '/waitlist', ref: referrerId ? (referralCode ?? '') : '' })
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

function provenanceOf({
  env,
  request,
}: {
  env: { authSecret: string }
  request: Pick<Client, 'address' | 'addressHash'>
}): Provenance {
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

/**
 * Who has a referral code: their position, 0 if they have not joined; null if nobody has it. Unknown codes count as look-ups
 * of a position, so that codes cannot be enumerated any faster. @throws Refusal RATE_LIMITED
 */
export async function findReferralCode(
  { db, limits, request }: { db: Db; limits: Limits; request: Pick<Client, 'addressHash'> },
  referralCode: string,
): Promise<{ position: number } | null> {
  const { addressHash } = request
  // Before the look-up: beyond the limit, known codes must look like unknown ones.
  await limits.spend('positionByAddress', addressHash)
  const [found] = await db
    .select({ position: members.position })
    .from(members)
    .where(eq(members.referralCode, referralCode))
  if (found) await limits.refund('positionByAddress', addressHash)
  return found ?? null
}

// Accounts

/** The member of an account: its own, else the one with its verified address. */
export async function findMember(db: Db, userId: string): Promise<Member | undefined> {
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

/** What is kept of a referral code that came with a sign-up; null for an unknown code. */
export async function findSignUpReferral(
  context: { db: Db; env: { authSecret: string }; request: Pick<Client, 'address' | 'addressHash'> },
  referralCode: string | undefined,
): Promise<SignUpReferral | null> {
  if (!(await findReferrer(context.db, referralCode))) return null
  return { referralCode: referralCode?.trim() ?? '', ...provenanceOf(context) }
}

/**
 * Gives a confirmed account its member, and credits who referred it. For every way to sign up; in the transaction that confirms the address.
 * Being a member is not joining: the position stays 0.
 */
export async function joinOnSignUp(
  context: WaitlistContext & { db: Db },
  userId: string,
  referral: SignUpReferral | null,
): Promise<void> {
  const { db } = context
  const member = await ensureMember(context, userId)
  const referrerId = referral && (await findReferrer(db, referral.referralCode))
  if (!referrerId) return
  await changeWaitlist(db, async (waitlist) => {
    const email = member.normalizedEmail ?? ''
    const isReferred = await refer(waitlist, context, { member, referrerId, email, from: referral })
    if (isReferred) await keepAddress(waitlist.tx, member.id, referral)
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

/** The account that owns the entry of the mailbox which an address reaches; null where there is no entry, or none that is owned. */
export async function findMailboxOwner(db: Db, email: string): Promise<string | null> {
  return (await findByMailbox(db, normalizeEmail(email)))?.accountUserId ?? null
}

/**
 * Lets the entry of an account follow it to its new address. Call it in the transaction that changes the address.
 * Where the new mailbox has joined by itself, one entry stays: the one that joined, then the one with more referrals, then the account's own so far.
 * The other leaves an anonymous place; what it had earned goes over.
 */
export async function moveMember(context: WaitlistContext & { db: Db }, userId: string, email: string): Promise<void> {
  const normalizedEmail = normalizeEmail(email)
  const isMoved = await changeWaitlist(context.db, async (waitlist) => {
    const { tx } = waitlist
    const [own] = await tx.select().from(members).where(eq(members.accountUserId, userId))
    if (!own) return false
    const there = await findByMailbox(tx, normalizedEmail)
    const stays = there && there.id !== own.id ? await leaveTheBetter(tx, userId, { own, there }) : own
    await tx.update(members).set({ email, normalizedEmail, accountUserId: userId }).where(eq(members.id, stays.id))
    await confirm(waitlist, context, stays.id)
    return true
  })
  // An account that had none owns the one of its new address, or gets one.
  if (!isMoved) await ensureMember(context, userId)
}

/** Of two entries that turned out to be one person's. @returns the one that stays */
async function leaveTheBetter(tx: Db, userId: string, { own, there }: { own: Member; there: Member }): Promise<Member> {
  const counts = await tx
    .select()
    .from(referralCounts)
    .where(and(eq(referralCounts.period, 'alltime'), inArray(referralCounts.memberId, [own.id, there.id])))
  const countOf = ({ id }: Member) => counts.find(({ memberId }) => memberId === id)?.referralCount ?? 0
  const joined = ({ position }: Member) => position > 0
  const isThereBetter = joined(own) === joined(there) ? countOf(there) > countOf(own) : joined(there)
  const [stays, goes] = isThereBetter ? [there, own] : [own, there]

  // What both had earned the account was given already.
  const given = tx.select({ key: rewardGrants.achievement }).from(rewardGrants).where(eq(rewardGrants.memberId, own.id))
  await tx
    .delete(rewardGrants)
    .where(and(eq(rewardGrants.memberId, there.id), inArray(rewardGrants.achievement, given)))
  await tx
    .update(rewardGrants)
    .set({ memberId: stays.id, accountUserId: userId })
    .where(inArray(rewardGrants.memberId, [own.id, there.id]))
  await leaveAnonymousPlace(tx, goes.id)
  const achievements = [...new Set([...stays.achievements, ...goes.achievements])]
  await tx.update(members).set({ achievements }).where(eq(members.id, stays.id))
  return stays
}

/** Leaves an anonymous place of an account's member. Credits that it gave stay its referrer's. Call before the account is deleted. */
export async function forgetMember(db: Db, userId: string): Promise<void> {
  await changeWaitlist(db, async ({ tx }) => {
    const found = await findMember(tx, userId)
    // Another account with the same mailbox owns it.
    if (!found || (found.accountUserId && found.accountUserId !== userId)) return
    await leaveAnonymousPlace(tx, found.id)
  })
}

/** While nobody else changes the waitlist. */
async function leaveAnonymousPlace(tx: Db, memberId: string): Promise<void> {
  await tx
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
    .where(eq(members.id, memberId))
  await tx.delete(joinAddresses).where(eq(joinAddresses.memberId, memberId))
  await forgetAddress(tx, memberId)
  await tx.delete(referralCounts).where(eq(referralCounts.memberId, memberId))
  await tx.delete(rewardGrants).where(eq(rewardGrants.memberId, memberId))
  // What has not been credited never will be: neither what it would have given nor what it would have got.
  const concerned = or(eq(referrals.memberId, memberId), eq(referrals.referrerId, memberId))
  const undone = await tx
    .delete(referrals)
    .where(and(concerned, ne(referrals.status, 'credited')))
    .returning({ memberId: referrals.memberId })
  const freed = undone.map((row) => row.memberId)
  if (freed.length > 0) await tx.update(members).set({ referredBy: null }).where(inArray(members.id, freed))
}

// Forgetting

const ADDRESSES_KEPT_DAYS = 30

/** Removes what is kept for a time only. */
export async function forgetOld(db: Db): Promise<void> {
  await db
    .delete(joinAddresses)
    .where(lt(joinAddresses.createdAt, sql`now() - make_interval(days => ${ADDRESSES_KEPT_DAYS})`))
  // Yesterday's counts are still those of an undo around midnight; no screen shows older ones.
  const pastDays = sql`period ~ '^\\d' and period < to_char(now() at time zone 'UTC' - interval '2 days', 'YYYY-MM-DD')`
  await db.delete(referralCounts).where(pastDays)
  await db.delete(leaderboardTallies).where(or(pastDays, sql`members = 0`))
  await db.delete(leaderboardTies).where(or(pastDays, sql`members = 0`))
}
