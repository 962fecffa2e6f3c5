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
    /** Updated with lead_list_items; for a smart list, the number at `countedAt`. */
    leadCount: integer('lead_count').notNull().default(0),
    /** The filter of a smart list; null for a manual list. */
    filter: jsonb('filter').$type<LeadFilter>(),
    tags: text('tags').array().notNull().default([]),
    /** Updated like `leadCount`. */
    contactedCount: integer('contacted_count').notNull().default(0),
    /** When a smart list was last counted; null: it must be counted. */
    countedAt: time('counted_at'),
    /** How long the last count took, in milliseconds. A slow count stays valid longer. */
    countMs: integer('count_ms').notNull().default(0),
    /** Part of the sample data. */
    isSample: boolean('is_sample').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [index('lead_lists_newest').on(t.workspaceId, t.createdAt, t.id)],
)
