import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { boolean, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../../db/columns.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

export const leadLists = pgTable(
  'lead_lists',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    name: text('name').notNull(),
    description: text('description'),
    /** Changes with lead_list_items. */
    leadCount: integer('lead_count').notNull().default(0),
    /** Set for a smart list, whose counts were made at `countedAt`; null for a manual list. */
    filter: jsonb('filter').$type<LeadFilter>(),
    tags: text('tags').array().notNull().default([]),
    /** Changes with lead_list_items, like `leadCount`. */
    contactedCount: integer('contacted_count').notNull().default(0),
    countedAt: time('counted_at'),
    /** How long the count took, in milliseconds. A slow count stays valid longer. */
    countMs: integer('count_ms').notNull().default(0),
    /** Part of the sample data. */
    isSample: boolean('is_sample').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [index('lead_lists_newest').on(t.workspaceId, t.createdAt, t.id)],
)
