import { z } from 'zod'
import { Id, NoInput, Page, paging, Success, Time } from './fields.ts'
import { route } from './route.ts'

/**
 * What people are told of: X does not take an account's connection any more, a campaign has paused by itself, a campaign is complete;
 * and owners: a limit of the plan is nearly used up, a payment has failed, a trial ends soon, a plan has ended.
 */
export const NOTICE_KINDS = [
  'x_disconnected',
  'campaign_paused',
  'campaign_completed',
  'usage_high',
  'payment_failed',
  'trial_ending',
  'plan_ended',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** What is kept of a happening, as triggers in the database write it. */
export interface NoticeFacts {
  /** Of the X account, without the @. */
  handle?: string
  campaignId?: string
  campaignName?: string
  /** Why it lost its connection or paused, as a text to show. */
  reason?: string
  sent?: number
  failed?: number
  /** What the plan limits, how much of it is used, and of how much. */
  limited?: 'scrapedLeads' | 'dms'
  used?: number
  limit?: number
  planName?: string
  /** A moment: until when the plan holds in spite of a missing payment, or when the trial ends. */
  until?: string
}

/** Notices are kept this long. */
export const NOTICE_DAYS = 90

export const Notice = z.object({
  id: z.string(),
  kind: z.enum(NOTICE_KINDS),
  title: z.string(),
  /** A sentence or two; '' where the title says it all. */
  text: z.string(),
  /** The page that it is about, on this origin. */
  path: z.string(),
  /** Null: not yet. */
  readAt: Time.nullable(),
  createdAt: Time,
})
export type Notice = z.output<typeof Notice>

export const NoticePreference = z.object({ kind: z.enum(NOTICE_KINDS), inApp: z.boolean(), mail: z.boolean() })
export type NoticePreference = z.output<typeof NoticePreference>

/** Up to UNREAD_MAX (notice-limits.ts). */
const unread = z.number().int()
const Preferences = z.object({ preferences: z.array(NoticePreference) })

export const notices = {
  list: route({
    method: 'GET',
    path: '/notices',
    tag: 'Notices',
    summary: 'What has happened in the workspace that you are told of, newest first; kept for 90 days',
    access: 'viewer',
    effect: 'none',
  })
    .input(z.object(paging(20)))
    .output(Page.extend({ notices: z.array(Notice), unread })),

  countUnread: route({
    method: 'GET',
    path: '/notices/unread',
    tag: 'Notices',
    summary: 'How many notices are unread, up to 100',
    access: 'viewer',
    effect: 'none',
  })
    .input(NoInput)
    .output(z.object({ unread })),

  markRead: route({
    method: 'POST',
    path: '/notices/read',
    tag: 'Notices',
    summary: 'Mark notices as read: those named, or all; the ids of others are passed over',
    access: 'viewer',
    effect: 'rows',
  })
    .input(z.strictObject({ ids: z.array(Id).min(1).max(100).optional() }))
    .output(Success.extend({ unread })),

  listPreferences: route({
    method: 'GET',
    path: '/notices/preferences',
    tag: 'Notices',
    summary: 'What you are told of, and how',
    access: 'viewer',
    effect: 'none',
  })
    .input(NoInput)
    .output(Preferences),

  setPreference: route({
    method: 'PUT',
    path: '/notices/preferences',
    tag: 'Notices',
    summary: 'Switch a kind of notice on or off, in the product or by mail',
    access: 'viewer',
    effect: 'rows',
  })
    .input(
      z.strictObject({
        kind: z.enum(NOTICE_KINDS),
        inApp: z.boolean().optional(),
        mail: z.boolean().optional(),
      }),
    )
    .output(Preferences),
}
