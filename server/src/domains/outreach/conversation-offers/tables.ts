import { index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { newId, time } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** People who wrote to an X account and are not leads. Kept for OFFER_DAYS. */
export const conversationOffers = pgTable(
  'conversation_offers',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    /** No foreign key, because inserts would wait for claims, which lock the account's row. */
    xAccountId: uuid('x_account_id').notNull(),
    xUserId: text('x_user_id').notNull(),
    twitterHandle: text('twitter_handle').notNull(),
    /** When the person last wrote, by X's clock. */
    at: time('at').notNull(),
    /**
     * When the offer was declined. The row stays until it expires, so that X's repeated events do
     * not create the offer again.
     */
    declinedAt: time('declined_at'),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex('conversation_offers_person').on(t.workspaceId, t.xAccountId, t.xUserId),
    index('conversation_offers_newest').on(t.workspaceId, t.at, t.id),
    index('conversation_offers_oldest').on(t.at),
  ],
)
