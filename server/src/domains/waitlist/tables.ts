import { HOLD_REASONS } from '@x-automated/contract/operator'
import { ACHIEVEMENT_KEYS } from '@x-automated/contract/waitlist'
import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'

/**
 * Members: everybody who joined the waitlist or has an account. (Accounts themselves are `auth_users`.)
 * Who joined has a position, exact and dense from 1; who never did has 0. A deleted member leaves an anonymous place: position and nothing else.
 * The migration adds what cannot be said here: positions above 0 are unique by a constraint that is checked at the end of a statement, so that one UPDATE can shift several.
 */
export const members = pgTable(
  'users',
  {
    id: id(),
    /** As it was typed, in lower case; null once deleted. */
    email: text('email'),
    /** The mailbox that the address reaches: one member each. */
    normalizedEmail: text('normalized_email'),
    /** Null once deleted. */
    referralCode: text('referral_code').unique(),
    referredBy: uuid('referred_by').references((): AnyPgColumn => members.id),
    signupDate: time('signup_date').notNull().defaultNow(),
    position: integer('position').notNull().default(0),
    achievements: text('achievements', { enum: ACHIEVEMENT_KEYS }).array().notNull().default(sql`'{}'`),
    /** Whose entry this is, once an account has verified the address. */
    accountUserId: uuid('account_user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    /** When the position was taken; null for who never joined. */
    joinedAt: time('joined_at'),
    /** When the address was shown to be theirs, by a mailed link or a verified account. */
    confirmedAt: time('confirmed_at'),
    invitedAt: time('invited_at'),
    unsubscribedAt: time('unsubscribed_at'),
    /** Of the address they joined from, ISO 3166-1 alpha-2; null where unknown. */
    country: text('country'),
    /** Countries of those they referred, as far as these are credited. */
    referralCountries: text('referral_countries').array().notNull().default(sql`'{}'`),
    /** When the last confirmation mail, and the last 'you moved up' mail, went out: neither is sent often. */
    confirmationMailedAt: time('confirmation_mailed_at'),
    movedUpMailedAt: time('moved_up_mailed_at'),
  },
  (t) => [
    // By pattern, so that the operator's search by the beginning of an address is quick in any collation.
    uniqueIndex('users_normalized_email').on(t.normalizedEmail.op('text_pattern_ops')),
    uniqueIndex('users_account').on(t.accountUserId).where(sql`account_user_id is not null`),
    // The next to invite.
    index('users_to_invite')
      .on(t.position)
      .where(sql`position > 0 and invited_at is null and email is not null and unsubscribed_at is null`),
    check('users_position', sql`position >= 0 and (position > 0) = (joined_at is not null)`),
  ],
)

/** `unconfirmed`: counts once the referred member confirms. `held`: an operator decides. */
export const REFERRAL_STATUSES = ['unconfirmed', 'held', 'credited', 'refused'] as const
export type ReferralStatus = (typeof REFERRAL_STATUSES)[number]

/** One row a referred member: who referred them, and whether that counts. */
export const referrals = pgTable(
  'referrals',
  {
    /** The referred member. */
    memberId: uuid('member_id')
      .primaryKey()
      .references(() => members.id),
    referrerId: uuid('referrer_id')
      .notNull()
      .references(() => members.id),
    status: text('status', { enum: REFERRAL_STATUSES }).notNull(),
    holdReason: text('hold_reason', { enum: HOLD_REASONS }),
    /** Of the referred member. */
    country: text('country'),
    /** It has moved its referrer up: it does so once, whatever is undone. */
    moved: boolean('moved').notNull().default(false),
    /** Credits are numbered in the order in which they took effect. */
    creditNumber: bigint('credit_number', { mode: 'number' }),
    creditedAt: time('credited_at'),
    /** Counted among the last 7 days. */
    inWeek: boolean('in_week').notNull().default(false),
    decidedAt: time('decided_at'),
    /** The operator's account, whatever became of it. */
    decidedBy: uuid('decided_by'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('referrals_credits').on(t.referrerId, t.creditNumber).where(sql`credit_number is not null`),
    index('referrals_held').on(t.createdAt, t.memberId).where(sql`status = 'held'`),
    index('referrals_week').on(t.creditedAt).where(sql`in_week`),
    check('referrals_credit', sql`(status = 'credited') = (credit_number is not null)`),
    check('referrals_credited_at', sql`(status = 'credited') = (credited_at is not null)`),
    check('referrals_in_week', sql`not in_week or status = 'credited'`),
    check('referrals_not_oneself', sql`member_id <> referrer_id`),
  ],
)

/** The order of leaderboards, so written that both its columns ascend and a place in it is one comparison. */
export const mostFirst = sql<number>`(-referral_count)`

/** Credited referrals of a member: 'alltime', 'week' (the last 7 days) and each UTC day ('2026-11-20'). The leaderboards are read off its index. */
export const referralCounts = pgTable(
  'referral_counts',
  {
    period: text('period').notNull(),
    memberId: uuid('member_id')
      .notNull()
      .references(() => members.id),
    referralCount: integer('referral_count').notNull(),
    /** The number of the newest of these credits: of two with equal counts, who has the lower one got there first. */
    lastCredit: bigint('last_credit', { mode: 'number' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.period, t.memberId] }),
    index('referral_counts_ranks').on(t.period, mostFirst, t.lastCredit).where(sql`referral_count > 0`),
    check('referral_counts_count', sql`referral_count >= 0`),
  ],
)

/** How many members have each count in a period: kept by triggers, so that a rank is a sum over few rows. */
export const leaderboardTallies = pgTable(
  'leaderboard_tallies',
  {
    period: text('period').notNull(),
    referralCount: integer('referral_count').notNull(),
    members: bigint('members', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.period, t.referralCount] })],
)

