import type { InputOf } from '@x-automated/contract/contract'
import { ALREADY_JOINED } from '@x-automated/contract/waitlist/already-joined'
import { and, eq, gt, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { isUniqueViolation } from '../../../db/unique-violation.ts'
import { normalizeEmail } from '../../../mailbox.ts'
import type { WaitlistContext } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { isLoopback } from '../../../requests/client-address.ts'
import { countryOf } from '../../../requests/country.ts'
import type { ClientHashes, Limits } from '../../../requests/limits.ts'
import { authUsers, type SignUpReferral } from '../../identity/auth/tables.ts'
import { deleteAddressEvents } from '../../platform/webhooks/webhooks.ts'
import { countJoin } from '../views/views.ts'
import { credit, creditOrHold, hashRange, type Provenance, refer, storeAddress } from './credits.ts'
import { joinedEmail } from './emails.ts'
import { changeWaitlist, type LockedWaitlist } from './lock.ts'
import { addresseeOf, insertMember, type Member, memberToken, sessionCode } from './members.ts'
import { assignPlace, assignPlaceToMember } from './places.ts'
import { scheduleRewards } from './rewards.ts'
import { maskEmail, nextReward, progressPercent } from './rules.ts'
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

/** The client of a request. */
interface Client extends ClientHashes {
  address: string
}

/** A member who joins again gets another confirmation email if the last one is older than this. */
const CONFIRMATION_MAIL_HOURS = 1

// Joining

interface JoinContext extends WaitlistContext {
  db: Db
  limits: Limits
  request: Client
}

/** `path` is the page on which the visit began. */
type JoinInput = InputOf<'waitlist', 'join'>

/** Joins at the end of the waitlist. Members who join again get their existing place. */
export async function join(context: JoinContext, input: JoinInput) {
  const { db, limits, request } = context
  await limits.consume('joinByAddress', request)
  const normalizedEmail = normalizeEmail(input.email)
  const existing = await findByMailbox(db, normalizedEmail)
  const joined = existing?.position ? null : await joinNow(context, input, existing)
  if (joined) return placeOf(joined, 'You are on the waitlist.')
  // Someone may have joined with the same mailbox in the meantime.
  const member = existing?.position ? existing : await findByMailbox(db, normalizedEmail)
  if (!member) throw new Error('the mailbox has no member')
  // An account without a place was created in the meantime.
  if (!member.position) return join(context, input)
  return joinedAgain(context, member)
}

/** @param existing a member without a place @returns null if the mailbox has a member by now */
async function joinNow(
  context: JoinContext,
  { email, referralCode, path }: JoinInput,
  existing: Member | undefined,
): Promise<Member | null> {
  const referrerId = await findReferrer(context.db, referralCode)
  const from = provenanceOf(context)
  const normalizedEmail = normalizeEmail(email)
  return changeWaitlist(context.db, async (waitlist) => {
    const { tx } = waitlist
    const newcomer = { email, normalizedEmail, country: from.country, referredBy: referrerId }
    const member = existing
      ? await assignPlaceToMember(waitlist, context, existing.id, from.country)
      : await assignPlace(waitlist, context, newcomer)
    if (!member) return null
    if (referrerId) {
      const referral = { member, referrerId, email: normalizedEmail, from }
      if (existing) await refer(waitlist, context, referral)
      else await creditOrHold(waitlist, context, referral)
    }
    await storeAddress(tx, member.id, from)
    await countJoin(tx, { path: path || '/waitlist', ref: referrerId ? (referralCode ?? '') : '' })
    await emailPlace(context, tx, member)
    return member
  })
}

async function joinedAgain(context: JoinContext, member: Member) {
  const mailedAt = member.confirmationMailedAt?.getTime() ?? 0
  const isMissing = context.env.waitlistConfirmRequired && !member.confirmedAt
  if (isMissing && Date.now() - mailedAt > CONFIRMATION_MAIL_HOURS * 3_600_000) {
    await context.db.transaction(async (tx) => {
      await emailPlace(context, tx, member)
      await tx.update(members).set({ confirmationMailedAt: new Date() }).where(eq(members.id, member.id))
    })
  }
  return placeOf(member, ALREADY_JOINED)
}

function placeOf({ position, referralCode }: Member, message: string) {
  return { success: true as const, position, referralCode: referralCode ?? '', message }
}

async function emailPlace(context: WaitlistContext, tx: Db, member: Member): Promise<void> {
  const to = addresseeOf(context, member)
  if (!to) return
  const { env, origin, outbox } = context
  const token = memberToken(env.authSecret, 'confirm').seal(member.id)
  await outbox.post(tx, joinedEmail(to, `${origin}/api/waitlist/confirm?token=${token}`, env.waitlistConfirmRequired))
}

async function findByMailbox(db: Db, normalizedEmail: string): Promise<Member | undefined> {
  const [member] = await db.select().from(members).where(eq(members.normalizedEmail, normalizedEmail))
  return member
}

/** The member with this code; null if unknown. */
async function findReferrer(db: Db, code: string | undefined): Promise<string | null> {
  const trimmed = code?.trim()
  if (!trimmed || trimmed.includes('\u0000')) return null
  const [referrer] = await db.select({ id: members.id }).from(members).where(eq(members.referralCode, trimmed))
  return referrer?.id ?? null
}

function provenanceOf({ env, request }: { env: { authSecret: string }; request: Client }): Provenance {
  return {
    addressHash: request.addressHash,
    rangeHash: hashRange(env.authSecret, request.address),
    isLoopback: isLoopback(request.address),
    country: countryOf(request.address),
  }
}

/** Confirms an address by an emailed token and credits a waiting referral. */
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
    .returning({ referredBy: members.referredBy })
  if (!confirmed) return
  const [waiting] = await tx
    .select()
    .from(referrals)
    .where(and(eq(referrals.memberId, memberId), eq(referrals.status, 'unconfirmed')))
  if (waiting) await credit(waitlist, context, waiting)
  else if (confirmed.referredBy) await scheduleRewards(tx, confirmed.referredBy)
}

