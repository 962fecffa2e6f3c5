import { index, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { partOf, time } from '../../db/columns.ts'
import { tags } from '../../domains/leads/tags/tables.ts'
import { leads } from './leads.ts'

export const leadTags = pgTable(
  'lead_tags',
  {
    tagId: partOf('tag_id', () => tags.id),
    leadId: partOf('lead_id', () => leads.id),
    addedAt: time('added_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.tagId, t.leadId] }), index('lead_tags_lead').on(t.leadId)],
)
