import { ACHIEVEMENT_KEYS, HOLD_REASONS } from '@x-automated/contract/waitlist/waitlist'
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
import { createdAt, id, time } from '../../../db/columns.ts'
import { authUsers } from '../../identity/auth/tables.ts'

/**
 * Everyone who joined (positions from 1) or has an account (position 0). Deleted members leave an
 * anonymous place. A deferred unique constraint on positions lets one UPDATE shift several.
 */
export const members = pgTable(
  'users',
  {
    id: id(),
    /** As typed, except in lower case; null once deleted. */
    email: text('email'),
    /** The mailbox of the address. Each mailbox has one member. */
    normalizedEmail: text('normalized_email'),
    /** Null once deleted. */
    referralCode: text('referral_code').unique(),
    referredBy: uuid('referred_by').references((): AnyPgColumn => members.id),
    signupDate: time('signup_date').notNull().defaultNow(),
    position: integer('position').notNull().default(0),
    achievements: text('achievements', { enum: ACHIEVEMENT_KEYS }).array().notNull().default(sql`'{}'`),
    /** The account that verified the address, if any. */
    accountUserId: uuid('account_user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    /** When the position was assigned; null if never. */
    joinedAt: time('joined_at'),
    /** When the address was verified, by an emailed link or an account. */
    confirmedAt: time('confirmed_at'),
    invitedAt: time('invited_at'),
    unsubscribedAt: time('unsubscribed_at'),
    /** Country of the join address, ISO 3166-1 alpha-2; null if unknown. */
    country: text('country'),
    /** Countries of credited referrals. */
    referralCountries: text('referral_countries').array().notNull().default(sql`'{}'`),
    /** When the last confirmation email was sent, to limit these emails. */
    confirmationMailedAt: time('confirmation_mailed_at'),
    /** When the last 'you moved up' email was sent, to limit these emails. */
    movedUpMailedAt: time('moved_up_mailed_at'),
  },
  (t) => [
    // text_pattern_ops makes prefix searches fast in any collation.
    uniqueIndex('users_normalized_email').on(t.normalizedEmail.op('text_pattern_ops')),
    uniqueIndex('users_account').on(t.accountUserId).where(sql`account_user_id is not null`),
    // Finds the next members to invite.
    index('users_to_invite')
      .on(t.position)
      .where(sql`position > 0 and invited_at is null and email is not null and unsubscribed_at is null`),
    check('users_position', sql`position >= 0 and (position > 0) = (joined_at is not null)`),
  ],
)

/** `unconfirmed`: credited once the referred member confirms. `held`: an operator decides. */
const REFERRAL_STATUSES = ['unconfirmed', 'held', 'credited', 'refused'] as const

/** One row per referred member. */
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
    /** Why the referral does not count for rewards that cost money, unless an operator allowed it. */
    rewardHold: text('reward_hold', { enum: HOLD_REASONS }),
    /** The operator's decision on `rewardHold`. */
    rewardAllowed: boolean('reward_allowed'),
    /** When to look up the mail server of the member's domain; null: no lookup is planned. */
    mailCheckAt: time('mail_check_at'),
    /** The country of the referred member. */
    country: text('country'),
    /** Whether the referral has moved its referrer up. This happens once, even if the credit is reverted. */
    moved: boolean('moved').notNull().default(false),
    /** The number of the credit: all credits of the waitlist are numbered in the order they were given. */
    creditNumber: bigint('credit_number', { mode: 'number' }),
    creditedAt: time('credited_at'),
    /** Whether the weekly counts contain the credit. */
    inWeek: boolean('in_week').notNull().default(false),
    decidedAt: time('decided_at'),
    /** The operator's account. It may have been deleted. */
    decidedBy: uuid('decided_by'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('referrals_credits').on(t.referrerId, t.creditNumber).where(sql`credit_number is not null`),
    index('referrals_held').on(t.createdAt, t.memberId).where(sql`status = 'held'`),
    index('referrals_reward_held')
      .on(t.createdAt, t.memberId)
      .where(sql`status = 'credited' and reward_hold is not null and reward_allowed is null`),
    index('referrals_mail_check').on(t.mailCheckAt).where(sql`mail_check_at is not null`),
    index('referrals_week').on(t.creditedAt).where(sql`in_week`),
    check('referrals_credit', sql`(status = 'credited') = (credit_number is not null)`),
    check('referrals_credited_at', sql`(status = 'credited') = (credited_at is not null)`),
    check('referrals_in_week', sql`not in_week or status = 'credited'`),
    check('referrals_not_oneself', sql`member_id <> referrer_id`),
  ],
)