/** Unsubscribes a member from emails. @throws Refusal INVALID_CODE */
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

// Lookup

/** A member's place by email. Accounts that never joined are not found. */
export async function findPosition(
  { db, limits, request }: { db: Db; limits: Limits; request: Client },
  { email }: InputOf<'waitlist', 'position'>,
) {
  await limits.consume('positionByAddress', request)
  const [row] = await db
    .select({ member: members, count: referralCounts.referralCount })
    .from(members)
    .leftJoin(referralCounts, and(eq(referralCounts.memberId, members.id), eq(referralCounts.period, 'alltime')))
    .where(and(eq(members.normalizedEmail, normalizeEmail(email)), gt(members.position, 0)))
  if (!row?.member.joinedAt) throw new Refusal('MEMBER_NOT_FOUND')
  const { position, achievements, referralCode, joinedAt } = row.member
  const referralCount = row.count ?? 0
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
  return one(await db.select({ count: waitlistState.joined }).from(waitlistState))
}

/**
 * The position of a referral code's owner, 0 if they have not joined; null if the code is unknown.
 * Unknown codes count as position lookups, to prevent enumeration. @throws Refusal RATE_LIMITED
 */
export async function findReferralCode(
  { db, limits, request }: { db: Db; limits: Limits; request: ClientHashes },
  referralCode: string,
): Promise<{ position: number } | null> {
  // Count the lookup first, because beyond the limit known codes must look like unknown ones.
  await limits.consume('positionByAddress', request)
  const [member] = await db
    .select({ position: members.position })
    .from(members)
    .where(eq(members.referralCode, referralCode))
  if (member) await limits.refund('positionByAddress', request)
  return member ?? null
}

// Accounts

/** The member of an account, or else the one with the account's verified address. */
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
 * The member of an account, created at position 0 if missing. Takes over an entry with its verified
 * address and its waiting rewards. @throws Refusal UNAUTHORIZED if the account is deleted
 */
