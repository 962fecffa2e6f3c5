import { DM_STATUSES } from '@x-automated/contract/leads/leads'
import type { SkipReason } from '@x-automated/contract/reason'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, id, time, updatedAt } from '../../db/columns.ts'
import { authUsers } from '../../domains/identity/auth/tables.ts'
import { workspaces } from '../../domains/identity/workspaces/tables.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'
import { campaigns } from './campaigns.ts'
import { leads } from './leads.ts'

/** SQL over sent messages: a member wrote it in the inbox, and its text was not deleted. */
export const isStoredAnswer = sql`is_answer and status <> 'queued' and not outcome_unknown and message <> ''`

/**
 * One message to one lead. This table is the queue: one sender claims a row under a lease, and its
 * outcome is recorded once. A claimed message is still `queued`.
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
    /** The ordinal: how many messages the campaign queued for this lead before. */
    step: integer('step').notNull().default(0),
    /** The enrollment to which the message belongs; null: direct. */
    enrollmentId: uuid('enrollment_id'),
    /** The step of the message; null: direct. */
    stepId: uuid('step_id'),
    /** The step's number when the message was queued; null: direct. */
    stepNumber: integer('step_number'),
    /** The variant of the message; null: direct. */
    variantId: uuid('variant_id'),
    /** Whether the message comes after the first one of a sequence. Accounts send follow-ups before first messages. */
    isFollowUp: boolean('is_follow_up').notNull().default(false),
    /** The enrollment is paused, so no sender sees the message. */
    isHeld: boolean('is_held').notNull().default(false),
    message: text('message').notNull(),
    /**
     * The text has no unfilled variable. False: an earlier version of the product queued the
     * message, so its text is checked.
     */
    isFilled: boolean('is_filled').notNull().default(false),
    status: text('status', { enum: DM_STATUSES }).notNull().default('queued'),
    /** The message is not sent before this time. */
    dueAt: time('due_at').notNull().defaultNow(),
    /** The sender's secret. It stays after the lease has ended, to recognize a late report. */
    lease: uuid('lease'),
    /** `worker:<workers.id>`, `extension:<name that the extension chose>` or `simulated`. */
    holder: text('holder'),
    /** When the lease ends; null: the message is not claimed. */
    leaseExpiresAt: time('lease_expires_at'),
    /**
     * When a sender last claimed the message. Caps count from here, because the message may have
     * been sent since. If two claims target the same person, the earlier one sends.
     */
    claimedAt: time('claimed_at'),
    /**
     * When a worker last handed the message over to X; the interval counts from here. If earlier
     * than `claimedAt`, the hand-over belongs to a previous claim. A hand-over must not change
     * `claimedAt`: the older claim on a person wins.
     */
    handedOverAt: time('handed_over_at'),
    /** False: the worker that claimed the message has not called X, so it was not sent. True: it may have been. */
    isHandedOver: boolean('is_handed_over').notNull().default(true),
    /** The X account for which the message was claimed. */
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'set null' }),
    /** The number of claims that may have sent the message. */
    attempts: integer('attempts').notNull().default(0),
    /**
     * When the message may first have been sent; null: never. Before another attempt, the
     * conversation is read back to here.
     */
    triedAt: time('tried_at'),
    /**
     * The message may have been sent. `queued`: its conversation is read at `dueAt` to settle it.
     * `failed`: it could not be settled.
     */
    outcomeUnknown: boolean('outcome_unknown').notNull().default(false),
    /** When the conversation first showed that the last attempt had not arrived; null: not yet. */
    absentAt: time('absent_at'),
    /** When reads of the conversation became inconclusive; null: the last read was conclusive, or there was none. */
    unreadableSince: time('unreadable_since'),
    /** False: X said that the message was already sent (error 151), so settling never sends it again. */
    mayResend: boolean('may_resend').notNull().default(true),
    sentAt: time('sent_at'),
    /** When X first showed that the message was read or answered. */
    deliveredAt: time('delivered_at'),
    /** When the lead first replied, by X's clock. */
    repliedAt: time('replied_at'),
    /** The meaning of the replies to the message, as a sum of ANSWERS. */
    answers: smallint('answers').notNull().default(0),
    /** Only on a lead's first message: the meaning of all the lead's replies to the campaign. */
    personAnswers: smallint('person_answers').notNull().default(0),
    /** Until when the message waits, because X did not show whether the person can be messaged. */
    inboxUnclearUntil: time('inbox_unclear_until'),
    /** When the message was last queued again; null: never. */
    requeuedAt: time('requeued_at'),
    /** The X id of the sent message. */
    xEventId: text('x_event_id'),
    /** Direct messages only: the undo id that the caller chose for this batch. */
    undoId: uuid('undo_id'),
    /** An answer written in the inbox. It counts toward no plan and is never queued again. */
    isAnswer: boolean('is_answer').notNull().default(false),
    /** Why the message was skipped. A failed message has this or `errorMessage`. */
    reason: jsonb('reason').$type<SkipReason>(),
    /** Why the message failed, in the words of X or the extension, if no code describes it. */
    errorMessage: text('error_message'),
    /** Why X did not accept the message: the person's inbox is `closed` to the account, or X refused it. */
    refusal: text('refusal', { enum: ['closed', 'refused', 'invalid', 'forbidden'] }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('dms_once').on(t.campaignId, t.step, t.leadId),
    // Messages that senders may claim. Each account sends its own follow-ups, even if their
    // campaign now has another account.
    index('dms_next')
      .on(t.campaignId, t.isFollowUp, t.dueAt, t.id)
      .where(sql`status = 'queued' and lease_expires_at is null and not is_held`),
    index('dms_follow_ups')
      .on(t.xAccountId, t.campaignId, t.dueAt, t.id)
      .where(sql`status = 'queued' and lease_expires_at is null and not is_held and is_follow_up`),
    // Small: it contains only claimed messages.
    index('dms_leased').on(t.campaignId, t.leaseExpiresAt).where(sql`lease_expires_at is not null`),
    index('dms_campaign').on(t.campaignId, t.createdAt, t.id),
    index('dms_campaign_status').on(t.campaignId, t.status, t.createdAt, t.id),
    index('dms_account_claims').on(t.xAccountId, t.claimedAt).where(sql`claimed_at is not null`),
    index('dms_lead').on(t.leadId),
    // Serves filters by the last contact.
    index('dms_contacts').on(t.workspaceId, t.sentAt, t.leadId).where(sql`sent_at is not null`),
    // Serves the results of variants.
    index('dms_variants').on(t.campaignId, t.variantId, t.sentAt, t.id).where(sql`sent_at is not null`),
    // Serves the lists of people who got a variant or answered it.
    index('dms_people').on(t.campaignId, t.variantId, t.status, t.enrollmentId).where(sql`enrollment_id is not null`),
    index('dms_answered')
      .on(t.campaignId, t.variantId, t.answers, t.enrollmentId)
      .where(sql`status = 'replied' and answers <> 0`),
    // Serves the latest replies of a workspace or a campaign.
    index('dms_answers').on(t.workspaceId, t.repliedAt).where(sql`status = 'replied' and replied_at is not null`),
    index('dms_campaign_answers')
      .on(t.campaignId, t.repliedAt)
      .where(sql`status = 'replied' and replied_at is not null`),
    index('dms_undo').on(t.workspaceId, t.undoId).where(sql`undo_id is not null and status = 'queued'`),
    // Serves the deletion of old texts.
    index('dms_answer_texts').on(t.workspaceId, t.createdAt).where(isStoredAnswer),
    index('dms_event').on(t.xEventId).where(sql`x_event_id is not null`),
    check('dms_lease', sql`lease_expires_at is null or (status = 'queued' and lease is not null)`),
    check('dms_sent', sql`(status in ('sent', 'delivered', 'replied')) = (sent_at is not null)`),
  ],
)

