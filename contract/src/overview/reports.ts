import { z } from 'zod'
import { Id, Moment, Page, paging, requiredName, Time } from '../fields.ts'
import { StepResults, VariantResults } from '../outreach/sequences.ts'
import { Branding } from '../platform/branding.ts'
import { REPLY_LABELS } from '../reply-labels.ts'
import { routes } from '../route.ts'
import { isDay } from './analytics.ts'
import { REPORT_DAYS_MAX, REPORT_DAYS_VALID, REPORT_TITLE_MAX, REPORTS_MAX } from './report-limits.ts'

const route = routes('Client reports')

/** A calendar month, such as '2026-11'. */
const Month = z.string().refine((text) => isDay(`${text}-01`) && text.length === 7, 'must be a month such as 2026-01')

/** A public page with the results of a campaign or a month. */
export const Report = z.object({
  id: z.string(),
  kind: z.enum(['campaign', 'month']),
  campaignId: z.string().nullable(),
  month: z.string().nullable(),
  title: z.string(),
  /** Anyone with this address can read the report. Null if the server's secret has changed since its creation. */
  url: z.string().nullable(),
  includesPeople: z.boolean(),
  /** `plan`: the workspace's plan does not include client reports. */
  status: z.enum(['active', 'expired', 'plan']),
  /** Null if the creator's account was deleted. */
  createdBy: z.object({ id: z.string(), name: z.string() }).nullable(),
  createdAt: Time,
  expiresAt: Time,
})
export type Report = z.output<typeof Report>

const count = z.number().int()

export const Totals = z.object({
  peopleMessaged: count,
  messagesSent: count,
  /** Messages that X reports as read. */
  read: count,
  /** People with at least one reply that was not automatic. */
  peopleReplied: count,
  peoplePositive: count,
  optedOut: count,
})
export type Totals = z.output<typeof Totals>

/** A report as its readers see it: without ids, and without data about the workspace's members. */
export const SharedReport = z.object({
  title: z.string(),
  kind: z.enum(['campaign', 'month']),
  /** The first day, in the workspace's time zone. */
  from: z.string(),
  /** The last day, in the workspace's time zone. */
  to: z.string(),
  workspace: Branding.extend({ name: z.string() }),
  totals: Totals,
  /** Messages by the day on which they were sent. At most the latest REPORT_DAYS_SHOWN days. */
  days: z.array(z.object({ day: z.string(), sent: count, replied: count, positive: count })),
  /** The campaigns with the most messages, at most REPORT_CAMPAIGNS_MAX. */
  campaigns: z.array(
    z.object({
      name: z.string(),
      totals: Totals,
      steps: z.array(
        StepResults.pick({ number: true, kind: true }).extend({
          // Readers do not see failed and skipped messages.
          variants: z.array(VariantResults.omit({ id: true, isActive: true, failed: true, skipped: true })),
        }),
      ),
    }),
  ),
  /** People who replied, latest first, at most REPORT_PEOPLE_MAX. Null if the report does not include them. */
  people: z
    .array(
      z.object({
        name: z.string(),
        twitterHandle: z.string(),
        label: z.enum(REPLY_LABELS).nullable(),
        repliedAt: Time,
      }),
    )
    .nullable(),
})
export type SharedReport = z.output<typeof SharedReport>

export const reports = {
  list: route('GET /reports', 'member', 'none', { summary: 'List the client reports, newest first' })
    .input(z.object(paging(50)))
    .output(Page.extend({ reports: z.array(Report) })),

  create: route('POST /reports', 'admin', 'unkeyed', {
    summary: 'Share the results of a campaign or a month as a public page',
    description: `Anyone with its URL can read the report until it expires: after ${REPORT_DAYS_VALID} days unless \`expiresAt\` says otherwise, and after ${REPORT_DAYS_MAX} days at most. A workspace has at most ${REPORTS_MAX} reports. They need the Agency plan.`,
    errors: ['CAMPAIGN_NOT_FOUND', 'PLAN_LIMIT', 'TOO_MANY'],
  })
    .input(
      z
        .strictObject({
          kind: z.enum(['campaign', 'month']),
          campaignId: Id.optional(),
          month: Month.optional(),
          /** Defaults to the campaign's name, or the month. */
          title: requiredName(REPORT_TITLE_MAX).optional(),
          /** Whether the report names the people who replied. */
          includesPeople: z.boolean().default(false),
          expiresAt: Moment.optional(),
        })
        .refine(({ kind, campaignId }) => (kind === 'campaign') === (campaignId !== undefined), {
          message: 'A report on a campaign needs campaignId, and a report on a month must not have it.',
          path: ['campaignId'],
        })
        .refine(({ kind, month }) => (kind === 'month') === (month !== undefined), {
          message: 'A report on a month needs month, and a report on a campaign must not have it.',
          path: ['month'],
        }),
    )
    .output(Report),

  remove: route('DELETE /reports/{id}', 'admin', 'rows', {
    summary: 'Delete a client report; its link stops working immediately',
    errors: ['REPORT_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  find: route('POST /reports/find', 'public', 'none', {
    summary: 'Read a client report',
    description:
      'Figures are at most 5 minutes old. A token that is unknown or has expired, and one whose report was deleted or is not part of the plan, get the same answer.',
    errors: ['REPORT_NOT_FOUND'],
  })
    .input(z.strictObject({ token: z.string().max(1_000) }))
    .output(SharedReport),
}
