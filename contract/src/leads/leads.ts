import { z } from 'zod'
import {
  Cursor,
  cursorPaging,
  FollowerQuery,
  HoldSeconds,
  Id,
  isId,
  Moment,
  Page,
  QueryFlag,
  Success,
  Time,
  text,
} from '../fields.ts'
import { X_SOURCES } from '../platform/x-account.ts'
import { EnrollmentReason, Reason, SkipReason } from '../reason.ts'
import {
  POSITIVE_LABELS,
  RECOGNIZED_LABELS,
  REPLY_LABELS,
  type RecognizedLabel,
  type ReplyLabel,
} from '../reply-labels.ts'
import { routes } from '../route.ts'
import { BIO_WORDS_MAX, parseBioWords } from './bio-words.ts'
import { BASIS_SOURCE_MAX, IDS_MAX } from './lead-limits.ts'
import { FieldConditions, FilterTags, LeadRules } from './lead-rules.ts'
import {
  CONTACT_BASES,
  type ContactBasis,
  LEAD_FILTER_STATUSES,
  LEAD_STANDINGS,
  type LeadStanding,
} from './lead-values.ts'
import { RULE_FIELDS, RULES_MAX } from './rule-fields.ts'

const route = routes('Leads', 'leads')
const messageRoute = routes('Leads', 'campaigns')

/** A lead's status over all campaigns. */
export const LEAD_STATUSES = ['not_sent', 'queued', 'sent', 'failed', 'contacted', 'failed_contact'] as const
export type LeadStatus = (typeof LEAD_STATUSES)[number]

export const DM_STATUSES = ['queued', 'sent', 'failed', 'delivered', 'replied'] as const
export type DmStatus = (typeof DM_STATUSES)[number]

export {
  CONTACT_BASES,
  type ContactBasis,
  LEAD_FILTER_STATUSES,
  LEAD_STANDINGS,
  type LeadStanding,
  POSITIVE_LABELS,
  RECOGNIZED_LABELS,
  REPLY_LABELS,
  type RecognizedLabel,
  type ReplyLabel,
}

/** Rows per page on the leads page. */
export const LEADS_PAGE_SIZE = 10

/** Maximum size of a CSV upload, 64 MiB. Other bodies are limited to 256 KiB. */
export const IMPORT_MAX_BYTES = 64 * 1024 * 1024

export const Lead = z.object({
  id: z.string(),
  name: z.string(),
  /** From the column `first_name` of the imported file, else from the name; null if neither contains one. */
  firstName: z.string().nullable(),
  /** Without the @. */
  twitterHandle: z.string(),
  bio: z.string().nullable(),
  followerCount: z.number().int().nullable(),
  followingCount: z.number().int().nullable(),
  sourceProfile: z.string().nullable(),
  url: z.string().nullable(),
  profileImageUrl: z.string().nullable(),
  /** The picture's path, valid until the end of the next day. */
  pictureUrl: z.string().nullable(),
  location: z.string().nullable(),
  website: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  dmStatus: z.enum(LEAD_STATUSES),
  /** Part of the sample data. */
  isSample: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
})
export type Lead = z.output<typeof Lead>

/** A UUID chosen by the caller. */
export const CallersId = z
  .string()
  .refine(isId, 'must be a UUID')
  .transform((id) => id.toLowerCase())

/** Whether the lead is on the suppression list, so nobody in the workspace can message them. */
const suppressed = z.boolean()

/** A lead as the messenger lists it. */
export const OfferedLead = Lead.extend({ suppressed })
export type OfferedLead = z.output<typeof OfferedLead>

/** A lead as the leads page lists it. */
export const ListedLead = Lead.extend({
  basis: z.enum(CONTACT_BASES),
  /** Tag ids. GET /tags returns their names. */
  tagIds: z.array(z.string()),
  suppressed,
  /** Whether the lead has replied, or messaged you first. */
  replied: z.boolean(),
})
export type ListedLead = z.output<typeof ListedLead>

/** A lead with all its data. */
export const LeadDetail = ListedLead.extend({
  /** The lead's user id at X; null if unknown. */
  xUserId: z.string().nullable(),
  /** When the handle was found to belong to someone else; null if it still seems to be the lead's. */
  handleLostAt: Time.nullable(),
  /** When the contact basis was recorded. */
  basisAt: Time.nullable(),
  /** Evidence for the contact basis, as free text. */
  basisSource: z.string().nullable(),
})
export type LeadDetail = z.output<typeof LeadDetail>

/** The campaign step that an event is about. */
const stepOfCampaign = { campaignId: z.string(), campaignName: z.string(), stepNumber: z.number().int() }

