import { TAG_COLORS } from '@x-automated/contract/leads/tags'
import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'
import { leads } from '../leads/tables.ts'

export const tags = pgTable(
  'tags',
  {
    id: id(),
    workspaceId: workspaceId(),
    name: text('name').notNull(),
    color: text('color', { enum: TAG_COLORS }).notNull(),
    /** Maintained by triggers on lead_tags. */
    leadCount: integer('lead_count').notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('tags_name').on(t.workspaceId, sql`lower(name)`)],
)

export const leadTags = pgTable(
  'lead_tags',
  {
    tagId: uuid('tag_id')
      .notNull()
      .references(() => tags.id, { onDelete: 'cascade' }),
    leadId: uuid('lead_id')
      .notNull()
      .references(() => leads.id, { onDelete: 'cascade' }),
    addedAt: time('added_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.tagId, t.leadId] }), index('lead_tags_lead').on(t.leadId)],
)