/** Flags for the meaning of replies. Automatic replies do not count. */
export const ANSWERS = { replied: 1, positive: 2, optedOut: 4 } as const

/** At least one in this many of an account's messages is a first message, while first messages are queued. */
export const FIRST_OF = 10

/** SQL over messages that senders may claim. */
export const isInQueue = sql`status = 'queued' and lease_expires_at is null and not is_held`
/** SQL: follow-ups of an account that senders may claim. */
export const isFollowUpOf = (accountId: SQLWrapper) =>
  sql`${isInQueue} and is_follow_up and x_account_id = ${accountId}`
/** SQL: first messages and direct messages that senders may claim. */
export const isFirstInQueue = sql`${isInQueue} and not is_follow_up`

/**
 * SQL: how many of a campaign's messages a sender owns. Excludes messages being settled and those
 * of the simulated queue. @param campaignId SQL expression
 */
export function countInFlight(campaignId: SQL): SQL<number> {
  return sql`(select count(*)::int from dms
    where campaign_id = ${campaignId}
      and lease_expires_at is not null
      and not outcome_unknown
      and holder <> 'simulated')`
}

/**
 * SQL over the aliases of a queued message and its campaign: the message may still be sent, or may
 * have been. Archived campaigns send nothing new, but a dead worker may have handed a message to X.
 */
export function mayGoOut(message: AliasOf<typeof dms>, campaign: AliasOf<typeof campaigns>): SQL {
  return sql`(${campaign.status} <> 'archived' or ${message.leaseExpiresAt} is not null)`
}

/** SQL over a message's alias: the message was claimed and not released. A simulation sets only `claimed_at`. */
export function wasTried(message: AliasOf<typeof dms>): SQL {
  return sql`(${message.triedAt} is not null or ${message.claimedAt} is not null)`
}
