import { CAMPAIGN_STATUSES } from '@x-automated/contract/outreach/campaigns'
import type { PauseReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { alias, boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, id, time, updatedAt } from '../../db/columns.ts'
import { authUsers } from '../../domains/identity/auth/tables.ts'
import { workspaceId } from '../../domains/identity/workspaces/tables.ts'
import { leadLists } from '../../domains/leads/lists/tables.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'

export const campaigns = pgTable(
  'campaigns',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    /**
     * `direct` holds messages sent outside campaigns (leads page, messenger). One per workspace,
     * never listed.
     */
    kind: text('kind', { enum: ['campaign', 'direct'] })
      .notNull()
      .default('campaign'),
    name: text('name').notNull(),
    leadListId: uuid('lead_list_id').references(() => leadLists.id, { onDelete: 'set null' }),
    messageTemplate: text('message_template').notNull(),
    /**
     * The template or starter of the campaign. No foreign key: starters have no row, and templates
     * can be deleted.
     */
    templateId: uuid('template_id'),
    channel: text('channel', { enum: ['api', 'extension'] }).notNull(),
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'set null' }),
    allowRepeat: boolean('allow_repeat').notNull().default(false),
    /** The campaign includes people who have replied. */
    allowReplied: boolean('allow_replied').notNull().default(false),
    status: text('status', { enum: CAMPAIGN_STATUSES }).notNull(),
    /** Why the campaign was paused automatically; null if a person paused it. */
    reason: jsonb('reason').$type<PauseReason>(),
    /** Only refusals and opt-outs of messages claimed since this time can pause the campaign; null: of all messages. */
    watchedFrom: time('watched_from'),
    /** X's own explanation of an automatic pause. */
    pauseReason: text('pause_reason'),
    /** The current version of the campaign's sequence. */
    version: integer('version').notNull().default(1),
    /** Number of steps, without re-engagement. */
    stepCount: integer('step_count').notNull().default(1),
    /** When the messages of the campaign were queued; null: not yet. */
    queuedAt: time('queued_at'),
    /** When the undo period, which holds queued messages, ends; null: there is none, or it was ended. */
    undoUntil: time('undo_until'),
    /** The latest time at which a launch limited by the plan queues its next part; null: nobody waits. */
    nextPartAt: time('next_part_at'),
    /** The plan at the time of the last part. If the plan changes, the next part may start. */
    partPlan: text('part_plan'),
    /** The campaign's status before the launch. */
    launchedFrom: text('launched_from', { enum: CAMPAIGN_STATUSES }),
    /** The campaign's version before the launch, if the plan did not allow all its steps; else null. */
    launchedVersion: integer('launched_version'),
    totalLeadsInList: integer('total_leads_in_list').notNull().default(0),
    /** Statements that change messages maintain this and the following counts (core/messages/counts.ts). */
    dmsQueuedCount: integer('dms_queued_count').notNull().default(0),
    /** Queued first messages that are not held: other campaigns of the account wait for them. */
    firstsQueuedCount: integer('firsts_queued_count').notNull().default(0),
    dmsSentCount: integer('dms_sent_count').notNull().default(0),
    /** Includes skipped messages. */
    dmsFailedCount: integer('dms_failed_count').notNull().default(0),
    dmsSkippedCount: integer('dms_skipped_count').notNull().default(0),
    /** Sent includes delivered, and delivered includes replied. */
    dmsDeliveredCount: integer('dms_delivered_count').notNull().default(0),
    dmsRepliedCount: integer('dms_replied_count').notNull().default(0),
    /** People whose first message was sent. */
    peopleMessaged: integer('people_messaged').notNull().default(0),
    /** People whose first message was skipped. */
    peopleSkipped: integer('people_skipped').notNull().default(0),
    /** How many of `peopleMessaged` have replied. */
    peopleReplied: integer('people_replied').notNull().default(0),
    peoplePositive: integer('people_positive').notNull().default(0),
    /** Enrollments that are active or paused. */
    openEnrollments: integer('open_enrollments').notNull().default(0),
    /** When the due job next checks the enrollments: no later than the first one is due; null: never. */
    followUpDueAt: time('follow_up_due_at'),
    lastRunAt: time('last_run_at'),
    /** Part of the sample data. */
    isSample: boolean('is_sample').notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index('campaigns_newest')
      // `nulls first` is the default of `order by … desc`; otherwise the index is not used.
      .on(t.workspaceId, t.createdAt.desc().nullsFirst(), t.id.desc().nullsFirst())
      .where(sql`kind = 'campaign'`),
    uniqueIndex('campaigns_direct').on(t.workspaceId).where(sql`kind = 'direct'`),
    // For workers: the oldest active campaign of an account with queued messages.
    index('campaigns_sending')
      .on(t.xAccountId, t.createdAt, t.id)
      .where(sql`status = 'active' and dms_queued_count > 0`),
    // For resuming campaigns of reconnected accounts, over all workspaces.
    index('campaigns_stopped').on(t.xAccountId).where(sql`status = 'paused' and reason is not null`),
    // For the due job, over all workspaces.
    index('campaigns_follow_up').on(t.followUpDueAt).where(sql`status = 'active' and follow_up_due_at is not null`),
    // For the job that queues the next parts, over all workspaces.
    index('campaigns_parts').on(t.queuedAt, t.id).where(sql`status = 'active' and next_part_at is not null`),
    index('campaigns_list').on(t.leadListId),
    // For the figures of templates.
    index('campaigns_template').on(t.workspaceId, t.templateId).where(sql`template_id is not null`),
    check(
      'campaigns_counts',
      sql`dms_queued_count >= 0 and dms_sent_count >= 0 and dms_failed_count >= 0 and open_enrollments >= 0`,
    ),
  ],
)

