import { date, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

/** Views and joins by day, page and referral code: counts only. */
export const pageViews = pgTable(
  'page_views',
  {
    day: date('day', { mode: 'string' }).notNull(),
    path: text('path').notNull(),
    /** A known referral code; '' for none. */
    ref: text('ref').notNull(),
    views: integer('views').notNull().default(0),
    joins: integer('joins').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.day, t.path, t.ref] })],
)
