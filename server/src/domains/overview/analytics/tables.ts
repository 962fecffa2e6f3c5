import { index, integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'
import { campaigns } from '../../outreach/campaigns/tables.ts'

/**
 * Outcomes of the messages sent in each quarter of an hour, by campaign. Triggers on dms maintain
 * them. Quarters, because days start on one in every time zone.
 */
export const dmActivity = pgTable(
  'dm_activity',
  {
    workspaceId: workspaceId(),
    campaignId: uuid('campaign_id')
      .notNull()
      .references(() => campaigns.id, { onDelete: 'cascade' }),
    /** Start of the quarter of an hour in which they were sent. */
    slot: time('slot').notNull(),
    /** Includes messages that were delivered or replied to later. */
    sent: integer('sent').notNull(),
    /** Messages that X reports as delivered, including those replied to. */
    delivered: integer('delivered').notNull(),
    /** Messages that were replied to. */
    replied: integer('replied').notNull(),
  },
  (t) => [primaryKey({ columns: [t.campaignId, t.slot] }), index('dm_activity_workspace').on(t.workspaceId, t.slot)],
)