/** As `leaderboard_tallies`, by bucket of 1024 credits: places among those with equal counts. */
export const leaderboardTies = pgTable(
  'leaderboard_ties',
  {
    period: text('period').notNull(),
    referralCount: integer('referral_count').notNull(),
    /** last_credit / 1024 */
    bucket: integer('bucket').notNull(),
    members: bigint('members', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.period, t.referralCount, t.bucket] })],
)

/** One row. Whoever changes positions or counts locks it first, so these change one at a time. */
export const waitlistState = pgTable(
  'waitlist_state',
  {
    id: integer('id').primaryKey().default(1),
    /** Places taken: positions are 1…joined. */
    joined: integer('joined').notNull(),
    /** The number of the last credit. */
    credits: bigint('credits', { mode: 'number' }).notNull(),
  },
  () => [check('waitlist_state_one', sql`id = 1`)],
)

/** Members who joined, confirmed and were invited, by UTC day: kept by triggers. Who confirmed before they joined counts on the day they joined. */
export const waitlistDays = pgTable('waitlist_days', {
  day: date('day', { mode: 'string' }).primaryKey(),
  joined: integer('joined').notNull().default(0),
  confirmed: integer('confirmed').notNull().default(0),
  invited: integer('invited').notNull().default(0),
})

/** Where members joined from, hashed, for 30 days: what bursts are told by. */
export const joinAddresses = pgTable(
  'join_addresses',
  {
    memberId: uuid('member_id')
      .primaryKey()
      .references(() => members.id),
    addressHash: text('address_hash').notNull(),
    rangeHash: text('range_hash').notNull(),
    createdAt: createdAt(),
  },
  (t) => [index('join_addresses_range').on(t.rangeHash, t.createdAt), index('join_addresses_age').on(t.createdAt)],
)

/** Months of Pro that a tier earned; given to the account when there is one. */
export const rewardGrants = pgTable(
  'reward_grants',
  {
    id: id(),
    memberId: uuid('member_id')
      .notNull()
      .references(() => members.id),
    achievement: text('achievement', { enum: ACHIEVEMENT_KEYS }).notNull(),
    months: integer('months').notNull(),
    accountUserId: uuid('account_user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    grantedAt: time('granted_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('reward_grants_once').on(t.memberId, t.achievement),
    index('reward_grants_account').on(t.accountUserId),
  ],
)
