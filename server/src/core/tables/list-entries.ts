import { CONTACT_STATUSES } from '@x-automated/contract/leads/lists'
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { partOf, time } from '../../db/columns.ts'
import { leadLists } from '../../domains/leads/lists/tables.ts'
import { leads } from './leads.ts'

export const leadListItems = pgTable(
  'lead_list_items',
  {
    leadListId: partOf('lead_list_id', () => leadLists.id),
    leadId: partOf('lead_id', () => leads.id),
    /** The lead's status in this list. It may differ in other lists. */
    contactStatus: text('contact_status', { enum: CONTACT_STATUSES }).notNull().default('pending'),
    addedAt: time('added_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.leadListId, t.leadId] }),
    index('lead_list_items_newest').on(t.leadListId, t.addedAt, t.leadId),
    index('lead_list_items_lead').on(t.leadId),
  ],
)
