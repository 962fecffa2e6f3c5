import { z } from 'zod'
import {
  Cursor,
  Id,
  isStorable,
  Moment,
  queryNumber,
  requiredText,
  Success,
  Time,
  text,
  UNSTORABLE,
} from '../fields.ts'
import { CallersId, DM_STATUSES, nextPart, REPLY_LABELS } from '../leads/leads.ts'
import { Reason } from '../reason.ts'
import { WAITING_LABELS } from '../reply-labels.ts'
import { routes } from '../route.ts'
import { MESSAGE_MAX } from './template.ts'

const route = routes('Inbox', 'conversations')

/** Conversations per page. */
const CONVERSATIONS_PAGE_SIZE = 50
/** Messages per page. */
export const MESSAGES_PAGE_SIZE = 50

/** Maximum number of ids per call. Larger selections use `filter`. */
export const CONVERSATION_IDS_MAX = 1_000

export const CONVERSATION_STATUSES = ['open', 'snoozed', 'done'] as const
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number]

/** Filters of the inbox. A conversation must match every field. */
export const Filter = z.object({
  status: z.enum(CONVERSATION_STATUSES).optional(),
  label: z.enum(REPLY_LABELS).optional(),
  /** A tag's id or name. */
  tag: text(100).optional(),
  leadId: Id.optional(),
  /** A member's id, `me`, or `none` for conversations without an assignee. */
  assigneeId: z.union([z.enum(['me', 'none']), Id]).optional(),
  xAccountId: Id.optional(),
  campaignId: Id.optional(),
  /**
   * Matches the lead's name or handle and the text of messages, case-insensitively. One or two
   * characters only match the beginning of a name or handle.
   */
  q: text(200).optional(),
})
export type Filter = z.output<typeof Filter>

/** All messages between an X account and a lead. A conversation exists once the lead has written. */
export const Conversation = z.object({
  id: z.string(),
  lead: z.object({
    id: z.string(),
    name: z.string(),
    /** Without the @. */
    twitterHandle: z.string(),
    profileImageUrl: z.string().nullable(),
    /** Like `pictureUrl` of `Lead`. */
    pictureUrl: z.string().nullable(),
    /** Tag ids. GET /tags returns their names. */
    tagIds: z.array(z.string()),
  }),
  xAccountId: z.string(),
  /** The campaign that the lead replied to. Null for a direct message, or if the lead wrote first. */
  campaignId: z.string().nullable(),
  lastMessage: z.object({
    id: z.string(),
    /** Null if it was deleted or is not stored. */
    text: z.string().nullable(),
    at: Time,
    isOurs: z.boolean(),
  }),
  /** True if no member has opened the conversation since the lead last wrote. */
  isUnread: z.boolean(),
  status: z.enum(CONVERSATION_STATUSES),
  snoozedUntil: Time.nullable(),
  /** Null if no reply could be read, or its language is unknown. */
  label: z.enum(REPLY_LABELS).nullable(),
  /** The classifier's confidence in the label, from 0 to 1. Null if a person or a second opinion set the label. */
  confidence: z.number().nullable(),
  /** `suggested`: the classifier or a member labelled it as an opt-out that a person should confirm. */
  suppression: z.enum(['none', 'suggested', 'suppressed']),
  /** Whether X encrypts the texts, so they cannot be shown or answered here. */
  isEncrypted: z.boolean(),
  assigneeId: z.string().nullable(),
})
export type Conversation = z.output<typeof Conversation>

/** Whether the lead is waiting for an answer. GET /today counts such conversations. */
export function isWaiting({
  status,
  lastMessage,
  label,
  suppression,
}: Pick<Conversation, 'status' | 'label' | 'suppression'> & {
  lastMessage: Pick<Conversation['lastMessage'], 'isOurs'>
}): boolean {
  const mayBeAnswered = label === null || (WAITING_LABELS as readonly string[]).includes(label)
  return status === 'open' && !lastMessage.isOurs && mayBeAnswered && suppression !== 'suppressed'
}

/** A message in a conversation. Ids are unique across both sides. */
export const Message = z.object({
  id: z.string(),
  /** Null if it was deleted or is not stored. */
  text: z.string().nullable(),
  at: Time,
  isOurs: z.boolean(),
  /** `member`: written here. `owner`: written on X by the user of the X account. */
  author: z.enum(['lead', 'campaign', 'member', 'owner']),
  memberId: z.string().nullable(),
  /** Only for messages sent here. */
  status: z.enum(DM_STATUSES).nullable(),
  /** Only for campaign messages. */
  stepNumber: z.number().int().nullable(),
  variant: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Only for replies. */
  label: z.enum(REPLY_LABELS).nullable(),
  /** Why the message failed, if there is a code for it. */
  why: Reason.nullable(),
})
export type Message = z.output<typeof Message>

/** A member's note on a conversation. The lead never sees it. */
export const Note = z.object({
  id: z.string(),
  text: z.string(),
  author: z.object({ id: z.string(), name: z.string() }),
  createdAt: Time,
  updatedAt: Time,
})
export type Note = z.output<typeof Note>

/** A member's unsent reply. Each member has at most one per conversation. */
export const Draft = z.object({ text: z.string(), updatedAt: Time })
export type Draft = z.output<typeof Draft>

/** Fields of a conversation that members can change. */
const changes = {
  /** `done` also marks the conversation as read. */
  status: z.enum(CONVERSATION_STATUSES).optional(),
  /** When the conversation reopens. Required with the status `snoozed`, and only allowed with it. */
  snoozedUntil: Moment.optional(),
  label: z.enum(REPLY_LABELS).optional(),
  /** A member's id; null unassigns the conversation. */
  assigneeId: Id.nullable().optional(),
  isRead: z.boolean().optional(),
}

