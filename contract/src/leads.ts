import { z } from 'zod'
import { DM_STATUSES } from './campaigns.ts'
import { FollowerQuery, Id, isId, Moment, Page, paging, QueryFlag, Success, Time, text } from './fields.ts'
import { IDS_MAX } from './lead-limits.ts'
import { route } from './route.ts'

/** A lead's own status over all campaigns (specification §3, §9). */
export const LEAD_STATUSES = ['not_sent', 'queued', 'sent', 'failed', 'contacted', 'failed_contact'] as const
export type LeadStatus = (typeof LEAD_STATUSES)[number]

/** What the leads filter offers; contacted counts as sent, failed_contact as failed (domain rules, Leads). */
export const LEAD_FILTER_STATUSES = ['not_sent', 'queued', 'sent', 'failed'] as const

/** Why somebody may be written to (X asks for a reason): they asked for it, wrote first, are a customer; or there is none. */
export const CONTACT_BASES = ['asked', 'wrote_first', 'customer', 'none'] as const
export type ContactBasis = (typeof CONTACT_BASES)[number]

/** Rows of a leads page (specification §9). */
export const LEADS_PAGE_SIZE = 10

/** A CSV upload: 64 MiB at most; every other body 256 KiB. */
export const IMPORT_MAX_BYTES = 64 * 1024 * 1024

export const Lead = z.object({
  id: z.string(),
  name: z.string(),
  /** Without the @. */
  twitterHandle: z.string(),
  bio: z.string().nullable(),
  followerCount: z.number().int().nullable(),
  followingCount: z.number().int().nullable(),
  sourceProfile: z.string().nullable(),
  url: z.string().nullable(),
  profileImageUrl: z.string().nullable(),
  location: z.string().nullable(),
  website: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  dmStatus: z.enum(LEAD_STATUSES),
  createdAt: Time,
  updatedAt: Time,
})
export type Lead = z.output<typeof Lead>

/** They are on the suppression list: nobody in the workspace can write to them. */
const suppressed = z.boolean()

/** A lead as the messenger offers it. */
export const OfferedLead = Lead.extend({ suppressed })
export type OfferedLead = z.output<typeof OfferedLead>

/** A lead as the leads page shows it. */
export const ListedLead = Lead.extend({
  basis: z.enum(CONTACT_BASES),
  /** Tags, by their ids (GET /tags names them). */
  tagIds: z.array(z.string()),
  suppressed,
})
export type ListedLead = z.output<typeof ListedLead>

/** A lead with everything that is known of it. */
export const LeadDetail = ListedLead.extend({
  /** X's id of the person; null while it is unknown. */
  xUserId: z.string().nullable(),
  /** Since when there is a contact basis. */
  basisAt: Time.nullable(),
  /** How the contact basis is known, in somebody's words. */
  basisSource: z.string().nullable(),
})
export type LeadDetail = z.output<typeof LeadDetail>

/** Something that happened to a lead. */
export const LeadEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('created'), at: Time }),
  z.object({
    kind: z.literal('scraped'),
    at: Time,
    scrapeId: z.string(),
    twitterHandle: z.string(),
    type: z.enum(['followers', 'following']),
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
    status: z.enum(DM_STATUSES),
    message: z.string(),
    errorMessage: z.string().nullable(),
    /** It failed without anybody knowing whether it was sent. */
    outcomeUnknown: z.boolean(),
  }),
  z.object({
    kind: z.literal('replied'),
    at: Time,
    replyId: z.string(),
    /** Its beginning; null: somebody has deleted it. */
    text: z.string().nullable(),
    /** They asked not to be written to any more. */
    optedOut: z.boolean(),
    /** The message that it answers; null: they wrote of their own accord. */
    dmId: z.string().nullable(),
  }),
  /** The owner of the account wrote to them by hand, outside of this product. */
  z.object({ kind: z.literal('written'), at: Time, replyId: z.string(), text: z.string().nullable() }),
])
export type LeadEvent = z.output<typeof LeadEvent>

/** What leads can be filtered by, and what a filter that is kept asks for. */
export const LeadFilter = z.object({
  /** Part of the bio, the name or the handle, whatever its case. */
  keyword: text(200).optional(),
  minFollowers: FollowerQuery.optional(),
  maxFollowers: FollowerQuery.optional(),
  status: z.enum(LEAD_FILTER_STATUSES).optional(),
  listId: Id.optional(),
  /** A tag, by its id or its name. */
  tag: text(100).optional(),
  basis: z.enum(CONTACT_BASES).optional(),
  /** Found by this scrape. */
  scrapeId: Id.optional(),
})
export type LeadFilter = z.output<typeof LeadFilter>

/** The query of GET /leads; also what stands for a selection wherever `leadIds` may stand. */
export const LeadQuery = LeadFilter.extend({
  /** False: without those on the suppression list; true: only those. */
  suppressed: QueryFlag.optional(),
})
export type LeadQuery = z.output<typeof LeadQuery>

/** Each column of the leads page, upwards or, with a minus, downwards. */
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

/** Leads named one by one, or all that match a filter: exactly one of the two. */
export const leadSelection = {
  leadIds: z.array(Id).min(1).max(IDS_MAX).optional(),
  filter: z.strictObject(LeadQuery.shape).optional(),
  /** From the answer before, with the same filter: goes on behind the leads of that part. */
  cursor: z.string().max(500).optional(),
}
export type LeadSelection = { leadIds?: string[]; filter?: LeadQuery; cursor?: string }

