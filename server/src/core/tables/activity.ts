import { index, integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { partOf, time } from '../../db/columns.ts'
import { workspaceId } from '../../domains/identity/workspaces/tables.ts'
import { campaigns } from './campaigns.ts'

const figure = (name: string) => integer(name).notNull().default(0)
const keyOf = (name: string) => uuid(name).notNull().default('00000000-0000-0000-0000-000000000000')

/** Messages by quarter of an hour and campaign. Days start on a quarter in every time zone. */
export const dmActivity = pgTable(
  'dm_activity',
  {
    workspaceId: workspaceId(),
    campaignId: partOf('campaign_id', () => campaigns.id),
    /** The quarter of an hour in which the messages were sent or, if they failed, queued. */
    slot: time('slot').notNull(),
    /** The nil UUID if there is no variant, or it is unknown. */
    variantId: keyOf('variant_id'),
    xAccountId: keyOf('x_account_id'),
    userId: keyOf('user_id'),
    /** Includes messages that were delivered or replied to later. */
    sent: figure('sent'),
    /** Messages that X reports as delivered, including those replied to. */
    delivered: figure('delivered'),
    /** Messages that were replied to. */
    replied: figure('replied'),
    failed: figure('failed'),
    /** Skipped messages; also counted in `failed`. */
    skipped: figure('skipped'),
    /** Messages with at least one reply that is not automatic. */
    answered: figure('answered'),
    positive: figure('positive'),
    optedOut: figure('opted_out'),
    /** People whose first message was in this slot. */
    people: figure('people'),
    /** How many of `people` have replied in the campaign. */
    peopleReplied: figure('people_replied'),
    peoplePositive: figure('people_positive'),
    peopleOptedOut: figure('people_opted_out'),
  },
  (t) => [
    primaryKey({ name: 'dm_activity_key', columns: [t.campaignId, t.slot, t.variantId, t.xAccountId, t.userId] }),
    index('dm_activity_workspace').on(t.workspaceId, t.slot),
  ],
)
