import { z } from 'zod'
import { Id, NoInput, Page, paging, Success, Time } from '../fields.ts'
import type { PauseReason } from '../reason.ts'
import { routes } from '../route.ts'

const route = routes('Notifications')

/** The last four go to owners only. */
export const NOTIFICATION_KINDS = [
  'x_disconnected',
  'campaign_paused',
  'campaign_completed',
  'test_decided',
  'usage_high',
  'payment_failed',
  'trial_ending',
  'plan_ended',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** The parameters of a notification's text, as database triggers store them. */
export interface NotificationFacts {
  /** Of the X account, without the @. */
  handle?: string
  campaignId?: string
  campaignName?: string
  /** Of the test that was decided: the number of its step. `reason` is the verdict as a sentence. */
  step?: string
  /** Why the account was disconnected or the campaign paused, in X's words. */
  reason?: string
  /** Why the campaign was paused. */
  pause?: PauseReason
  sent?: number
  failed?: number
  /** Which limit of the plan, how much of it is used, and the limit itself. */
  limited?: 'scrapedLeads' | 'dms'
  used?: number
  limit?: number
  planName?: string
  /** When the grace period of a failed payment, or the trial, ends (ISO 8601). */
  until?: string
}

/** Notifications are deleted after this many days. */
export const NOTIFICATION_DAYS = 90

export const Notification = z.object({
  id: z.string(),
  kind: z.enum(NOTIFICATION_KINDS),
  title: z.string(),
  /** A sentence or two; '' if the title says it all. */
  text: z.string(),
  /** The page to open, on this origin. */
  path: z.string(),
  /** Null: unread. */
  readAt: Time.nullable(),
  createdAt: Time,
})
export type Notification = z.output<typeof Notification>

export const NotificationPreference = z.object({
  kind: z.enum(NOTIFICATION_KINDS),
  inApp: z.boolean(),
  email: z.boolean(),
})
export type NotificationPreference = z.output<typeof NotificationPreference>

/** Up to UNREAD_MAX (notification-limits.ts). */
const unread = z.number().int()
const Preferences = z.object({ preferences: z.array(NotificationPreference) })

export const notifications = {
  list: route('GET /notifications', 'viewer', 'none', {
    summary: 'List your notifications in this workspace, newest first; they are kept for 90 days',
  })
    .input(z.object(paging(20)))
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
      z.strictObject({
        kind: z.enum(NOTIFICATION_KINDS),
        inApp: z.boolean().optional(),
        email: z.boolean().optional(),
      }),
    )
    .output(Preferences),
}