/** A refinement of `changes`: whether `snoozedUntil` comes with the status `snoozed`, and only with it. */
const isSnooze = ({ status, snoozedUntil }: { status?: string | undefined; snoozedUntil?: string | undefined }) =>
  (status === 'snoozed') === (snoozedUntil !== undefined)
const SNOOZE = { path: ['snoozedUntil'], error: 'goes with the status snoozed, which needs it' }

export const conversations = {
  list: route('GET /conversations', 'member', 'none', {
    summary: 'List conversations, latest message or end of a snooze first',
  })
    .input(
      z.object({
        ...Filter.shape,
        pageSize: queryNumber(1, 100).default(CONVERSATIONS_PAGE_SIZE),
        cursor: Cursor.optional(),
      }),
    )
    .output(
      z.object({
        conversations: z.array(Conversation),
        /** Counts for the whole workspace, whatever the filter. `unread` only counts open conversations. */
        counts: z.object({ open: z.number().int(), unread: z.number().int(), snoozed: z.number().int() }),
        cursor: z.string().nullable(),
      }),
    ),

  find: route('GET /conversations/{id}', 'member', 'none', {
    summary: 'Get a conversation with its messages, newest first',
    errors: ['CONVERSATION_NOT_FOUND'],
  })
    .input(z.object({ id: Id, cursor: Cursor.optional() }))
    .output(
      Conversation.extend({
        messages: z.array(Message),
        /** Oldest first. */
        notes: z.array(Note),
        /** The caller's own draft. */
        draft: Draft.nullable(),
        /** Other members who are writing a reply. Their text is not included. */
        otherDrafts: z.array(z.object({ userId: z.string(), name: z.string(), updatedAt: Time })),
        /** The cursor for more messages. */
        cursor: z.string().nullable(),
      }),
    ),

  update: route('PATCH /conversations/{id}', 'member', 'rows', {
    summary: 'Change the status, label or assignee of a conversation, or mark it as read or unread',
    description:
      'A label set here is only changed by a person, or by an opt-out. It applies to the latest reply, too, and never lifts a suppression.',
    errors: ['CONVERSATION_NOT_FOUND', 'PERSON_NOT_FOUND', 'ENROLLMENT_STATE'],
  })
    .input(
      z
        .strictObject({
          id: Id,
          ...changes,
          /** The sequence continues with its re-engagement message when the snooze ends. */
          reengage: z.boolean().optional(),
          /** Chosen by the caller, who can undo the change with `POST /conversations/update/undo`. */
          undoId: CallersId.optional(),
        })
        .refine(isSnooze, SNOOZE)
        .refine(({ reengage, status }) => !reengage || status === 'snoozed', {
          path: ['reengage'],
          error: 'goes with the status snoozed',
        }),
    )
    .output(Conversation),

  answer: route('POST /conversations/{id}/messages', 'member', 'outside', {
    summary: 'Send an answer now and return it with its outcome',
    description:
      'The text is sent as written: 400 INVALID_INPUT if it has variables such as {lead_name}, unless `asWritten` is true. ' +
      'Only the daily cap of the product and the limits of X can delay it: 429 with Retry-After. It counts against no plan. ' +
      'If the conversation has a newer message than `afterMessageId`, nothing is sent: 409 CONVERSATION_CHANGED, with the newer messages as `details`.',
    errors: [
      'CONVERSATION_NOT_FOUND',
      'CONVERSATION_CHANGED',
      'LEAD_STATE',
      'DM_FAILED',
      'DM_UNSETTLED',
      'X_NOT_CONNECTED',
      'X_UNAVAILABLE',
      'X_FUNDS',
    ],
  })
    .input(
      z.strictObject({
        id: Id,
        /** Sent unchanged. Variables and placeholders of other tools are refused, unless `asWritten` is true. */
        text: requiredText(MESSAGE_MAX, 'Please enter a message to send'),
        asWritten: z.boolean().optional(),
        /** The newest message that the writer has seen. */
        afterMessageId: Id,
      }),
    )
    .output(Message),

  saveDraft: route('PUT /conversations/{id}/draft', 'member', 'rows', {
    summary: 'Save your unsent answer; an empty text deletes it',
    errors: ['CONVERSATION_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, text: z.string().max(MESSAGE_MAX).refine(isStorable, UNSTORABLE) }))
    .output(z.object({ draft: Draft.nullable() })),

  updateMany: route('POST /conversations/update', 'member', 'rows', {
    summary: 'Change many conversations, by id or filter',
    description: 'One call changes at most 10,000 conversations. Pass the returned cursor to change the next ones.',
    errors: ['PERSON_NOT_FOUND'],
  })
    .input(
      z
        .strictObject({
          conversationIds: z.array(Id).min(1).max(CONVERSATION_IDS_MAX).optional(),
          filter: z.strictObject(Filter.shape).optional(),
          /** The cursor of the last response with the same filter, to continue after that part. */
          cursor: Cursor.optional(),
          /** Chosen by the caller to undo the changes later. Use the same id for all parts. */
          undoId: CallersId.optional(),
          ...changes,
        })
        .refine(isSnooze, SNOOZE)
        .refine(({ conversationIds, filter }) => (conversationIds === undefined) !== (filter === undefined), {
          error: 'needs either conversationIds or filter',
        }),
    )
    .output(Success.extend({ changed: z.number().int(), ...nextPart })),

  undoUpdate: route('POST /conversations/update/undo', 'member', 'rows', {
    summary: 'Undo changes of many conversations, for those that have not changed since',
  })
    .input(z.strictObject({ undoId: CallersId }))
    .output(Success.extend({ undone: z.number().int() })),
}
