import { TAG_COLORS } from '@x-automated/contract/leads/tags'
import { sql } from 'drizzle-orm'
import { boolean, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, id } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

export const tags = pgTable(
  'tags',
  {
    id: id(),
    workspaceId: workspaceId(),
    name: text('name').notNull(),
    color: text('color', { enum: TAG_COLORS }).notNull(),
    /** Updated with lead_tags. */
    leadCount: integer('lead_count').notNull().default(0),
    /** Created with the sample data. */
    isSample: boolean('is_sample').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('tags_name').on(t.workspaceId, sql`lower(name)`)],
)
