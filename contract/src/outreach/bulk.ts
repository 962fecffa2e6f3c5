import { z } from 'zod'
import { HoldSeconds, Id, Moment, text, wholeNumber } from '../fields.ts'
import { CONTACT_BASES, hasOneSelection, leadSelection, ONE_SELECTION } from '../leads/leads.ts'
import { SUPPRESSION_NOTE_MAX } from '../leads/suppression-limits.ts'
import { SUPPRESSION_REASONS } from '../leads/suppressions.ts'
import { TAGS_MAX } from '../leads/tags.ts'
import { Job, UNFINISHED_JOBS_MAX } from '../platform/jobs.ts'
import { routes } from '../route.ts'

const route = routes('Jobs', 'leads')

const { leadIds, filter } = leadSelection
const selection = { leadIds, filter }
const tagging = { ...selection, tagIds: z.array(Id).min(1).max(TAGS_MAX) }
const listing = { ...selection, listId: Id }

/** A job's action, and the leads it applies to. */
const BulkOrder = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('tag'), ...tagging }),
  z.strictObject({ kind: z.literal('untag'), ...tagging }),
  z.strictObject({ kind: z.literal('add_to_list'), ...listing }),
  z.strictObject({ kind: z.literal('remove_from_list'), ...listing }),
  z.strictObject({
    kind: z.literal('suppress'),
    ...selection,
    reason: z.enum(SUPPRESSION_REASONS).default('manual'),
    note: text(SUPPRESSION_NOTE_MAX).optional(),
  }),
  z.strictObject({
    kind: z.literal('basis'),
    ...selection,
    basis: z.enum(CONTACT_BASES),
    /** Defaults to now. */
    at: Moment.optional(),
    /** Evidence, as free text. */
    source: text(500).optional(),
  }),
  z.strictObject({ kind: z.literal('delete'), ...selection }),
  z.strictObject({
    kind: z.literal('queue'),
    ...selection,
    message: text(10_000).optional(),
    holdSeconds: HoldSeconds,
  }),
])
export type BulkOrder = z.output<typeof BulkOrder>
/** An order as callers pass it. */
export type NewBulkOrder = z.input<typeof BulkOrder>

/** The fields of all kinds, so that an unknown field is reported even if the kind is missing. */
const Fields = z.strictObject({
  kind: z.enum(['tag', 'untag', 'add_to_list', 'remove_from_list', 'suppress', 'basis', 'delete', 'queue']),
  ...selection,
  /** For `tag` and `untag`. */
  tagIds: tagging.tagIds.optional(),
  /** For `add_to_list` and `remove_from_list`. */
  listId: Id.optional(),
  /** For `suppress`. */
  reason: z.enum(SUPPRESSION_REASONS).optional(),
  note: text(SUPPRESSION_NOTE_MAX).optional(),
  /** For `basis`. */
  basis: z.enum(CONTACT_BASES).optional(),
  at: Moment.optional(),
  source: text(500).optional(),
  /** For `queue`. */
  message: text(10_000).optional(),
  holdSeconds: wholeNumber(0, 30).optional(),
})

/** Accepts only the fields of the order's kind. */
const OfItsKind: z.ZodType<BulkOrder, z.output<typeof Fields>> = BulkOrder as never

/** Defined here because jobs are a layer below leads and cannot import their schemas. */
export const bulk = {
  create: route('POST /jobs', 'member', 'rows', {
    summary: 'Start a job that changes a selection of leads',
    description: `The job runs on the server, in parts. Leads that no longer match when their part runs, or that were created after the job, are left out. A workspace has at most ${UNFINISHED_JOBS_MAX} unfinished jobs. \`queue\` needs a connected X account and room in the plan for all the leads; its messages are due \`holdSeconds\` after the job has ended. An API key also needs \`lists:write\` to change lists, \`suppressions:write\` to suppress and \`campaigns:write\` to queue.`,
    errors: [
      'TAG_NOT_FOUND',
      'LEAD_LIST_NOT_FOUND',
      'SCRAPE_NOT_FOUND',
      'FILTER_NOT_FOUND',
      'PLAN_LIMIT',
      'LEAD_LIST_KIND',
      'X_NOT_CONNECTED',
      'TOO_MANY',
    ],
  })
    .input(Fields.refine(hasOneSelection, ONE_SELECTION).pipe(OfItsKind))
    .output(Job),
}
