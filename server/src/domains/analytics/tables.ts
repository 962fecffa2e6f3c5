import { index, integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../db/columns.ts'
import { campaigns } from '../campaigns/tables.ts'
import { workspaces } from '../workspaces/tables.ts'

/**
 * What became of the messages that went out in a quarter of an hour, by campaign: kept by triggers on dms, so that no figure is counted when it is asked for.
 * Quarters, because every time zone's days begin with one.
 */
export const dmActivity = pgTable(
  'dm_activity',
  {
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    campaignId: uuid('campaign_id')
      .notNull()
      .references(() => campaigns.id, { onDelete: 'cascade' }),
    /** When the quarter of an hour began in which they were sent. */
    slot: time('slot').notNull(),
    /** Sent, delivered and replied. */
    sent: integer('sent').notNull(),
    /** Of those sent, the ones that X says have arrived, answered ones among them. */
    delivered: integer('delivered').notNull(),
    /** Of those sent, the ones that were answered. */
    replied: integer('replied').notNull(),
  },
  (t) => [primaryKey({ columns: [t.campaignId, t.slot] }), index('dm_activity_workspace').on(t.workspaceId, t.slot)],
)
