import { index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { partOf, time } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'
import { campaigns } from '../../outreach/campaigns/tables.ts'

/** By quarter of an hour and campaign, by triggers. Days start on a quarter in every time zone. */
export const dmActivity = pgTable(
  'dm_activity',
  {
    workspaceId: workspaceId(),
    campaignId: partOf('campaign_id', () => campaigns.id),
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