/** An event in a lead's history. */
export const LeadEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('created'), at: Time }),
  /** The lead got a new handle on X. `twitterHandle` is the old one. */
  z.object({ kind: z.literal('renamed'), at: Time, twitterHandle: z.string() }),
  z.object({
    kind: z.literal('scraped'),
    at: Time,
    scrapeId: z.string(),
    /** Null unless the scrape read followers or following. */
    twitterHandle: z.string().nullable(),
    type: z.enum(X_SOURCES),
  }),
  z.object({ kind: z.literal('listed'), at: Time, listId: z.string(), listName: z.string() }),
  z.object({ kind: z.literal('tagged'), at: Time, tagId: z.string(), tagName: z.string() }),
  z.object({
    kind: z.literal('messaged'),
    at: Time,
    dmId: z.string(),
    /** Null for a direct message, outside any campaign. */
    campaignId: z.string().nullable(),
    campaignName: z.string().nullable(),
    /** Null for a direct message. */
    stepNumber: z.number().int().nullable(),
    variant: z.object({ id: z.string(), name: z.string() }).nullable(),
    status: z.enum(DM_STATUSES),
    /** Empty if the message was written in the inbox and later deleted. Viewers always get ''. */
    message: z.string(),
    errorMessage: z.string().nullable(),
    /** Why the message was skipped; null for other failures, which only have a text. */
    reason: SkipReason.nullable(),
    /** Why the message was skipped or, if the lead is paused, why it waits. */
    why: Reason.nullable(),
    /** Whether the message failed but might have been sent. */
    outcomeUnknown: z.boolean(),
  }),
  z.object({
    kind: z.literal('replied'),
    at: Time,
    replyId: z.string(),
    /** Null if the text was deleted, for viewers, and for keys without access to conversations. */
    text: z.string().nullable(),
    /** Whether the lead opted out with this reply. */
    optedOut: z.boolean(),
    /** The meaning of the reply; null: unknown. */
    label: z.enum(REPLY_LABELS).nullable(),
    /** The message that the lead replied to; null if the lead wrote first. */
    dmId: z.string().nullable(),
    /** The reply and a follow-up crossed: we learned of the reply only after sending. */
    crossedFollowUp: z.boolean(),
  }),
  /** The user of the X account messaged the lead outside this product. */
  z.object({ kind: z.literal('written'), at: Time, replyId: z.string(), text: z.string().nullable() }),
  /** The last step was skipped because its condition was not met. */
  z.object({ kind: z.literal('skipped'), at: Time, ...stepOfCampaign, why: Reason }),
  /** The lead is paused before this step of a campaign. */
  z.object({
    kind: z.literal('paused'),
    at: Time,
    ...stepOfCampaign,
    /** Null if the lead stays paused until someone resumes the enrollment. */
    until: Time.nullable(),
    why: EnrollmentReason.nullable(),
  }),
  /** Someone corrected the label of a conversation with the lead. */
  z.object({ kind: z.literal('labelled'), at: Time, label: z.enum(REPLY_LABELS) }),
  /** A note about the lead. Viewers and keys without access to conversations get no text. */
  z.object({ kind: z.literal('note'), at: Time, noteId: z.string(), text: z.string().nullable() }),
])
export type LeadEvent = z.output<typeof LeadEvent>

/**
 * Filter fields for leads, also used by saved filters. Without the Pro plan, `label`, `tags`,
 * `fields`, `contactedAfter` and `contactedBefore` return 403 PLAN_LIMIT; without Agency, `rules`
 * does.
 */
export const LeadFilter = z.object({
  /** Matches the bio, name or handle, case-insensitively. */
  keyword: text(200).optional(),
  minFollowers: FollowerQuery.optional(),
  maxFollowers: FollowerQuery.optional(),
  status: z.enum(LEAD_FILTER_STATUSES).optional(),
  listId: Id.optional(),
  /** A tag's id or name. */
  tag: text(100).optional(),
  basis: z.enum(CONTACT_BASES).optional(),
  /** The label of one of the lead's conversations. */
  label: z.enum(REPLY_LABELS).optional(),
  /** Only leads found by this scrape. */
  scrapeId: Id.optional(),
  /** Only leads with all of these tags. */
  tags: FilterTags.optional(),
  /** Conditions on custom fields. All must be met. JSON in a query string. */
  fields: FieldConditions.optional(),
  /** Last messaged at or after this time. Leads who were never messaged do not match. */
  contactedAfter: Moment.optional(),
  /** Last messaged before this time. */
  contactedBefore: Moment.optional(),
  /** And/or rules, at most 20. JSON in a query string. */
  rules: LeadRules.optional(),
})
export type LeadFilter = z.output<typeof LeadFilter>

