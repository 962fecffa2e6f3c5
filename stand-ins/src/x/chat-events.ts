import { createHash } from 'node:crypto'
import { body, boolean, i32, i64, string, struct, structs } from './thrift.ts'

// The envelope of an X Chat event: a Thrift MessageEvent whose head is readable without keys. X's
// Chat XDK defines the layout (https://github.com/xdevplatform/chat-xdk,
// crates/core/src/thrift/event.rs). Its decoder reads these events in our tests.

/** Kinds of events. Only `message` is a message. */
export const CHAT_KINDS = [
  'message',
  'keyChange',
  'groupChange',
  'failure',
  'typing',
  'deleted',
  'settings',
  'read',
  'unread',
  'unknown',
] as const
export type ChatKind = (typeof CHAT_KINDS)[number]

/** Why a message could not be delivered, numbered as X does, from 1. */
export const FAILURES = [
  'emptyDetail',
  'internalError',
  'contentsTooLarge',
  'tooManyMessages',
  'invalidSenderSignature',
  'nonLatestKeyVersion',
  'recipientNotTrusted',
  'recipientKeyChanged',
  'onlyEncryptedMessagesAllowed',
  'requesterNotAdmin',
  'flaggedAsSpam',
  'rateLimitUpsell',
  'signatureFailedToVerifyAgainstPublicKey',
  'genericError',
  'senderNotGroupMember',
  'invalidSignatureVersion',
  'invalidPinRequest',
  'tooManyPins',
] as const
export type Failure = (typeof FAILURES)[number]

/**
 * An event in X Chat. `conversation` is `a:b` with the smaller user id first, or a group's id,
 * which begins with g. `to` is the receiving member; `at` is in milliseconds since 1970.
 */
export type ChatEvent = {
  sequenceId: string
  messageId: string
  conversation: string
  from: string
  to: string
  at: number
  kind: ChatKind
  text: string
  failure?: Failure | undefined
  previousId?: string | undefined
}

/** X's number for each kind in the union `MessageEventDetail`. X does not use 99. */
const DETAILS: Record<ChatKind, number> = {
  message: 1,
  keyChange: 3,
  groupChange: 4,
  failure: 5,
  typing: 6,
  deleted: 7,
  settings: 9,
  read: 12,
  unread: 13,
  unknown: 99,
}

/** Returns the version of an event's key: an invented creation time, in milliseconds since 1970. */
export const keyVersionOf = (event: ChatEvent) => String(1_700_000_000_000 + Number(BigInt(event.from) % 1_000_000n))

/** Returns `encoded_event` in base64, which never changes for an event. Its ciphertext only looks random. */
export function encodeEvent(event: ChatEvent): string {
  const { sequenceId, messageId, conversation, from, at, kind, previousId } = event
  const fields = [
    string(1, sequenceId),
    string(2, messageId),
    string(3, from),
    string(4, conversation),
    string(5, bytesFrom(`token ${conversation}`, 24).toString('base64')),
    string(6, String(at)),
    struct(7, struct(DETAILS[kind], ...detailOf(event))),
    i32(8, 0),
    ...(kind === 'message'
      ? [struct(9, string(1, bytesFrom(`signature ${messageId}`, 64).toString('base64')), string(3, '7'))]
      : []),
    ...(previousId === undefined ? [] : [string(10, previousId)]),
  ]
  return body(...fields).toString('base64')
}

function detailOf(event: ChatEvent): Buffer[] {
  const version = keyVersionOf(event)
  switch (event.kind) {
    case 'message': {
      const contents = bytesFrom(`${event.messageId} ${event.text}`, 96 + Buffer.byteLength(event.text))
      return [string(100, contents), string(101, version), boolean(102, true)]
    }
    case 'keyChange':
      return [
        string(1, version),
        structs(
          2,
          [event.from, event.to].map((id) => keyCopy(id, version)),
        ),
      ]
    case 'failure':
      return [i32(1, FAILURES.indexOf(event.failure ?? 'genericError') + 1)]
    case 'typing':
      return [string(1, event.conversation)]
    case 'read':
      return [string(1, event.previousId ?? event.sequenceId), i64(2, BigInt(event.at))]
    case 'unread':
      return [string(1, event.previousId ?? event.sequenceId)]
    default:
      return []
  }
}

const keyCopy = (userId: string, version: string) => [
  string(1, userId),
  string(2, bytesFrom(`key ${userId} ${version}`, 97).toString('base64')),
  string(3, version),
]

/** Returns bytes that look random, but are always the same for the same text. */
function bytesFrom(text: string, length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(text).digest()
}
