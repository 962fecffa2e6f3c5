import { z } from 'zod'
import { Id, NoInput, Page, paging, queryNumber, Success, Time, text, wholeNumber } from '../fields.ts'
import { formatNumber } from '../format.ts'
import { routes } from '../route.ts'
import { DAY_MS } from '../time.ts'
import { ACHIEVEMENT_KEYS, HOLD_REASONS } from '../waitlist/waitlist.ts'
import { INVITATIONS_MAX, MEMBER_RESULTS_MAX, VIEW_DAYS_MAX } from './operator-limits.ts'

const route = routes('Operator')

/** Audited actions of operators. */
export const OPERATOR_ACTIONS = ['release', 'refuse', 'undo', 'invite', 'export'] as const
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number]

/**
 * Kinds of data that we could not read. `event`: a delivered event. `group`: an event about a
 * group, which we ignore. `account`: an event about an account that is not connected. `answer`: a
 * response to a call. `error`: an undocumented error. `parameter`: a parameter that X refused.
 */
export const UNREADABLE_SOURCES = ['event', 'group', 'account', 'answer', 'error', 'parameter'] as const
export type UnreadableSource = (typeof UNREADABLE_SOURCES)[number]

const count = z.number().int()

const GrowthDay = z.object({
  /** Day in UTC, such as '2026-11-20'. */
  day: z.string(),
  joined: count,
  confirmed: count,
  invited: count,
  /** Members at the end of the day. */
  total: count,
})

export const WaitlistMember = z.object({
  id: z.string(),
  /** Null once the account is deleted. The position stays occupied. */
  email: z.string().nullable(),
  /** 0 if the person has an account but never joined the waitlist. */
  position: z.number().int(),
  referralCode: z.string().nullable(),
  referralCount: count,
  achievements: z.array(z.enum(ACHIEVEMENT_KEYS)),
  /** ISO 3166-1 alpha-2, from the IP address they joined from. */
  country: z.string().nullable(),
  joinedAt: Time.nullable(),
  confirmedAt: Time.nullable(),
  invitedAt: Time.nullable(),
})
export type WaitlistMember = z.output<typeof WaitlistMember>

export const HeldReferral = z.object({
  /** The referred member's id. */
  memberId: z.string(),
  email: z.string().nullable(),
  referrerEmail: z.string().nullable(),
  reason: z.enum(HOLD_REASONS),
  country: z.string().nullable(),
  createdAt: Time,
})
export type HeldReferral = z.output<typeof HeldReferral>

const ViewsOfDay = z.object({ day: z.string(), views: count, joins: count })

const ViewsOfSource = z.object({
  /** A page ('/waitlist'; 'other' for unknown paths) or a referral code ('' for none). */
  source: z.string(),
  /** The referrer's email address. */
  email: z.string().nullable(),
  views: count,
  joins: count,
})

export const LoggedAction = z.object({
  id: z.string(),
  action: z.enum(OPERATOR_ACTIONS),
  /** Null after the operator's account was deleted. */
  operatorEmail: z.string().nullable(),
  /** The member whom a decision was about. Null for other actions, and once the member is deleted. */
  memberEmail: z.string().nullable(),
  /** Number of members invited or exported. */
  count: count.nullable(),
  at: Time,
})
export type LoggedAction = z.output<typeof LoggedAction>

export const Unreadable = z.object({
  id: z.string(),
  source: z.enum(UNREADABLE_SOURCES),
  /** The type of event, or the call, such as 'GET /2/dm_events'. */
  name: z.string(),
  /** The names of the fields in it, never their values. For a refused parameter, only that parameter's name. */
  keys: z.array(z.string()),
  count,
  lastAt: Time,
})
export type Unreadable = z.output<typeof Unreadable>

const Day = z.iso.date('must be a day such as 2026-11-20')
const ReferralInput = z.strictObject({ memberId: Id })

