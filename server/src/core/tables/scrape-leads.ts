import { index, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { partOf, time } from '../../db/columns.ts'
import { scrapes } from '../../domains/leads/scrapes/tables.ts'
import { leads } from './leads.ts'

/** The leads that a scrape found. */
export const scrapeLeads = pgTable(
  'scrape_leads',
  {
    scrapeId: partOf('scrape_id', () => scrapes.id),
    leadId: partOf('lead_id', () => leads.id),
    foundAt: time('found_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.scrapeId, t.leadId] }), index('scrape_leads_lead').on(t.leadId)],
)
