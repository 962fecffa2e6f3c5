import { DM_STATUSES } from '@x-automated/contract/campaigns'
import { type SQL, sql } from 'drizzle-orm'
import { bigserial, boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { campaigns } from '../campaigns/tables.ts'
import { leads } from '../leads/tables.ts'
import { workspaces } from '../workspaces/tables.ts'
import { xAccounts } from '../x-account/tables.ts'

/**
 * One message to one lead. This table is the queue: a row is made first, claimed under a lease by one sender, and its outcome is recorded once.
 * While claimed it is still `queued`, with a lease.
 */
export const dms = pgTable(
  'dms',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    leadId: uuid('lead_id').references(() => leads.id, { onDelete: 'set null' }),
    campaignId: uuid('campaign_id')
      .notNull()
      .references(() => campaigns.id, { onDelete: 'cascade' }),
    /** 0 is the campaign's first message; the direct campaign counts its messages to one lead here. */
    step: integer('step').notNull().default(0),
    message: text('message').notNull(),
    status: text('status', { enum: DM_STATUSES }).notNull().default('queued'),
    /** Not before this moment. */
    dueAt: time('due_at').notNull().defaultNow(),
    /** The sender's secret while it holds the message; kept afterwards, so that its late outcome is still known as its own. */
    lease: uuid('lease'),
    /** Who holds it: `worker:<workers.id>`, or `extension:` and the name that the extension gave itself, or `simulated`. */
    holder: text('holder'),
    /** Null while nobody holds it. */
    leaseExpiresAt: time('lease_expires_at'),
    /** When it was last handed to a sender: what caps count, because from then on it may have been sent. */
    claimedAt: time('claimed_at'),
    /** When our worker handed it to X, if its account keeps an interval: the next one waits from here. Of an earlier claim if it is before `claimedAt`. */
    handedOverAt: time('handed_over_at'),
    /** The X account it was claimed for. */
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'set null' }),
    /** How often it was claimed by somebody who could send it, and not given back unsent. */
    attempts: integer('attempts').notNull().default(0),
    /** Since when it may have been sent, once; null: certainly never. Before it is sent again the conversation is read back to this moment. */
    triedAt: time('tried_at'),
    /** Nobody knows whether it was sent. While `queued` it is being settled by reading the conversation, at `dueAt` next; `failed`: it could not be. */
    outcomeUnknown: boolean('outcome_unknown').notNull().default(false),
    sentAt: time('sent_at'),
    /** Since when X has shown that it arrived: it was read, or answered. */
    deliveredAt: time('delivered_at'),
    /** When its lead first answered, by X's clock. */
    repliedAt: time('replied_at'),
    /** When it was last queued anew; null: only once, when it was made. */
    requeuedAt: time('requeued_at'),
    /** X's id of the sent message. */
    xEventId: text('x_event_id'),
    errorMessage: text('error_message'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('dms_once').on(t.campaignId, t.step, t.leadId),
    index('dms_next').on(t.campaignId, t.dueAt, t.id).where(sql`status = 'queued' and lease_expires_at is null`),
    // Few rows: only what a sender owns at this moment.
    index('dms_leased').on(t.campaignId, t.leaseExpiresAt).where(sql`lease_expires_at is not null`),
    index('dms_campaign').on(t.campaignId, t.createdAt, t.id),
    index('dms_campaign_status').on(t.campaignId, t.status, t.createdAt, t.id),
    index('dms_account_claims').on(t.xAccountId, t.claimedAt).where(sql`claimed_at is not null`),
    index('dms_lead').on(t.leadId),
    // Who answered last, in the workspace or in a campaign.
    index('dms_answers').on(t.workspaceId, t.repliedAt).where(sql`status = 'replied' and replied_at is not null`),
    index('dms_campaign_answers')
      .on(t.campaignId, t.repliedAt)
      .where(sql`status = 'replied' and replied_at is not null`),
    index('dms_event').on(t.xEventId).where(sql`x_event_id is not null`),
    check('dms_lease', sql`lease_expires_at is null or (status = 'queued' and lease is not null)`),
    check('dms_sent', sql`(status in ('sent', 'delivered', 'replied')) = (sent_at is not null)`),
  ],
)

/**
 * How many messages of a campaign a sender owns. What is being settled belongs to no sender any more, and the simulated queue sends nothing.
 * @param campaignId over its row
 */
export function countInFlight(campaignId: SQL): SQL<number> {
  return sql`(select count(*)::int from dms
    where campaign_id = ${campaignId} and lease_expires_at is not null and not outcome_unknown and holder <> 'simulated')`
}

/**
 * Over a queued message `d` and its campaign `c`: it may go out yet, or has, and nobody knows. What an archived campaign has queued never does, but for what
 * was in somebody's hands: who died with it may have handed it to X.
 */
export const mayGoOut = sql`(c.status <> 'archived' or d.lease_expires_at is not null)`

/** Over a message `d`: some sender has had it, and did not give it back. A simulation counts no try, but leaves when it had it. */
export const wasTried = sql`(d.tried_at is not null or d.claimed_at is not null)`

/** Processes that send. Each holds the advisory lock of its id for as long as it lives, so others can tell that it is dead. */
export const workers = pgTable('workers', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  startedAt: time('started_at').notNull().defaultNow(),
})
