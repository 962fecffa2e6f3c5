import type { LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import { sql } from 'drizzle-orm'
import { jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, updatedAt } from '../../../db/columns.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Named filters of the leads page. */
export const savedFilters = pgTable(
  'saved_filters',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    name: text('name').notNull(),
    filter: jsonb('filter').$type<LeadFilter>().notNull(),
    sort: text('sort').$type<LeadSort>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [uniqueIndex('saved_filters_name').on(t.workspaceId, sql`lower(name)`)],
)
