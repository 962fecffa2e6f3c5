import { z } from 'zod'
import { Id, NoInput, Page, paging, QueryFlag, Success, Time } from '../fields.ts'
import type { PauseReason } from '../reason.ts'
import { RECOGNIZED_LABELS, REPLY_LABELS, type ReplyLabel } from '../reply-labels.ts'
import { routes } from '../route.ts'
import type { XAppProblem } from './x-apps.ts'

const route = routes('Notifications')

/** The last ten go to owners only, and `lead_replied` never to viewers. */
export const NOTIFICATION_KINDS = [
  'x_disconnected',
  'campaign_paused',
  'campaign_completed',
  'test_decided',
  'lead_replied',
  'detection_failing',
  'x_app_problem',
  'usage_high',
  'payment_failed',
  'trial_ending',
  'plan_ended',
  'funds',
  'spending',
  'api_key_created',
  'api_key_suspended',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** Parameters of a notification's text, as database triggers store them. */
export interface NotificationFacts {
  /** The handle of the X account, without the @. */
  handle?: string
  campaignId?: string
  campaignName?: string
  /** The part of the workspace's own X app that X refuses. */
  problem?: XAppProblem
  /** The number of the step whose test was decided. `reason` is then the verdict as a sentence. */
  step?: string
  /** Why the account was disconnected or cannot be read, or why the campaign paused, in X's words. */
  reason?: string
  /** Why the campaign was paused. */
  pause?: PauseReason
  sent?: number
  /** Without the skipped ones. */
  failed?: number
  skipped?: number
  /** The plan limit that the notification is about. */
  limited?: 'scrapedLeads' | 'dms'
  /** Usage of the limit. */
  used?: number
  /** The value of the limit. */
  limit?: number
  planName?: string
  /** The lead who replied. The reply's text is never stored here. */
  leadName?: string
  /** The meaning of the reply, if known. */
  label?: ReplyLabel
  conversationId?: string
  /** When a grace period, a trial or the month of a spending limit ends (ISO 8601). */
  until?: string
  /** X's charges this month. */
  spentCents?: number
  /** The workspace's spending limit. */
  limitCents?: number
  isReached?: boolean
  /** The name of the API key, or of the first of several. */
  keyName?: string
  /** The number of API keys. */
  keys?: number
  /** Who created or adopted the key. */
  personId?: string
  isAdopted?: boolean
}

/** Frequencies of emails about replies. */
export const EMAIL_FREQUENCIES = ['immediate', 'daily'] as const

/** Labels of replies that members are notified of by default. */
export const DEFAULT_REPLY_LABELS: ReplyLabel[] = RECOGNIZED_LABELS.filter((label) => label !== 'auto_reply')

/** Notifications are deleted after this many days. */
export const NOTIFICATION_DAYS = 90

export const Notification = z.object({
  id: z.string(),
  kind: z.enum(NOTIFICATION_KINDS),
  title: z.string(),
  /** A sentence or two; '' if the title is enough. */
  text: z.string(),
  /** The page to open, without the origin. */
  path: z.string(),
  /** Null if unread. */
  readAt: Time.nullable(),
  createdAt: Time,
})
export type Notification = z.output<typeof Notification>

export const NotificationPreference = z.object({
  kind: z.enum(NOTIFICATION_KINDS),
  inApp: z.boolean(),
  email: z.boolean(),
  /** Only for `lead_replied`: browser notifications while a tab is open. */
  browser: z.boolean().optional(),
  /** Only for `lead_replied`: one email per reply, or one a day. */
  frequency: z.enum(EMAIL_FREQUENCIES).optional(),
  /** Only for `lead_replied`: notify about these labels. Replies without a label always notify. */
  labels: z.array(z.enum(REPLY_LABELS)).optional(),
})
export type NotificationPreference = z.output<typeof NotificationPreference>

/** Counted up to UNREAD_MAX (notification-limits.ts). */
const unread = z.number().int()
const Preferences = z.object({ preferences: z.array(NotificationPreference) })

export const notifications = {
  list: route('GET /notifications', 'viewer', 'none', {
    summary: 'List your notifications in this workspace, newest first; they are kept for 90 days',
  })
    .input(
      z.object({
        ...paging(20),
        /** Only notifications for the browser, even if they are turned off in the app. */
        browser: QueryFlag.optional(),
      }),
    )
    .output(Page.extend({ notifications: z.array(Notification), unread })),

  countUnread: route('GET /notifications/unread', 'viewer', 'none', {
    summary: 'Count unread notifications, up to 100',
  })
    .input(NoInput)
    .output(z.object({ unread })),

  markRead: route('POST /notifications/read', 'viewer', 'rows', {
    summary: 'Mark the given notifications as read, or all of them; unknown ids are ignored',
  })
    .input(z.strictObject({ ids: z.array(Id).min(1).max(100).optional() }))
    .output(Success.extend({ unread })),

  listPreferences: route('GET /notifications/preferences', 'viewer', 'none', {
    summary: 'List which notifications you get, in the app and by email',
  })
    .input(NoInput)
    .output(Preferences),

  setPreference: route('PUT /notifications/preferences', 'viewer', 'rows', {
    summary: 'Turn a kind of notification on or off, in the app or by email',
  })
    .input(
      z
        .strictObject({
          kind: z.enum(NOTIFICATION_KINDS),
          inApp: z.boolean().optional(),
          email: z.boolean().optional(),
          browser: z.boolean().optional(),
          frequency: z.enum(EMAIL_FREQUENCIES).optional(),
          labels: z.array(z.enum(REPLY_LABELS)).max(REPLY_LABELS.length).optional(),
        })
        .refine(
          ({ kind, browser, frequency, labels }) =>
            kind === 'lead_replied' || [browser, frequency, labels].every((field) => field === undefined),
          { path: ['kind'], error: 'takes no browser, frequency or labels' },
        ),
    )
    .output(Preferences),
}