/** SQL over a campaign: its launch can be undone, provided no message was claimed. */
export const isUndoable = sql`(campaigns.status in ('active', 'paused') and campaigns.undo_until > clock_timestamp())`

/** The columns that remove the reason of an automatic pause. */
export const WITHOUT_REASON = { reason: null, pauseReason: null }

/**
 * SQL over an active campaign: it can send, within its limits. The API channel requires a connected
 * account.
 */
export function isSentNow(campaign: AliasOf<typeof campaigns>): SQL<boolean> {
  return sql`
    (
      ${campaign.channel} = 'extension'
      or exists (select from x_accounts a where a.id = ${campaign.xAccountId} and a.status = 'connected')
    )`
}

/**
 * SQL: the campaign `older` goes first: it shares the X account (or, in one workspace, both have
 * none), and one of its first messages is due or being sent. Direct messages do not count.
 */
const goesBefore = (campaign: AliasOf<typeof campaigns>) => sql`
  older.kind = 'campaign' and older.status = 'active' and older.firsts_queued_count > 0
  and (exists (select from dms o where o.campaign_id = older.id and o.status = 'queued' and o.lease_expires_at is null
      and not o.is_held and not o.is_follow_up and o.due_at <= now())
    or exists (select from dms o where o.campaign_id = older.id and o.lease_expires_at is not null and not o.is_follow_up))
  and (older.x_account_id = ${campaign.xAccountId}
    or (older.x_account_id is null and ${campaign.xAccountId} is null
      and older.workspace_id = ${campaign.workspaceId}))
  and (older.created_at, older.id) < (${campaign.createdAt}, ${campaign.id})
  and ${isSentNow(alias(campaigns, 'older'))}`

/** SQL over a campaign: an older campaign on its X account sends first. */
export function waitsForOlder(campaign: AliasOf<typeof campaigns>): SQL<boolean> {
  return sql`(${campaign.kind} = 'campaign' and exists (select from campaigns older where ${goesBefore(campaign)}))`
}

/** SQL over a campaign: the oldest campaign that it waits for; null: it does not wait. */
export function olderOf(campaign: AliasOf<typeof campaigns>): SQL<{ id: string; name: string } | null> {
  return sql`(select jsonb_build_object('id', older.id, 'name', older.name) from campaigns older
    where ${campaign.kind} = 'campaign' and ${goesBefore(campaign)} order by older.created_at, older.id limit 1)`
}
