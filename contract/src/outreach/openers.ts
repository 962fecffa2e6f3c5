import { z } from 'zod'
import { Cursor, Id, queryNumber, requiredText, Time, wholeNumber } from '../fields.ts'
import { IDS_MAX } from '../leads/lead-limits.ts'
import { hasOneSelection, leadSelection, ONE_SELECTION } from '../leads/leads.ts'
import { oneLine } from '../message-value.ts'
import { Job } from '../platform/jobs.ts'
import { routes } from '../route.ts'
import { readSegments } from './template.ts'
import { WRITER_FAULTS } from './writer-text.ts'

const route = routes('Openers', 'writer')

/** Maximum length of an opener. */
export const OPENER_MAX = 500
/** Openers per page, and per call that approves them. */
export const OPENERS_PAGE = 50

/** Only approved openers are sent. `failed`: nothing could be written about the lead. */
export const OPENER_STATUSES = ['draft', 'approved', 'failed'] as const
export type OpenerStatus = (typeof OPENER_STATUSES)[number]

/** Who writes: a model or, if there is none, the built-in rules. */
export const OPENER_SOURCES = ['model', 'built_in'] as const

/** One sentence about a lead, inserted into a campaign's messages by `{ai_opener|fallback}`. */
export const Opener = z.object({
  id: z.string(),
  campaignId: z.string(),
  lead: z.object({ id: z.string(), name: z.string(), twitterHandle: z.string() }),
  text: z.string(),
  /** Parts of the lead's profile that the text uses. */
  factsUsed: z.array(z.string()),
  source: z.enum(OPENER_SOURCES),
  status: z.enum(OPENER_STATUSES),
  /** Increases with each change of the text. */
  version: z.number().int(),
  approvedBy: z.object({ id: z.string(), name: z.string() }).nullable(),
  approvedAt: Time.nullable(),
  updatedAt: Time,
})
export type Opener = z.output<typeof Opener>

const hasNoVariables = (text: string) => readSegments(text).every(({ kind }) => kind === 'words')

/** Leads of the campaign's list, selected by id or by a filter. */
const selection = {
  leadIds: z.array(Id).min(1).max(IDS_MAX).optional(),
  filter: leadSelection.filter,
}

export const openers = {
  estimate: route('POST /campaigns/{id}/openers/estimate', 'member', 'none', {
    summary: 'Estimate what openers would cost',
    description: "Counts leads of the campaign's list without an opener.",
    errors: ['CAMPAIGN_NOT_FOUND', 'FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id, ...selection }).refine(hasOneSelection, ONE_SELECTION))
    .output(
      z.object({
        leads: z.number().int(),
        tokens: z.number().int(),
        /** Null if the model's price is unknown. */
        costCents: z.number().nullable(),
        /** Null if there is no budget. */
        remainingCents: z.number().nullable(),
      }),
    ),

  create: route('POST /campaigns/{id}/openers', 'member', 'rows', {
    summary: 'Write openers for leads of a campaign',
    description:
      'Returns a job; the same one while it has not ended. Leads that have an opener are left out, unless it failed. If the budget ends during the job, it fails and keeps what it wrote.',
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_STATE', 'FILTER_NOT_FOUND', 'PLAN_LIMIT', 'BUDGET_EXCEEDED'],
  })
    .input(
      z
        .strictObject({
          id: Id,
          ...selection,
          /** Defaults to `model` if a model is configured. */
          source: z.enum(OPENER_SOURCES).optional(),
        })
        .refine(hasOneSelection, ONE_SELECTION),
    )
    .output(Job),

  list: route('GET /campaigns/{id}/openers', 'member', 'none', {
    summary: 'List the openers of a campaign, oldest first',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(
      z.object({
        id: Id,
        status: z.enum(OPENER_STATUSES).optional(),
        leadId: Id.optional(),
        pageSize: queryNumber(1, 100).default(OPENERS_PAGE),
        cursor: Cursor.optional(),
      }),
    )
    .output(
      z.object({
        openers: z.array(Opener),
        counts: z.object({ draft: z.number().int(), approved: z.number().int(), failed: z.number().int() }),
        /** The latest job that writes openers for this campaign, running or ended. */
        job: Job.nullable(),
        cursor: z.string().nullable(),
      }),
    ),

  approve: route('POST /campaigns/{id}/openers/approve', 'member', 'rows', {
    summary: 'Approve openers as they were read',
    description: 'Also changes queued messages that no sender has claimed.',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        id: Id,
        openers: z
          .array(z.strictObject({ id: Id, version: wholeNumber(1, 2_147_483_647) }))
          .min(1)
          .max(OPENERS_PAGE),
      }),
    )
    .output(
      z.object({
        success: z.literal(true),
        approved: z.number().int(),
        /** Ids of openers that were not approved, because they were changed or deleted in the meantime. */
        changed: z.array(z.string()),
      }),
    ),

  update: route('PATCH /openers/{id}', 'member', 'rows', {
    summary: 'Edit an opener, approve it or withdraw its approval',
    description: 'A new text drops the approval, unless `isApproved` is sent with it.',
    errors: ['OPENER_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        id: Id,
        text: requiredText(OPENER_MAX, 'Opener cannot be empty.')
          .transform(oneLine)
          .refine(hasNoVariables, 'An opener is sent as it is written. Remove what is in braces.')
          .optional(),
        isApproved: z.boolean().optional(),
      }),
    )
    .output(Opener),

  regenerate: route('POST /openers/{id}/regenerate', 'member', 'outside', {
    summary: 'Write an opener again; it is not approved',
    description:
      'It stays as it is if the model fails, nothing can be written about the lead, or its text was changed meanwhile.',
    errors: ['OPENER_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id }))
    .output(
      Opener.extend({
        /** Why the model did not write the opener; null if it did, or there is no model. */
        fault: z.enum(WRITER_FAULTS).nullable(),
      }),
    ),
}
