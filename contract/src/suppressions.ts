import { z } from 'zod'
import { Id, isStorable, Page, paging, Success, Time, TwitterHandle, text } from './fields.ts'
import { IDS_MAX } from './lead-limits.ts'
import { type LeadSelection, leadSelection, nextPart } from './leads.ts'
import { route } from './route.ts'
import { SUPPRESSION_NOTE_MAX } from './suppression-limits.ts'

/** Why somebody is not to be written to: they said so elsewhere, they answered so, somebody here decided so, or a file said so. */
export const SUPPRESSION_REASONS = ['opted_out', 'replied_stop', 'manual', 'import'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

const SuppressionReasonField = z.enum(SUPPRESSION_REASONS)

/** Somebody on X whom this workspace does not write to, whether they are among its leads or not. */
export const Suppression = z.object({
  id: z.string(),
  /** Without the @, in lower case. */
  twitterHandle: z.string(),
  /** X's id of the account, where it is known: it stays through a change of the handle. */
  xUserId: z.string().nullable(),
  reason: SuppressionReasonField,
  note: z.string().nullable(),
  /** Who did it; null: a reply did, or they have left. */
  by: z.object({ id: z.string(), name: z.string() }).nullable(),
  createdAt: Time,
})
export type Suppression = z.output<typeof Suppression>

/** People named by their handles, or by the leads they are: exactly one of the three. */
export interface SuppressionSelection extends LeadSelection {
  handles?: string[]
}

const hasOneSelection = ({ handles, leadIds, filter }: SuppressionSelection) =>
  [handles, leadIds, filter].filter((given) => given !== undefined).length === 1

/** The answer of an import (POST /suppressions/import, text/csv). */
export const SuppressionImport = z.object({
  /** New on the list. */
  imported: z.number().int(),
  /** On it before; they stay as they were. */
  known: z.number().int(),
  /** Queued messages that will not be sent for it. */
  stopped: z.number().int(),
  /** Each refused line by its number in the file, and why; the first 10,000 where there are more. */
  rejected: z.array(z.object({ line: z.number().int(), problem: z.string() })),
  rejectedCount: z.number().int(),
})
export type SuppressionImport = z.output<typeof SuppressionImport>

export const suppressions = {
  list: route({
    method: 'GET',
    path: '/suppressions',
    tag: 'Suppressions',
    summary: 'People whom the workspace does not write to, newest first, with the exact total',
    access: 'viewer',
    effect: 'none',
  })
    .input(
      z.object({
        /** Part of the handle, whatever its case, with or without the @. */
        q: text(50).optional(),
        ...paging(50),
        /** From the answer before: goes on behind it, at the cost of one page however deep. */
        cursor: z.string().max(500).refine(isStorable, 'must be the cursor of an earlier response').optional(),
      }),
    )
    .output(Page.extend({ suppressions: z.array(Suppression), cursor: z.string().nullable() })),

  create: route({
    method: 'POST',
    path: '/suppressions',
    tag: 'Suppressions',
    summary: 'Stop writing to people; what is queued for them fails at once, in every campaign',
    access: 'member',
    effect: 'rows',
  })
    .input(
      z
        .strictObject({
          handles: z.array(TwitterHandle).min(1).max(IDS_MAX).optional(),
          ...leadSelection,
          reason: SuppressionReasonField.default('manual'),
          note: text(SUPPRESSION_NOTE_MAX).optional(),
        })
        .refine(hasOneSelection, { message: 'Give one of handles, leadIds and filter.', path: ['handles'] }),
    )
    .output(
      Success.extend({
        /** New on the list; who was on it stays as before. */
        suppressed: z.number().int(),
        /** Queued messages that will not be sent for it. */
        stopped: z.number().int(),
        ...nextPart,
      }),
    ),

  remove: route({
    method: 'DELETE',
    path: '/suppressions/{id}',
    tag: 'Suppressions',
    summary: 'Allow writing to somebody again; what was stopped stays so until it is queued again',
    access: 'member',
    effect: 'rows',
    successStatus: 204,
    errors: ['SUPPRESSION_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
