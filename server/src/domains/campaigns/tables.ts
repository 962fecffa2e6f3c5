import { CAMPAIGN_STATUSES } from '@x-automated/contract/campaigns'
import { type SQL, sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { leadLists } from '../lists/tables.ts'
import { workspaces } from '../workspaces/tables.ts'
import { xAccounts } from '../x-account/tables.ts'

export const campaigns = pgTable(
  'campaigns',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    /** `direct` holds the messages without a campaign (leads page, messenger); one a workspace, shown in no list. */
    kind: text('kind', { enum: ['campaign', 'direct'] })
      .notNull()
      .default('campaign'),
    name: text('name').notNull(),
    leadListId: uuid('lead_list_id').references(() => leadLists.id, { onDelete: 'set null' }),
    messageTemplate: text('message_template').notNull(),
    channel: text('channel', { enum: ['api', 'extension'] }).notNull(),
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'set null' }),
    allowRepeat: boolean('allow_repeat').notNull().default(false),
    /** Includes people who have replied. */
    allowReplied: boolean('allow_replied').notNull().default(false),
    status: text('status', { enum: CAMPAIGN_STATUSES }).notNull(),
    pauseReason: text('pause_reason'),
    /** Null until queued; then fixed. */
    queuedAt: time('queued_at'),
    totalLeadsInList: integer('total_leads_in_list').notNull().default(0),
    /** These three are kept by triggers on dms: at every moment the counts of its rows. */
    dmsQueuedCount: integer('dms_queued_count').notNull().default(0),
    dmsSentCount: integer('dms_sent_count').notNull().default(0),
    dmsFailedCount: integer('dms_failed_count').notNull().default(0),
    /** Of those sent, the ones that X says have arrived, answered ones among them, and the ones that were answered; kept by the same triggers. */
    dmsDeliveredCount: integer('dms_delivered_count').notNull().default(0),
    dmsRepliedCount: integer('dms_replied_count').notNull().default(0),
    lastRunAt: time('last_run_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index('campaigns_newest')
      // As `order by … desc` has it, else the index does not serve the order.
      .on(t.workspaceId, t.createdAt.desc().nullsFirst(), t.id.desc().nullsFirst())
      .where(sql`kind = 'campaign'`),
    uniqueIndex('campaigns_direct').on(t.workspaceId).where(sql`kind = 'direct'`),
    // The worker's question: which active campaign of this account, with something queued, is the oldest?
    index('campaigns_sending')
      .on(t.xAccountId, t.createdAt, t.id)
      .where(sql`status = 'active' and dms_queued_count > 0`),
    // Of those that something stopped, the ones that go on once their account is connected again are looked for over all workspaces.
    index('campaigns_stopped').on(t.xAccountId).where(sql`status = 'paused' and pause_reason is not null`),
    index('campaigns_list').on(t.leadListId),
    check('campaigns_counts', sql`dms_queued_count >= 0 and dms_sent_count >= 0 and dms_failed_count >= 0`),
  ],
)

/** Over an active campaign: nothing but its pace keeps it back. What our servers would send waits while its account is not connected. @param campaign its table or alias */
export function isSentNow(campaign: SQL): SQL<boolean> {
  return sql`(${campaign}.channel = 'extension' or exists (select from x_accounts a where a.id = ${campaign}.x_account_id and a.status = 'connected'))`
}

/**
 * Over a campaign and an `older` one: that one is active and has messages queued on the same X account, whoever sends either, so it goes first.
 * What is sent without a campaign waits for none, and none for it. Where nobody knows the account that an extension sends from, its workspace counts as one.
 * What is not sent now (`isSentNow`) holds nobody up.
 */
const goesBefore = (
  campaign: SQL,
) => sql`older.kind = 'campaign' and older.status = 'active' and older.dms_queued_count > 0
  and (older.x_account_id = ${campaign}.x_account_id
    or (older.x_account_id is null and ${campaign}.x_account_id is null and older.workspace_id = ${campaign}.workspace_id))
  and (older.created_at, older.id) < (${campaign}.created_at, ${campaign}.id)
  and ${isSentNow(sql`older`)}`

/** Over a campaign: another one on its X account goes first, so this one waits for its turn. @param campaign its table or alias */
export function waitsForOlder(campaign: SQL): SQL<boolean> {
  return sql`(${campaign}.kind = 'campaign' and exists (select from campaigns older where ${goesBefore(campaign)}))`
}

/** Over a campaign: the first of those that go before it (`waitsForOlder`); null: none. */
export function olderOf(campaign: SQL): SQL<{ id: string; name: string } | null> {
  return sql`(select jsonb_build_object('id', older.id, 'name', older.name) from campaigns older
    where ${campaign}.kind = 'campaign' and ${goesBefore(campaign)} order by older.created_at, older.id limit 1)`
}
