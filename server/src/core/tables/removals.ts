import { type SQL, sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, id, partOf } from '../../db/columns.ts'
import { workspaceId } from '../../domains/identity/workspaces/tables.ts'
import type { enrollments } from './sequences.ts'

/** Deletions of leads that can still be undone. */
export const leadRemovals = pgTable(
  'lead_removals',
  {
    id: id(),
    workspaceId: workspaceId(),
    leadCount: integer('lead_count').notNull(),
    /** A hash of the selection, to recognize retries, which get the same response. */
    selectionHash: text('selection_hash'),
    cursor: text('cursor'),
    /** The job that deleted the leads. The deletion is kept as long as the job can be undone. */
    jobId: uuid('job_id'),
    createdAt: createdAt(),
  },
  (t) => [index('lead_removals_workspace').on(t.workspaceId), index('lead_removals_oldest').on(t.createdAt)],
)

/** A deleted lead and its related rows. */
export const removedLeads = pgTable(
  'removed_leads',
  {
    removalId: partOf('removal_id', () => leadRemovals.id),
    leadId: uuid('lead_id').notNull(),
    /** The lead's row of `leads`. */
    lead: jsonb('lead').notNull(),
    /** The ids of the lead's messages. */
    dmIds: uuid('dm_ids').array().notNull(),
    /**
     * These columns have the lead's rows of lead_list_items, lead_tags, scrape_leads, replies,
     * lead_reads, conversations, conversation_notes and openers, in this order.
     */
    places: jsonb('places').notNull(),
    tags: jsonb('tags').notNull().default([]),
    finds: jsonb('finds').notNull().default([]),
    replies: jsonb('replies').notNull().default([]),
    reads: jsonb('reads').notNull().default([]),
    conversations: jsonb('conversations').notNull().default([]),
    notes: jsonb('notes').notNull().default([]),
    openers: jsonb('openers').notNull().default([]),
  },
  (t) => [primaryKey({ columns: [t.removalId, t.leadId] }), index('removed_leads_lead').on(t.leadId)],
)

/** SQL over an enrollment's alias: its lead was deleted, and the deletion can be undone. */
export function isRestorable(enrollment: AliasOf<typeof enrollments>): SQL<boolean> {
  return sql`exists (select from removed_leads removed where removed.lead_id = ${enrollment.leadId})`
}