async function ensureMember(context: WaitlistContext & { db: Db }, userId: string): Promise<Member> {
  const { db } = context
  const existing = await findMember(db, userId)
  if (existing?.accountUserId) return existing
  const [account] = await db.select().from(authUsers).where(eq(authUsers.id, userId))
  if (!account) throw new Refusal('UNAUTHORIZED')
  if (existing) {
    await changeWaitlist(db, async (waitlist) => {
      const { tx } = waitlist
      const unclaimed = and(eq(members.id, existing.id), isNull(members.accountUserId))
      await tx.update(members).set({ accountUserId: userId }).where(unclaimed)
      const waiting = and(eq(rewardGrants.memberId, existing.id), isNull(rewardGrants.accountUserId))
      await tx.update(rewardGrants).set({ accountUserId: userId }).where(waiting)
      await confirm(waitlist, context, existing.id)
    })
  } else {
    const member = {
      email: account.email,
      normalizedEmail: normalizeEmail(account.email),
      accountUserId: userId,
      confirmedAt: new Date(),
      referralCode: sessionCode,
    }
    // Parallel requests of one account conflict in one of two indexes.
    await db
      .transaction((tx) => insertMember(tx, member))
      .catch((error) => {
        if (!isUniqueViolation(error)) throw error
      })
  }
  // Read again, because a parallel request may have been faster.
  const member = await findMember(db, userId)
  if (!member) throw new Error('the account has no member')
  return member
}

/** The referral to store with a sign-up; null for an unknown code. */
export async function findSignUpReferral(
  context: { db: Db; env: { authSecret: string }; request: Client },
  referralCode: string | undefined,
): Promise<SignUpReferral | null> {
  if (!(await findReferrer(context.db, referralCode))) return null
  return { referralCode: referralCode?.trim() ?? '', ...provenanceOf(context) }
}

/**
 * Creates the member of a confirmed account at position 0, and credits its referrer. Call it for
 * every kind of sign-up, in the transaction that confirms the address.
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
    if (isReferred) await storeAddress(waitlist.tx, member.id, referral)
  })
}

/** An account's own place, counts and next reward. Creates its member if missing. */
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

