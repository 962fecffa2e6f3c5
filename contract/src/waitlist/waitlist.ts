import { z } from 'zod'
import { Email, Page, paging, ReferralCode, requiredText, Success, Time, text } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Waitlist')

/**
 * Why an operator must review a referral. The first two are reviewed before it is credited, the
 * others before it counts for rewards.
 */
export const HOLD_REASONS = ['disposable_domain', 'address_burst', 'own_network', 'no_mail_server'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

/** Achievements by their stored key, with the name that screens show. */
export const ACHIEVEMENTS = {
  bronze: 'Bronze Referrer',
  silver: 'Silver Referrer',
  gold: 'Gold Referrer',
  platinum: 'Platinum Referrer',
  pioneer: 'Early Pioneer',
  viral: 'Viral Sensation',
  global: 'Global Networker',
} as const
export type Achievement = keyof typeof ACHIEVEMENTS
export const ACHIEVEMENT_KEYS = Object.keys(ACHIEVEMENTS) as [Achievement, ...Achievement[]]

/** Credited referrals needed for each tier, and the months of Pro that it earns. */
export const REFERRAL_TIERS = [
  { key: 'bronze', threshold: 3, months: 1 },
  { key: 'silver', threshold: 10, months: 3 },
  { key: 'gold', threshold: 25, months: 6 },
  { key: 'platinum', threshold: 50, months: 12 },
] as const satisfies readonly { key: Achievement; threshold: number; months: number }[]

/** Credited referrals on one UTC day that earn the viral achievement. */
export const VIRAL_REFERRALS = 5

/** Returns the number of referred members who must confirm before a costly reward starts; 0 for other rewards. */
export function confirmationsNeeded(achievement: Achievement): number {
  if (achievement === 'viral') return VIRAL_REFERRALS
  return REFERRAL_TIERS.find(({ key }) => key === achievement)?.threshold ?? 0
}

/** Hours until a costly reward starts, once enough referred members have confirmed. */
export const REWARD_HOURS = 48

/** Positions that a referrer gains per referral. */
export const SPOTS_PER_REFERRAL = 5

const LEADERBOARD_PERIODS = ['alltime', 'week', 'today'] as const
export type LeaderboardPeriod = (typeof LEADERBOARD_PERIODS)[number]

const achievements = z.array(z.enum(ACHIEVEMENT_KEYS))
const position = z.number().int()
const referralCount = z.number().int()

export const LeaderboardRow = z.object({
  id: z.string(),
  /** Starts at 1. Unique. */
  rank: z.number().int(),
  /** Masked, except on the member's own row or with LEADERBOARD_EMAILS=full. */
  email: z.string(),
  /** Null on other members' rows. */
  referralCode: z.string().nullable(),
  position,
  signupDate: Time,
  achievements,
  referralCount,
  /** Whether this is the caller's row. */
  isOwn: z.boolean(),
})
export type LeaderboardRow = z.output<typeof LeaderboardRow>

export const Dashboard = z.object({
  /** 0 if the person has not joined the waitlist. */
  position,
  referralCount,
  referralCode: z.string(),
  signupDate: Time,
  achievements,
  /** The next tier. From 50 referrals on, the last tier with nothing remaining. */
  nextReward: z.object({
    key: z.enum(ACHIEVEMENT_KEYS),
    label: z.string(),
    threshold: z.number().int(),
    remaining: z.number().int(),
  }),
  /** Whether this account has a referrer. POST /referrals can set it once. */
  isReferred: z.boolean(),
  /** 25, 50, 75 and 100 at the four tiers, and linear in between. */
  progressPercent: z.number(),
})
export type Dashboard = z.output<typeof Dashboard>

export const waitlist = {
  join: route('POST /waitlist/join', 'public', 'rows', {
    summary: 'Join the waitlist',
    description:
      "Joining again returns the same position and code, and the message 'User already exists'. Unknown referral codes are ignored. At most 30 calls a minute from one IP address.",
  })
    .input(
      z.strictObject({
        email: z.string({ error: 'Please enter your email address' }).pipe(Email),
        referralCode: ReferralCode,
        /** The page on which the visit started. Only used to count joins by page. */
        path: text(2_000).optional(),
      }),
    )
    .output(Success.extend({ position, referralCode: z.string(), message: z.string() })),

  position: route('POST /waitlist/position', 'public', 'none', {
    summary: 'Look up a position by email',
    description: 'At most 20 calls a minute from one IP address.',
    errors: ['MEMBER_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        email: z
          .string({ error: 'Please enter your email address' })
          .refine((email) => email.trim() !== '', { error: 'Please enter your email address', abort: true })
          .pipe(Email),
      }),
    )
    .output(
      Success.extend({
        message: z.string(),
        position,
        referralCount,
        joinedDate: Time,
        user: z.object({
          position,
          /** Masked. */
          email: z.string(),
          referralCount,
          achievements,
          referral_code: z.string(),
        }),
      }),
    ),

  count: route('GET /waitlist/count', 'public', 'none', { summary: 'Get the number of members' }).output(
    z.object({ count: z.number().int() }),
  ),

  trackView: route('POST /track-view', 'public', 'rows', {
    summary: 'Count a view of a page',
    description: 'Stored as daily counts by path and referral code, without IP addresses or cookies.',
  })
    .input(
      z.strictObject({
        path: requiredText(2_000),
        referrer: text(2_000).optional(),
        ref: ReferralCode,
      }),
    )
    .output(Success),

  leaderboard: route('GET /leaderboard', 'public', 'none', {
    summary: 'Get the leaderboard of referrers',
    description:
      'Of all time, the last 7 days, or since midnight UTC. Most referrals first, ties by who reached them first. With a token, your own row is unmasked, marked, and also returned as `own` on every page. Use `cursor` for deep pages.',
    errors: ['UNAUTHORIZED'],
  })
    .input(
      z.object({
        period: z.enum(LEADERBOARD_PERIODS).default('alltime'),
        ...paging(50),
        cursor: z.string().max(200).optional(),
      }),
    )
    .output(
      Success.extend({
        message: z.string(),
        leaderboard: z.array(LeaderboardRow),
        /** Null if the caller is signed out or has no referrals in the period. */
        own: LeaderboardRow.nullable(),
        ...Page.shape,
        /** Null on the last page. */
        cursor: z.string().nullable(),
      }),
    ),

  dashboard: route('GET /dashboard', 'viewer', 'none', {
    summary: 'Get your position, referrals and next reward',
    description: 'If you never joined, your position is 0.',
  }).output(Dashboard),

  refer: route('POST /referrals', 'viewer', 'rows', {
    summary: 'Set who referred you',
    description: 'The first referrer is final. You cannot name yourself or anyone you referred.',
    errors: ['INVALID_REFERRAL_CODE'],
  })
    .input(z.strictObject({ referralCode: requiredText(200, 'Invalid referral code') }))
    .output(Success),
}