/** In the answer to a selection: what the next call goes on from, as one changes at most 10,000 leads; null: none is left. */
export const nextPart = { cursor: z.string().nullable() }

/** Refines a body that holds a selection. */
export function hasOneSelection(body: LeadSelection): boolean {
  return (body.leadIds === undefined) !== (body.filter === undefined)
}
export const ONE_SELECTION = { message: 'Give either leadIds or filter.', path: ['leadIds'] }

/** The answer of an import (POST /leads/import, text/csv). */
export const ImportResult = z.object({
  imported: z.number().int(),
  updated: z.number().int(),
  /** Each refused line by its number in the file, 1 being the first, and why; the first 10,000 where there are more. */
  rejected: z.array(z.object({ line: z.number().int(), problem: z.string() })),
  rejectedCount: z.number().int(),
})
export type ImportResult = z.output<typeof ImportResult>

export const leads = {
  list: route({
    method: 'GET',
    path: '/leads',
    tag: 'Leads',
    summary: 'Leads of the workspace, newest first, with the exact total',
    access: 'viewer',
    effect: 'none',
  })
    .input(
      LeadQuery.extend({
        ...paging(LEADS_PAGE_SIZE),
        sort: LeadSort.default('-createdAt'),
        /** From the answer before: goes on behind it, at the cost of one page however deep. */
        cursor: z.string().max(500).optional(),
      }),
    )
    .output(Page.extend({ leads: z.array(ListedLead), cursor: z.string().nullable() })),

  find: route({
    method: 'GET',
    path: '/leads/{id}',
    tag: 'Leads',
    summary: 'A lead with everything that is known of it',
    access: 'viewer',
    effect: 'none',
    errors: ['LEAD_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(LeadDetail),

  history: route({
    method: 'GET',
    path: '/leads/{id}/history',
    tag: 'Leads',
    summary: 'What happened to a lead, newest first: scrapes, lists, tags, messages and replies',
    access: 'viewer',
    effect: 'none',
    errors: ['LEAD_NOT_FOUND'],
  })
    .input(z.object({ id: Id, ...paging(20) }))
    .output(Page.extend({ events: z.array(LeadEvent) })),

  setBasis: route({
    method: 'POST',
    path: '/leads/basis',
    tag: 'Leads',
    summary: 'Say why leads may be written to',
    access: 'member',
    effect: 'rows',
  })
    .input(
      z
        .strictObject({
          ...leadSelection,
          basis: z.enum(CONTACT_BASES),
          /** Since when; now where it is not said. */
          at: Moment.optional(),
          /** How it is known. */
          source: text(500).optional(),
        })
        .refine(hasOneSelection, ONE_SELECTION),
    )
    .output(Success.extend({ changed: z.number().int(), ...nextPart })),

  remove: route({
    method: 'DELETE',
    path: '/leads/{id}',
    tag: 'Leads',
    summary: 'Delete a lead',
    access: 'member',
    effect: 'rows',
    successStatus: 204,
    errors: ['LEAD_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  removeMany: route({
    method: 'POST',
    path: '/leads/delete',
    tag: 'Leads',
    summary: 'Delete leads; within the hour that can be taken back',
    access: 'member',
    effect: 'rows',
  })
    .input(
      z
        .strictObject({
          ...leadSelection,
          /** What restores them, made up by the caller, who then knows it even where the answer is lost. Sent again with the same selection, the first answer comes again. */
          removalId: z
            .string()
            .refine(isId, 'must be a UUID')
            .transform((id) => id.toLowerCase())
            .optional(),
        })
        .refine(hasOneSelection, ONE_SELECTION),
    )
    .output(
      Success.extend({
        removed: z.number().int(),
        /** What restores them; null where none was deleted. */
        removalId: z.string().nullable(),
        ...nextPart,
      }),
    ),

  findRemoval: route({
    method: 'GET',
    path: '/leads/removals/{id}',
    tag: 'Leads',
    summary: 'A deletion that can be taken back; one that is under way is waited for',
    access: 'member',
    effect: 'none',
    errors: ['REMOVAL_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(z.object({ id: z.string(), removed: z.number().int(), createdAt: Time })),

  restore: route({
    method: 'POST',
    path: '/leads/restore',
    tag: 'Leads',
    summary: 'Take a deletion back: the leads, their lists, tags and messages',
    access: 'member',
    effect: 'rows',
    errors: ['REMOVAL_NOT_FOUND'],
  })
    .input(z.strictObject({ removalId: Id }))
    .output(Success.extend({ restored: z.number().int() })),

  queue: route({
    method: 'POST',
    path: '/leads/queue',
    tag: 'Leads',
    summary: 'Queue one message for each lead, outside any campaign',
    access: 'member',
    effect: 'rows',
    errors: ['X_NOT_CONNECTED', 'PLAN_LIMIT'],
  })
    .input(
      z.strictObject({ ...leadSelection, message: text(10_000).optional() }).refine(hasOneSelection, ONE_SELECTION),
    )
    .output(Success.extend({ queued: z.number().int(), ...nextPart })),
}