/** The order of the leaderboard. Negated, so that both columns ascend and a position is one row comparison. */
export const mostFirst = sql<number>`(-referral_count)`

/** Counts by period: 'alltime', 'week' (last 7 days), and UTC days ('2026-11-20'). */
export const referralCounts = pgTable(
  'referral_counts',
  {
    period: text('period').notNull(),
    memberId: uuid('member_id')
      .notNull()
      .references(() => members.id),
    referralCount: integer('referral_count').notNull(),
    /** The number of the newest of these credits. Among equal counts, the lower number ranks first. */
    lastCredit: bigint('last_credit', { mode: 'number' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.period, t.memberId] }),
    index('referral_counts_ranks').on(t.period, mostFirst, t.lastCredit).where(sql`referral_count > 0`),
    check('referral_counts_count', sql`referral_count >= 0`),
  ],
)

/** How many members have each count in a period, maintained by triggers, so that a rank is a short sum. */
export const leaderboardTallies = pgTable(
  'leaderboard_tallies',
  {
    period: text('period').notNull(),
    referralCount: integer('referral_count').notNull(),
    members: bigint('members', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.period, t.referralCount] })],
)

/** Like `leaderboard_tallies`, per bucket of 1024 credits, to rank ties. */
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

/** A single row, locked before positions or counts change. */
export const waitlistState = pgTable(
  'waitlist_state',
  {
    id: integer('id').primaryKey().default(1),
    /** The number of places. Positions are 1…joined. */
    joined: integer('joined').notNull(),
    /** The number of the last credit. */
    credits: bigint('credits', { mode: 'number' }).notNull(),
  },
  () => [check('waitlist_state_one', sql`id = 1`)],
)

/** Members who joined, confirmed and were invited, by UTC day, maintained by triggers. */
export const waitlistDays = pgTable('waitlist_days', {
  day: date('day', { mode: 'string' }).primaryKey(),
  joined: integer('joined').notNull().default(0),
  confirmed: integer('confirmed').notNull().default(0),
  invited: integer('invited').notNull().default(0),
})

/** Hashed addresses that members joined from, stored for 30 days to detect bursts. */
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

/** Rewards of achievements. They are assigned to the account once it exists. */
export const rewardGrants = pgTable(
  'reward_grants',
  {
    id: id(),
    memberId: uuid('member_id')
      .notNull()
      .references(() => members.id),
    achievement: text('achievement', { enum: ACHIEVEMENT_KEYS }).notNull(),
    /** Months of Pro; 0 if the achievement earns none. */
    months: integer('months').notNull(),
    accountUserId: uuid('account_user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    earnedAt: time('earned_at').notNull().defaultNow(),
    /** When the reward began to apply; null: it is still held, at least until `startsAt`. */
    grantedAt: time('granted_at').defaultNow(),
    /** How many referred members have confirmed. */
    confirmed: integer('confirmed').notNull().default(0),
    /** How many referred members must confirm. */
    needed: integer('needed').notNull().default(0),
    /** When a held reward starts; null: not enough referred members have confirmed, or it was never held. */
    startsAt: time('starts_at'),
  },
  (t) => [
    uniqueIndex('reward_grants_once').on(t.memberId, t.achievement),
    index('reward_grants_account').on(t.accountUserId),
    index('reward_grants_due').on(t.startsAt).where(sql`granted_at is null`),
  ],
)