/** The query of GET /leads. It can also select leads, instead of `leadIds`. */
export const LeadQuery = LeadFilter.extend({
  /** Words that the bio must contain or, with a minus, must not: `founder -crypto`. */
  bioWords: text(500)
    .refine((words) => {
      const { required, excluded } = parseBioWords(words)
      return required.length + excluded.length <= BIO_WORDS_MAX
    }, `has at most ${BIO_WORDS_MAX} words`)
    .optional(),
  /** False: excludes suppressed leads; true: only suppressed leads. */
  suppressed: QueryFlag.optional(),
  /** The id of a saved filter, instead of its fields. Works on every plan. */
  filterId: Id.optional(),
})
export type LeadQuery = z.output<typeof LeadQuery>

/** Refinement: false if a query combines a saved filter with filter fields. */
export function hasOneFilter(query: Partial<LeadQuery>): boolean {
  const names = Object.keys(LeadFilter.shape) as (keyof LeadFilter)[]
  return query.filterId === undefined || names.every((name) => query[name] === undefined || query[name] === '')
}
const ONE_FILTER = { message: 'Give either filterId or the fields of a filter.', path: ['filterId'] }

/** The query of GET /leads/export. */
export const LeadExportQuery = LeadFilter.extend({ filterId: LeadQuery.shape.filterId }).refine(
  hasOneFilter,
  ONE_FILTER,
)

/** Columns of the leads page, ascending, or descending with a minus. */
export const LeadSort = z.enum([
  'createdAt',
  '-createdAt',
  'name',
  '-name',
  'twitterHandle',
  '-twitterHandle',
  'bio',
  '-bio',
  'followerCount',
  '-followerCount',
  'dmStatus',
  '-dmStatus',
])
export type LeadSort = z.output<typeof LeadSort>

/** Lead ids or a filter, never both. */
export const leadSelection = {
  leadIds: z.array(Id).min(1).max(IDS_MAX).optional(),
  filter: z.strictObject(LeadQuery.shape).refine(hasOneFilter, ONE_FILTER).optional(),
  /** The cursor of the last response with the same filter, to continue after that part. */
  cursor: Cursor.optional(),
}
export type LeadSelection = { leadIds?: string[]; filter?: LeadQuery; cursor?: string }

/** Pass the cursor with the next call, because one call changes at most 10,000 leads. Null if all are done. */
export const nextPart = { cursor: z.string().nullable() }

/** Refinement: whether the body selects leads in exactly one way. */
export function hasOneSelection(body: LeadSelection): boolean {
  return (body.leadIds === undefined) !== (body.filter === undefined)
}
export const ONE_SELECTION = { message: 'Give either leadIds or filter.', path: ['leadIds'] }

/** The response of an import (POST /leads/import, text/csv). */
export const ImportResult = z.object({
  imported: z.number().int(),
  updated: z.number().int(),
  /** Rejected lines by line number, from 1. At most the first 10,000. */
  rejected: z.array(z.object({ line: z.number().int(), problem: z.string() })),
  rejectedCount: z.number().int(),
  /** Rows imported without their X user id, because it is doubtful. At most the first 10,000. */
  warnings: z.array(z.object({ line: z.number().int(), problem: z.string() })),
  warningCount: z.number().int(),
})
export type ImportResult = z.output<typeof ImportResult>

/** How callers pass `fields` and `rules`. */
const RULES_TEXT = `In a query string, \`fields\` and \`rules\` are JSON, and \`tags\` are ids separated by commas.

\`rules\` is \`{ match: 'all' | 'any', rules: [rule or { match, rules: [rule] }] }\` with at most ${RULES_MAX} rules \`{ field, op, value }\`. A field is one of these filters, \`createdAt\`, or \`field:{name}\` for a custom field. These are their operators:

${Object.entries(RULE_FIELDS)
  .map(([field, ops]) => `- \`${field}\`: ${ops.map((op) => `\`${op}\``).join(', ')}`)
  .join('\n')}
- \`field:{name}\`: all; \`at_least\` and \`at_most\` compare numbers, \`before\` and \`after\` days such as \`2026-01-31\`

\`after\` includes the time itself. \`is_not\`, \`not_contains\` and \`is_not_set\` match every lead that their opposites do not match. \`is_set\` and \`is_not_set\` have no value.

\`filterId\` is a saved filter, instead of the fields. It works on every plan.`

