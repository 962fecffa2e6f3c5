import { DM_STATUSES } from '@x-automated/contract/leads/leads'
import type { SkipReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../db/columns.ts'
import { authUsers } from '../../domains/identity/auth/tables.ts'
import { workspaces } from '../../domains/identity/workspaces/tables.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'
import { campaigns } from './campaigns.ts'
import { leads } from './leads.ts'

/** SQL over sent messages that members wrote in the inbox and whose text was not deleted. */
export const isStoredAnswer = sql`is_answer and status <> 'queued' and not outcome_unknown and message <> ''`

/**
 * One message to one lead. This table is the queue: one sender claims a row under a lease and its
 * outcome is recorded once. A claimed message is still `queued`, with a lease.
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
    /** Whose next step it is; null: direct. */
    enrollmentId: uuid('enrollment_id'),
    /** The step and variant that it is a message of, and the step's number then; null: direct. */
    stepId: uuid('step_id'),
    stepNumber: integer('step_number'),
    variantId: uuid('variant_id'),
    /** A later message of a sequence. Its account sends these before first messages. */
    isFollowUp: boolean('is_follow_up').notNull().default(false),
    /** Its enrollment is paused, so no sender sees it. */
    isHeld: boolean('is_held').notNull().default(false),
    message: text('message').notNull(),
    /** Its text has no unfilled variable. False: an earlier version queued it, so its text is checked. */
    isFilled: boolean('is_filled').notNull().default(false),
    status: text('status', { enum: DM_STATUSES }).notNull().default('queued'),
    /** Not sent before this time. */
    dueAt: time('due_at').notNull().defaultNow(),
    /** The sender's secret. Kept after the lease ends, to recognize the sender's late report. */
    lease: uuid('lease'),
    /** `worker:<workers.id>`, `extension:<name that the extension chose>` or `simulated`. */
    holder: text('holder'),
    /** Null if not claimed. */
    leaseExpiresAt: time('lease_expires_at'),
    /**
     * When a sender last claimed it. Caps count from here, because it may have been sent since. Of two
     * claims on one person, the earlier one sends.
     */
    claimedAt: time('claimed_at'),
    /**
     * When a worker last handed it to X; the interval counts from here. Before `claimedAt`: in an earlier
     * claim. It does not move `claimedAt`, or a later claim on the person would send as well.
     */
    handedOverAt: time('handed_over_at'),
    /** False: the worker that claimed it has not called X, so it was not sent. True: it may have been. */
    isHandedOver: boolean('is_handed_over').notNull().default(true),
    /** The X account that it was claimed for. */
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'set null' }),
    /** Number of claims that may have sent it. */
    attempts: integer('attempts').notNull().default(0),
    /**
     * When it may first have been sent; null if never. Before another attempt, the conversation is
     * read back to here.
     */
    triedAt: time('tried_at'),
    /**
     * It may have been sent. `queued`: settled by reading the conversation at `dueAt`. `failed`:
     * could not be settled.
     */
    outcomeUnknown: boolean('outcome_unknown').notNull().default(false),
    /** When its conversation first showed that the last attempt had not arrived; null: not yet. */
    absentAt: time('absent_at'),
    /** Since when its conversation shows nothing for certain; null: it does, or was not read. */
    unreadableSince: time('unreadable_since'),
    /** False: X answered that it was said already (error 151), so it is not sent again by settling. */
    mayResend: boolean('may_resend').notNull().default(true),
    sentAt: time('sent_at'),
    /** When X first showed that it was read or answered. */
    deliveredAt: time('delivered_at'),
    /** When the lead first replied, by X's clock. */
    repliedAt: time('replied_at'),
    /** What the replies to it say, as a sum of ANSWERS. */
    answers: smallint('answers').notNull().default(0),
    /** Of a lead's first message: what all their replies to the campaign say. */
    personAnswers: smallint('person_answers').notNull().default(0),
    /** Until when it waits, because X did not show whether the person can be messaged. */
    inboxUnclearUntil: time('inbox_unclear_until'),
    /** When it was last queued again; null if never. */
    requeuedAt: time('requeued_at'),
    /** X's id of the sent message. */
    xEventId: text('x_event_id'),
    /** Of a direct message: its caller's name for all that it queued with it. */
    undoId: uuid('undo_id'),
    /** Written in the inbox, as an answer: it counts against no plan, and is never queued again. */
    isAnswer: boolean('is_answer').notNull().default(false),
    /** Why it was skipped. A failed message has this or `errorMessage`. */
    reason: jsonb('reason').$type<SkipReason>(),
    /** Why it failed, if no code says so: in X's or the extension's words. */
    errorMessage: text('error_message'),
    /** Why X did not take it: the person's inbox is `closed` to the account, or X refused it. */
    refusal: text('refusal', { enum: ['closed', 'refused', 'invalid', 'forbidden'] }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('dms_once').on(t.campaignId, t.step, t.leadId),
    // What senders may claim. Each account sends its follow-ups, whichever account their campaign has now.
    index('dms_next')
      .on(t.campaignId, t.isFollowUp, t.dueAt, t.id)
      .where(sql`status = 'queued' and lease_expires_at is null and not is_held`),
    index('dms_follow_ups')
      .on(t.xAccountId, t.campaignId, t.dueAt, t.id)
      .where(sql`status = 'queued' and lease_expires_at is null and not is_held and is_follow_up`),
    // Few rows: only claimed messages.
    index('dms_leased').on(t.campaignId, t.leaseExpiresAt).where(sql`lease_expires_at is not null`),
    index('dms_campaign').on(t.campaignId, t.createdAt, t.id),
    index('dms_campaign_status').on(t.campaignId, t.status, t.createdAt, t.id),
    index('dms_account_claims').on(t.xAccountId, t.claimedAt).where(sql`claimed_at is not null`),
    index('dms_lead').on(t.leadId),
    // Who was messaged when, for filters by the last contact.
    index('dms_contacts').on(t.workspaceId, t.sentAt, t.leadId).where(sql`sent_at is not null`),
    // Which variants were sent, and their results.
    index('dms_variants').on(t.campaignId, t.variantId, t.sentAt, t.id).where(sql`sent_at is not null`),
    // Who was sent which variant, and who answered it.
    index('dms_people').on(t.campaignId, t.variantId, t.status, t.enrollmentId).where(sql`enrollment_id is not null`),
    index('dms_answered')
      .on(t.campaignId, t.variantId, t.answers, t.enrollmentId)
      .where(sql`status = 'replied' and answers <> 0`),
    // Latest replies of a workspace or a campaign.
    index('dms_answers').on(t.workspaceId, t.repliedAt).where(sql`status = 'replied' and replied_at is not null`),
    index('dms_campaign_answers')
      .on(t.campaignId, t.repliedAt)
      .where(sql`status = 'replied' and replied_at is not null`),
    index('dms_undo').on(t.workspaceId, t.undoId).where(sql`undo_id is not null and status = 'queued'`),
    // For the deletion of old texts.
    index('dms_answer_texts').on(t.workspaceId, t.createdAt).where(isStoredAnswer),
    index('dms_event').on(t.xEventId).where(sql`x_event_id is not null`),
    check('dms_lease', sql`lease_expires_at is null or (status = 'queued' and lease is not null)`),
    check('dms_sent', sql`(status in ('sent', 'delivered', 'replied')) = (sent_at is not null)`),
  ],
)

/** Automatic replies count as none. */
export const ANSWERS = { replied: 1, positive: 2, optedOut: 4 } as const

/** At least one of this number of an account's messages is a first one, while any is queued. */
export const FIRST_OF = 10

/** SQL over messages that senders may claim. */
export const isInQueue = sql`status = 'queued' and lease_expires_at is null and not is_held`
/** SQL over the same: follow-ups of an account. */
export const isFollowUpOf = (accountId: SQL) => sql`${isInQueue} and is_follow_up and x_account_id = ${accountId}`
/** SQL over the same, without follow-ups: first messages and direct ones. */
export const isFirstInQueue = sql`${isInQueue} and not is_follow_up`

/**
 * SQL: the number of a campaign's messages that a sender owns. Excludes messages being settled and
 * the simulated queue's. @param campaignId SQL expression
 */
export function countInFlight(campaignId: SQL): SQL<number> {
  return sql`(select count(*)::int from dms
    where campaign_id = ${campaignId} and lease_expires_at is not null and not outcome_unknown and holder <> 'simulated')`
}