/** Sets the referrer of the account's member, if it has none. */
export async function setReferrer(
  context: WaitlistContext & { db: Db; request: Client },
  { userId }: { userId: string },
  { referralCode }: InputOf<'waitlist', 'refer'>,
) {
  const member = await ensureMember(context, userId)
  const referrerId = await findReferrer(context.db, referralCode)
  if (!referrerId || referrerId === member.id) throw new Refusal('INVALID_REFERRAL_CODE')
  const here = provenanceOf(context)
  const from = { ...here, country: member.country ?? here.country }
  await changeWaitlist(context.db, async (waitlist) => {
    const email = member.normalizedEmail ?? ''
    if (await refer(waitlist, context, { member, referrerId, email, from })) {
      await storeAddress(waitlist.tx, member.id, from)
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

/** The account that owns the entry of an address's mailbox, if any. */
export async function findMailboxOwner(db: Db, email: string): Promise<string | null> {
  return (await findByMailbox(db, normalizeEmail(email)))?.accountUserId ?? null
}

/**
 * Moves an account's entry to its new address. If there are two entries, the account keeps the one
 * that joined, or else the one with more referrals, or else its own. The other is anonymized.
 */
export async function moveMember(context: WaitlistContext & { db: Db }, userId: string, email: string): Promise<void> {
  const normalizedEmail = normalizeEmail(email)
  const isMoved = await changeWaitlist(context.db, async (waitlist) => {
    const { tx } = waitlist
    const [own] = await tx.select().from(members).where(eq(members.accountUserId, userId))
    if (!own) return false
    const there = await findByMailbox(tx, normalizedEmail)
    const stays = there && there.id !== own.id ? await mergeEntries(tx, userId, { own, there }) : own
    await tx.update(members).set({ email, normalizedEmail, accountUserId: userId }).where(eq(members.id, stays.id))
    await confirm(waitlist, context, stays.id)
    return true
  })
  // An account without an entry takes over the entry of its new address, or gets a new one.
  if (!isMoved) await ensureMember(context, userId)
}

/** Merges two entries of one person. @returns the entry that is kept */
async function mergeEntries(tx: Db, userId: string, { own, there }: { own: Member; there: Member }): Promise<Member> {
  const counts = await tx
    .select()
    .from(referralCounts)
    .where(and(eq(referralCounts.period, 'alltime'), inArray(referralCounts.memberId, [own.id, there.id])))
  const countOf = ({ id }: Member) => counts.find(({ memberId }) => memberId === id)?.referralCount ?? 0
  const joined = ({ position }: Member) => position > 0
  const isThereBetter = joined(own) === joined(there) ? countOf(there) > countOf(own) : joined(there)
  const [stays, goes] = isThereBetter ? [there, own] : [own, there]

  // If both entries earned the same reward, keep only the account's grant.
  const granted = tx
    .select({ key: rewardGrants.achievement })
    .from(rewardGrants)
    .where(eq(rewardGrants.memberId, own.id))
  await tx
    .delete(rewardGrants)
    .where(and(eq(rewardGrants.memberId, there.id), inArray(rewardGrants.achievement, granted)))
  await tx
    .update(rewardGrants)
    .set({ memberId: stays.id, accountUserId: userId })
    .where(inArray(rewardGrants.memberId, [own.id, there.id]))
  await anonymizeEntry(tx, goes.id)
  const achievements = [...new Set([...stays.achievements, ...goes.achievements])]
  // A referred person remains referred, but nobody can refer themselves.
  const referredBy = [stays.referredBy, goes.referredBy].find((id) => id !== own.id && id !== there.id && id) ?? null
  await tx.update(members).set({ achievements, referredBy }).where(eq(members.id, stays.id))
  return stays
}

/** Anonymizes an account's place, before the account is deleted. Credited referrals are kept. */
export async function anonymizeMember(db: Db, userId: string): Promise<void> {
  await changeWaitlist(db, async ({ tx }) => {
    const member = await findMember(tx, userId)
    // Another account with the same mailbox owns the entry.
    if (!member || (member.accountUserId && member.accountUserId !== userId)) return
    await anonymizeEntry(tx, member.id)
  })
}

/** Requires the lock of `changeWaitlist`. */
async function anonymizeEntry(tx: Db, memberId: string): Promise<void> {
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
  await deleteAddressEvents(tx, memberId)
  await tx.delete(referralCounts).where(eq(referralCounts.memberId, memberId))
  await tx.delete(rewardGrants).where(eq(rewardGrants.memberId, memberId))
  // Referrals that have not been credited are dropped, in both directions.
  const concerned = or(eq(referrals.memberId, memberId), eq(referrals.referrerId, memberId))
  const undone = await tx
    .delete(referrals)
    .where(and(concerned, ne(referrals.status, 'credited')))
    .returning({ memberId: referrals.memberId })
  const freed = undone.map((row) => row.memberId)
  if (freed.length > 0) await tx.update(members).set({ referredBy: null }).where(inArray(members.id, freed))
}

// Purging

const ADDRESSES_KEPT_DAYS = 30

/** Deletes expired join addresses and old daily counts. */
export async function purgeJoinData(db: Db): Promise<void> {
  await db
    .delete(joinAddresses)
    .where(lt(joinAddresses.createdAt, sql`now() - make_interval(days => ${ADDRESSES_KEPT_DAYS})`))
  // Yesterday's counts stay, for decisions that are undone around midnight.
  const pastDays = sql`period ~ '^\\d' and period < to_char(now() at time zone 'UTC' - interval '2 days', 'YYYY-MM-DD')`
  await db.delete(referralCounts).where(pastDays)
  await db.delete(leaderboardTallies).where(or(pastDays, sql`members = 0`))
  await db.delete(leaderboardTies).where(or(pastDays, sql`members = 0`))
}