/** Operations for the people in OPERATORS. Everyone else gets a 404, as if these paths did not exist. */
export const operator = {
  growth: route('GET /operator/growth', 'operator', 'none', {
    summary: 'Get the growth of the waitlist',
    description: 'Current totals, and one entry for each of the last 90 days by default, at most 366. Days are UTC.',
  })
    .input(z.object({ days: queryNumber(1, 366).default(90) }))
    .output(z.object({ members: count, confirmed: count, invited: count, held: count, days: z.array(GrowthDay) })),

  members: route('GET /operator/members', 'operator', 'none', {
    summary: 'Search members',
    description: `By the start of an email address, a whole referral code, or a position ('12', '#12'). An empty \`q\` lists everyone by position. Returns at most ${formatNumber(MEMBER_RESULTS_MAX)}; \`more\` is true if there are more.`,
  })
    .input(z.object({ q: text(254).default(''), ...paging(25) }))
    .output(z.object({ members: z.array(WaitlistMember), ...Page.shape, more: z.boolean() })),

  held: route('GET /operator/referrals/held', 'operator', 'none', {
    summary: 'List the referrals to review, oldest first',
  })
    .input(z.object(paging(25)))
    .output(z.object({ held: z.array(HeldReferral), ...Page.shape })),

  release: route('POST /operator/referrals/{memberId}/release', 'operator', 'rows', {
    summary: 'Credit a held referral, or count a credited one for rewards',
    description: 'If WAITLIST_CONFIRM=required, it counts once the referred member has confirmed.',
    errors: ['REFERRAL_NOT_FOUND', 'REFERRAL_STATE'],
  })
    .input(ReferralInput)
    .output(Success),

  refuse: route('POST /operator/referrals/{memberId}/refuse', 'operator', 'rows', {
    summary: 'Reject a held referral, or never count a credited one for rewards',
    errors: ['REFERRAL_NOT_FOUND', 'REFERRAL_STATE'],
  })
    .input(ReferralInput)
    .output(Success),

  undo: route('POST /operator/referrals/{memberId}/undo', 'operator', 'rows', {
    summary: 'Hold a referral again that was credited or rejected',
    description: 'This reverts the credit, but not the position.',
    errors: ['REFERRAL_NOT_FOUND', 'REFERRAL_STATE'],
  })
    .input(ReferralInput)
    .output(Success),

  invite: route('POST /operator/invitations', 'operator', 'rows', {
    summary: 'Invite the next members by position',
    description:
      'They keep their positions and get an email with a sign-up link. Members who were already invited, deleted or unsubscribed are skipped.',
  })
    .input(z.strictObject({ count: wholeNumber(1, INVITATIONS_MAX) }))
    .output(Success.extend({ invited: count })),

  views: route('GET /operator/views', 'operator', 'none', {
    summary: 'Get views and joins by day, and by page or referral code',
    description: `Between two UTC days, both included, at most ${VIEW_DAYS_MAX}. Sources with the most joins first. A join is counted for the page on which its visit began.`,
  })
    .input(
      z
        .object({ from: Day, to: Day, by: z.enum(['page', 'ref']).default('page'), ...paging(25) })
        .refine(({ from, to }) => from <= to, {
          path: ['from'],
          error: 'The last day must not be before the first.',
        })
        .refine(({ from, to }) => daysBetween(from, to) <= VIEW_DAYS_MAX, {
          path: ['from'],
          error: `must be at most ${VIEW_DAYS_MAX} days before the last day`,
        }),
    )
    .output(
      z.object({
        views: count,
        joins: count,
        days: z.array(ViewsOfDay),
        sources: z.array(ViewsOfSource),
        ...Page.shape,
      }),
    ),

  unreadable: route('GET /operator/unreadable', 'operator', 'none', {
    summary: 'List what X sent in the last 7 days and we could not read',
    description: 'By kind and form, the latest first. Days are UTC.',
  })
    .input(z.object(paging(25)))
    .output(z.object({ unreadable: z.array(Unreadable), ...Page.shape })),

  xCredits: route('GET /operator/x-credits', 'operator', 'none', {
    summary: "Get whether the server's X app has credits, and what X charges for it this month",
    description: "Over all workspaces that use the server's app, estimated by X's published prices. Months are UTC.",
  })
    .input(NoInput)
    .output(
      z.object({
        totalCents: z.number(),
        /** When the app was found to have no credits; null if it has some. */
        fundsSince: Time.nullable(),
        /** When X will be tried next; null if the app has credits. */
        triedAt: Time.nullable(),
        /** The number of workspaces' own apps without credits. */
        ownAppsWithout: count,
      }),
    ),

  log: route('GET /operator/log', 'operator', 'none', { summary: 'List the actions of operators, newest first' })
    .input(z.object(paging(25)))
    .output(z.object({ actions: z.array(LoggedAction), ...Page.shape })),
}

/** Returns the number of days in the range, including both ends. */
function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
}
