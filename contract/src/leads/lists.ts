import { z } from 'zod'
import { cursorPaging, Id, Page, requiredText, Success, Time, text } from '../fields.ts'
import { routes } from '../route.ts'
import { IDS_MAX, LIST_TAG_LENGTH_MAX, LIST_TAGS_MAX } from './lead-limits.ts'
import {
  CallersId,
  hasOneSelection,
  LEAD_FILTER_STATUSES,
  Lead,
  LeadFilter,
  leadSelection,
  nextPart,
  ONE_SELECTION,
} from './leads.ts'

const route = routes('Lists', 'lists')

/** A lead's status in one list, independent of other lists. */
export const CONTACT_STATUSES = ['pending', 'contacted'] as const

export const List = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  /** A smart list contains all leads that match its filter. Null for a manual list. */
  filter: LeadFilter.nullable(),
  leadCount: z.number().int(),
  /** Number of leads that the list's campaigns have messaged. */
  contactedCount: z.number().int(),
  /** When a slow smart list was last counted. Null if the counts are exact, or not known yet. */
  countedAt: Time.nullable(),
  /** Number of campaigns that use the list. */
  campaignCount: z.number().int(),
  /** Number of messages that these campaigns have sent. */
  sentCount: z.number().int(),
  /** Number of replies to these messages. */
  replyCount: z.number().int(),
  /** Part of the sample data. */
  isSample: z.boolean(),
  createdAt: Time,
})
export type List = z.output<typeof List>

/** A lead as an entry of a list. */
export const ListLead = Lead.extend({
  contactStatus: z.enum(CONTACT_STATUSES),
  /** Whether they replied to a campaign of this list. */
  replied: z.boolean(),
})
export type ListLead = z.output<typeof ListLead>

export const LIST_NAME_MAX = 200

const name = requiredText(LIST_NAME_MAX, 'List name cannot be empty.')
const description = text(2_000).nullable().optional()
/** Removes empty tags and case-insensitive duplicates. */
const tags = z
  .array(text(LIST_TAG_LENGTH_MAX))
  .max(LIST_TAGS_MAX)
  .transform((texts) => [...new Map(texts.filter(Boolean).map((tag) => [tag.toLowerCase(), tag])).values()])
const filter = z.strictObject(LeadFilter.shape)

export const lists = {
  list: route('GET /lists', 'viewer', 'none', { summary: 'List the lead lists, newest first' })
    .input(
      z.object({
        ...cursorPaging(100),
      }),
    )
    .output(Page.extend({ lists: z.array(List), cursor: z.string().nullable() })),

  find: route('GET /lists/{id}', 'viewer', 'none', { summary: 'Get a list', errors: ['LEAD_LIST_NOT_FOUND'] })
    .input(z.object({ id: Id }))
    .output(List),

  create: route('POST /lists', 'member', 'rows', {
    summary: 'Create a list; with a filter, a smart list of all matching leads',
    description: 'With the `id` of an existing list, it returns that list unchanged.',
    errors: ['PLAN_LIMIT', 'LEAD_LIST_NOT_FOUND'],
  })
    .input(
      z.strictObject({ id: CallersId.optional(), name, description, tags: tags.optional(), filter: filter.optional() }),
    )
    .output(List),

  duplicate: route('POST /lists/{id}/duplicate', 'member', 'rows', {
    summary: 'Duplicate a list with its leads, marked as not contacted; a smart list keeps its filter',
    errors: ['LEAD_LIST_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, name: name.optional() }))
    .output(List),

  update: route('PATCH /lists/{id}', 'member', 'rows', {
    summary: 'Change the name, description, tags or filter of a list',
    errors: ['LEAD_LIST_NOT_FOUND', 'LEAD_LIST_KIND', 'PLAN_LIMIT'],
  })
    .input(
      z.strictObject({ id: Id, name: name.optional(), description, tags: tags.optional(), filter: filter.optional() }),
    )
    .output(List),

  remove: route('DELETE /lists/{id}', 'member', 'rows', {
    summary: 'Delete a list, but not its leads',
    errors: ['LEAD_LIST_NOT_FOUND', 'LEAD_LIST_IN_USE'],
  }).input(z.strictObject({ id: Id })),

  leads: route('GET /lists/{id}/leads', 'viewer', 'none', {
    summary: 'List the leads of a list, last added first; of a smart list, newest first',
    errors: ['LEAD_LIST_NOT_FOUND'],
  })
    .input(
      z.object({
        id: Id,
        /** With a status or keyword, the newest leads come first in every list. */
        status: z.enum(LEAD_FILTER_STATUSES).optional(),
        keyword: LeadFilter.shape.keyword,
        ...cursorPaging(100),
      }),
    )
    .output(Page.extend({ leads: z.array(ListLead), cursor: z.string().nullable() })),

  members: route('POST /lists/{id}/members', 'viewer', 'none', {
    summary: 'Check which leads are in a list',
    errors: ['LEAD_LIST_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, leadIds: z.array(Id).min(1).max(IDS_MAX) }))
    .output(z.object({ leadIds: z.array(z.string()) })),

  addLeads: route('POST /lists/{id}/leads', 'member', 'rows', {
    summary: 'Add leads to a list',
    errors: ['LEAD_LIST_NOT_FOUND', 'LEAD_LIST_KIND', 'FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id, ...leadSelection }).refine(hasOneSelection, ONE_SELECTION))
    .output(Success.extend({ changed: z.number().int(), ...nextPart })),

  removeLeads: route('DELETE /lists/{id}/leads', 'member', 'rows', {
    summary: 'Remove leads from a list',
    successStatus: 200,
    errors: ['LEAD_LIST_NOT_FOUND', 'LEAD_LIST_KIND', 'FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id, ...leadSelection }).refine(hasOneSelection, ONE_SELECTION))
    .output(Success.extend({ changed: z.number().int(), ...nextPart })),
}
