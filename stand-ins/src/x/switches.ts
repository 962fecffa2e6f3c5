import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether a switch makes the stand-in return what X's OpenAPI file does not allow. */
    isOddOnPurpose: boolean
  }
}

// Switches with which tests change the stand-in X, in addition to faults. A PUT replaces all values
// of a path. Omitted values get their default, which is what X documents.

/** The format of events. */
const Events = z.strictObject({
  /** In `chat.*`: `a:b` or `a-b`, the smaller id first unless swapped. */
  conversationId: z.enum(['colon', 'dash', 'colon-swapped', 'dash-swapped']).default('colon'),
  /** Whether `chat.*` has `id` and `created_at_msec`. */
  hasIds: z.boolean().default(true),
  /** Whether `chat.*` has `conversation_key_version` and `conversation_key_change_event`. */
  hasKeys: z.boolean().default(false),
  /** Whether times are strings or numbers. */
  times: z.enum(['text', 'number']).default('text'),
  uuids: z.enum(['positive', 'negative', 'uuid']).default('positive'),
  hasFilter: z.boolean().default(true),
  /** The unreadable part: the payload, the Thrift in `encoded_event`, the envelope, or none. */
  unreadable: z.enum(['payload', 'encodedEvent', 'envelope']).nullable().default(null),
  /** The prefix of the event types that are unreadable. */
  unreadableTypes: z.string().default(''),
})

/** The format of `dm_events`. */
const Reading = z.strictObject({
  order: z.enum(['newest', 'oldest', 'shuffled']).default('newest'),
  /** A page ends after this number of events, without a `next_token`. */
  endsAfter: z.int().min(0).nullable().default(null),
  /** Whether `expansions=sender_id` includes the sender. */
  hasSender: z.boolean().default(true),
  /** Returns no events: with `result_count: 0`, with an empty `data` and no `meta`, or as an empty object. */
  empty: z.enum(['counted', 'data', 'bare']).nullable().default(null),
  /** `normalized`: NFC, single spaces, no variation selectors of emoji. */
  text: z.enum(['as sent', 'normalized']).default('as sent'),
  /** Whether links become t.co links with entities. */
  shortensLinks: z.boolean().default(true),
})

/** The behavior of X Chat. */
const Chat = z.strictObject({
  /** The share of people who answer in X Chat, from 0 to 1. */
  share: z.number().min(0).max(1).default(0),
  /** The order of conversations, by `updated_at`. */
  order: z.enum(['descending', 'ascending', 'shuffled']).default('descending'),
  /** The status for accounts without X Chat. */
  withoutChat: z.union([z.literal(403), z.literal(404)]).default(404),
  /** `hidden`: a stranger's first message only shows in `has_message_requests`. */
  requests: z.enum(['delivered', 'hidden']).default('delivered'),
})

/** Subscriptions of the Activity API. */
const Subscriptions = z.strictObject({
  /** The subscription is in `data.subscription` (nested), in `data` (flat), or in a list in `data`. */
  answer: z.enum(['nested', 'flat', 'list']).default('nested'),
  /** The response to a duplicate: `DuplicateSubscription`, or the existing subscription. */
  duplicate: z.enum(['error', 'success']).default('error'),
  /** Maximum number of subscriptions per app. */
  most: z.int().min(0).default(1_500),
})

const SCHEMAS = { events: Events, reading: Reading, chat: Chat, subscriptions: Subscriptions }

export type Switches = { [Name in keyof typeof SCHEMAS]: z.output<(typeof SCHEMAS)[Name]> }

/** Creates the switches. @param overrides values that replace the defaults */
export function createSwitches(overrides: { chat?: z.input<typeof Chat> }): Switches {
  return {
    events: Events.parse({}),
    reading: Reading.parse({}),
    chat: Chat.parse(overrides.chat ?? {}),
    subscriptions: Subscriptions.parse({}),
  }
}

/** Adds `PUT` and `GET` for `/_events`, `/_reading`, `/_chat` and `/_subscriptions`. */
export function addSwitches(app: FastifyInstance, switches: Switches) {
  app.decorateReply('isOddOnPurpose', false)
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const key = name as keyof Switches
    app.get(`/_${name}`, async () => switches[key])
    app.put(`/_${name}`, async (request, reply) => {
      const parsed = schema.safeParse(request.body ?? {})
      if (!parsed.success) return reply.code(400).send({ error: z.prettifyError(parsed.error) })
      Object.assign(switches, { [key]: parsed.data })
      return parsed.data
    })
  }
}
