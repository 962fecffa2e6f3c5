import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id } from '../../db/columns.ts'
import { workspaces } from '../workspaces/tables.ts'

/** Leads that were deleted together, for as long as that can be taken back. */
export const leadRemovals = pgTable(
  'lead_removals',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    leadCount: integer('lead_count').notNull(),
    /** A hash of the selection that was asked for, and what its answer said that the next part goes on from: for who sends it twice. */
    selectionHash: text('selection_hash'),
    cursor: text('cursor'),
    createdAt: createdAt(),
  },
  (t) => [index('lead_removals_workspace').on(t.workspaceId), index('lead_removals_oldest').on(t.createdAt)],
)

/** A deleted lead, and what it was part of. */
export const removedLeads = pgTable(
  'removed_leads',
  {
    removalId: uuid('removal_id')
      .notNull()
      .references(() => leadRemovals.id, { onDelete: 'cascade' }),
    leadId: uuid('lead_id').notNull(),
    /** The row of `leads`. */
    lead: jsonb('lead').notNull(),
    /** Its messages, by id. */
    dmIds: uuid('dm_ids').array().notNull(),
    /** Its rows of lead_list_items, lead_tags, scrape_leads, replies and lead_reads. */
    places: jsonb('places').notNull(),
    tags: jsonb('tags').notNull().default([]),
    finds: jsonb('finds').notNull().default([]),
    replies: jsonb('replies').notNull().default([]),
    reads: jsonb('reads').notNull().default([]),
  },
  (t) => [primaryKey({ columns: [t.removalId, t.leadId] })],
)
