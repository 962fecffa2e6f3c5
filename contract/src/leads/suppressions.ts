import { z } from 'zod'
import { cursorPaging, Id, Page, PersonOnX, queryNumber, Success, Time, text } from '../fields.ts'
import { routes } from '../route.ts'
import { IDS_MAX } from './lead-limits.ts'
import { type LeadSelection, leadSelection, nextPart } from './leads.ts'
import { SUPPRESSION_NOTE_MAX } from './suppression-limits.ts'

const route = routes('Suppressions', 'suppressions')

/** `replied_stop`: they asked in a reply to stop. `opted_out`: they opted out elsewhere. */
export const SUPPRESSION_REASONS = ['opted_out', 'replied_stop', 'manual', 'import'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

const SuppressionReasonField = z.enum(SUPPRESSION_REASONS)

/** A person on X whom this workspace may not message, whether or not they are a lead. */
export const Suppression = z.object({
  id: z.string(),
  /** Lowercase, without the @. Empty if only the id is known. */
  twitterHandle: z.string(),
  /** The person's user id at X, which never changes; null if unknown. */
  xUserId: z.string().nullable(),
  /**
   * When the handle was found to belong to someone else, whom this entry does not suppress. Null if
   * it still belongs to the suppressed person.
   */
  handleLostAt: Time.nullable(),
  reason: SuppressionReasonField,
  note: z.string().nullable(),
  /** The user who added the entry; null: a reply added it, or the user's account was deleted. */
  by: z.object({ id: z.string(), name: z.string() }).nullable(),
  createdAt: Time,
})
export type Suppression = z.output<typeof Suppression>

/**
 * Selects people by handles, an X user id, lead ids or a filter. Exactly one of these is allowed,
 * except that a single handle can come with an X user id.
 */
interface SuppressionSelection extends LeadSelection {
  handles?: string[]
  xUserId?: string
}

const hasOneSelection = ({ handles, xUserId, leadIds, filter }: SuppressionSelection) =>
  [handles ?? xUserId, leadIds, filter].filter((selection) => selection !== undefined).length === 1

/** The response of an import (POST /suppressions/import, text/csv). */
export const SuppressionImport = z.object({
  /** Number of newly suppressed people. */
  imported: z.number().int(),
  /** Number of people who were already suppressed and stay unchanged. */
  known: z.number().int(),
  /** Number of queued messages that will not be sent because of the import. */
  stopped: z.number().int(),
  /** Rejected lines by line number. At most the first 10,000. */
  rejected: z.array(z.object({ line: z.number().int(), problem: z.string() })),
  rejectedCount: z.number().int(),
  /** Rows in which a handle, X user id or another cell was ignored. At most the first 10,000. */
  warnings: z.array(z.object({ line: z.number().int(), problem: z.string() })),
  warningCount: z.number().int(),
})
export type SuppressionImport = z.output<typeof SuppressionImport>

export const suppressions = {
  list: route('GET /suppressions', 'viewer', 'none', {
    summary: 'List the suppressed people, newest first, with the exact total',
  })
    .input(
      z.object({
        /** Part of a handle, case-insensitive, with or without the @; or an X user id. */
        q: text(50).optional(),
        /** Only entries that suppress this lead: by its handle, its X user id or both. */
        leadId: Id.optional(),
        reason: SuppressionReasonField.optional(),
        /** Only people who were added within this number of days. */
        withinDays: queryNumber(1, 366).optional(),
        ...cursorPaging(50),
      }),
    )
    .output(Page.extend({ suppressions: z.array(Suppression), cursor: z.string().nullable() })),

  create: route('POST /suppressions', 'member', 'rows', {
    summary: 'Suppress people; their queued messages fail immediately, in every campaign',
    errors: ['FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      z
        .strictObject({
          handles: z.array(PersonOnX).min(1).max(IDS_MAX).optional(),
          /**
           * The person's X user id, alone or with one handle. Restoring a removed suppression sends
           * both. Ids that a spreadsheet rounded are ignored.
           */
          xUserId: z
            .string()
            .regex(/^\d{1,20}$/)
            .optional(),
          ...leadSelection,
          reason: SuppressionReasonField.default('manual'),
          note: text(SUPPRESSION_NOTE_MAX).optional(),
        })
        .refine(hasOneSelection, { message: 'Give one of handles, xUserId, leadIds and filter.', path: ['handles'] })
        .refine(({ handles, xUserId }) => xUserId === undefined || !handles || handles.length === 1, {
          message: 'goes with one handle',
          path: ['xUserId'],
        }),
    )
    .output(
      Success.extend({
        /** Number of newly suppressed people. Existing entries stay unchanged. */
        suppressed: z.number().int(),
        /** The new entry, if there is exactly one. */
        suppressionId: z.string().nullable(),
        /** Number of queued messages that will not be sent because of this call. */
        stopped: z.number().int(),
        ...nextPart,
      }),
    ),

  remove: route('DELETE /suppressions/{id}', 'member', 'rows', {
    summary: 'Remove a suppression; messages that failed because of it are not queued again',
    errors: ['SUPPRESSION_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