export const leads = {
  list: route('GET /leads', 'viewer', 'none', {
    summary: 'List leads, newest first, with the exact total',
    description: RULES_TEXT,
    errors: ['FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      LeadQuery.extend({
        ...cursorPaging(LEADS_PAGE_SIZE),
        sort: LeadSort.default('-createdAt'),
        /** With `none`, the response has no total. Use GET /leads/count instead. */
        total: z.enum(['none']).optional(),
      }).refine(hasOneFilter, ONE_FILTER),
    )
    .output(
      Page.extend({
        leads: z.array(ListedLead),
        total: z.number().int().nullable(),
        cursor: z.string().nullable(),
      }),
    ),

  count: route('GET /leads/count', 'viewer', 'none', {
    summary: 'Count the leads that match the filters of GET /leads',
    errors: ['FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(LeadQuery.refine(hasOneFilter, ONE_FILTER))
    .output(z.object({ total: z.number().int() })),

  fields: route('GET /leads/fields', 'viewer', 'none', {
    summary: 'List the most frequent custom fields of the newest 10,000 leads (at most 50)',
  }).output(z.object({ fields: z.array(z.object({ name: z.string(), leads: z.number().int() })) })),

  find: route('GET /leads/{id}', 'viewer', 'none', {
    summary: 'Get a lead with all its data',
    errors: ['LEAD_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(LeadDetail),

  history: route('GET /leads/{id}/history', 'viewer', 'none', {
    summary:
      'List the history of a lead, newest first: former handles, scrapes, lists, tags, messages, replies, corrected labels, notes and pauses',
    errors: ['LEAD_NOT_FOUND'],
  })
    .input(z.object({ id: Id, ...cursorPaging(20) }))
    .output(Page.extend({ events: z.array(LeadEvent), cursor: z.string().nullable() })),

  setBasis: route('POST /leads/basis', 'member', 'rows', {
    summary: 'Record why leads may be messaged',
    errors: ['FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      z
        .strictObject({
          ...leadSelection,
          basis: z.enum(CONTACT_BASES),
          /** Defaults to now. */
          at: Moment.optional(),
          /** Evidence, as free text. */
          source: text(BASIS_SOURCE_MAX).optional(),
        })
        .refine(hasOneSelection, ONE_SELECTION),
    )
    .output(Success.extend({ changed: z.number().int(), ...nextPart })),

  remove: route('DELETE /leads/{id}', 'member', 'rows', {
    summary: 'Delete a lead',
    errors: ['LEAD_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  removeMany: route('POST /leads/delete', 'member', 'rows', {
    summary: 'Delete leads; this can be undone for an hour',
    errors: ['FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      z
        .strictObject({
          ...leadSelection,
          /** Chosen by the caller, so that the call can be undone or repeated even if the response is lost. */
          removalId: CallersId.optional(),
        })
        .refine(hasOneSelection, ONE_SELECTION),
    )
    .output(
      Success.extend({
        removed: z.number().int(),
        /** The id that POST /leads/restore takes to undo the deletion; null if nothing was deleted. */
        removalId: z.string().nullable(),
        ...nextPart,
      }),
    ),

  findRemoval: route('GET /leads/removals/{id}', 'member', 'none', {
    summary: 'Get a deletion that can be undone; waits for a running one',
    errors: ['REMOVAL_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(z.object({ id: z.string(), removed: z.number().int(), createdAt: Time })),

  restore: route('POST /leads/restore', 'member', 'rows', {
    summary: 'Undo a deletion: restores the leads with their lists, tags and messages',
    errors: ['REMOVAL_NOT_FOUND'],
  })
    .input(z.strictObject({ removalId: Id }))
    .output(Success.extend({ restored: z.number().int() })),

  queue: messageRoute('POST /leads/queue', 'member', 'rows', {
    summary: 'Queue one message for each lead, outside any campaign',
    errors: ['X_NOT_CONNECTED', 'FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      z
        .strictObject({
          ...leadSelection,
          message: text(10_000).optional(),
          holdSeconds: HoldSeconds,
          /** Chosen by the caller to undo the messages later. Use the same id for all parts. */
          undoId: CallersId.optional(),
        })
        .refine(hasOneSelection, ONE_SELECTION),
    )
    .output(Success.extend({ queued: z.number().int(), ...nextPart })),

  undoQueue: messageRoute('POST /leads/queue/undo', 'member', 'rows', {
    summary: 'Delete messages of POST /leads/queue that were never claimed',
  })
    .input(z.strictObject({ undoId: CallersId }))
    .output(Success.extend({ undone: z.number().int() })),
}
