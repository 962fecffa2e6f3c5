import { TAG_COLORS } from '@x-automated/contract/leads/tags'
import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, id, partOf, time } from '../../../db/columns.ts'
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
    /** Created with the sample data. */
    isSample: boolean('is_sample').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('tags_name').on(t.workspaceId, sql`lower(name)`)],
)

export const leadTags = pgTable(
  'lead_tags',
  {
    tagId: partOf('tag_id', () => tags.id),
    leadId: partOf('lead_id', () => leads.id),
    addedAt: time('added_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.tagId, t.leadId] }), index('lead_tags_lead').on(t.leadId)],
)
