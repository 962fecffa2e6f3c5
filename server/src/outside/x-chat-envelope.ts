/*
 * The head of an event of X Chat, which can be read without keys: a struct in Thrift's binary protocol
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md). Its fields are
 * those of `MessageEvent` in X's Chat XDK (https://github.com/xdevplatform/chat-xdk).
 */

/** The head of an event. Null: missing or unreadable. */
interface XChatEnvelope {
  sequenceId: string | null
  messageId: string | null
  senderId: string | null
  conversationId: string | null
  at: Date | null
  kind: 'message' | 'other' | 'unknown'
}

const FIELDS = { 1: 'sequenceId', 2: 'messageId', 3: 'senderId', 4: 'conversationId', 6: 'createdAt' } as const
const DETAIL = 7

/**
 * The variants of an event's detail that are known not to be messages: keys, groups, failures,
 * typing, reading, deletions.
 */
const OTHER_DETAILS: ReadonlySet<number> = new Set([3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14])
const MESSAGE_DETAIL = 1

const STOP = 0
const STRING = 11
const STRUCT = 12
/** Sizes in bytes of the types without a length: bool, i8, double, i16, i32, i64 and UUID. */
const SIZES = new Map([
  [2, 1],
  [3, 1],
  [4, 8],
  [6, 2],
  [8, 4],
  [10, 8],
  [16, 16],
])
/** Limits of what is read. Nothing after the detail is needed, and only short texts come before it. */
const MAX_FIELDS = 16
const MAX_TEXT = 10_000
const MAX_BYTES = 16_384

/** Reads the head of an `encoded_event`. Unreadable fields are null, an unreadable kind is `unknown`. Never throws. */
export function readEnvelope(encodedEvent: string): XChatEnvelope {
  const bytes = Buffer.from(encodedEvent.slice(0, Math.ceil((MAX_BYTES * 4) / 3)), 'base64')
  const texts: Partial<Record<(typeof FIELDS)[keyof typeof FIELDS], string>> = {}
  let kind: XChatEnvelope['kind'] = 'unknown'
  let offset = 0
  for (let count = 0; count < MAX_FIELDS && offset + 3 <= bytes.length; count += 1) {
    const type = bytes.readUInt8(offset)
    if (type === STOP) break
    const field = bytes.readInt16BE(offset + 1)
    offset += 3
    if (field === DETAIL) {
      kind = type === STRUCT ? kindOf(bytes, offset) : 'unknown'
      break
    }
    const size = type === STRING ? sizeOfText(bytes, offset) : (SIZES.get(type) ?? null)
    if (size === null) break
    const end = offset + (type === STRING ? 4 : 0) + size
    if (end > bytes.length) break
    const name = FIELDS[field as keyof typeof FIELDS]
    if (name && type === STRING) texts[name] = bytes.toString('utf8', offset + 4, end)
    offset = end
  }
  return {
    sequenceId: matching(texts.sequenceId, /^\d{1,20}$/),
    messageId: matching(texts.messageId, /^[\w-]{1,100}$/),
    senderId: matching(texts.senderId, /^\d{1,20}$/),
    conversationId: matching(texts.conversationId, /^[\w:-]{1,200}$/),
    at: momentOf(texts.createdAt),
    kind,
  }
}

/** Converts milliseconds since 1970 to a date; null if they are not a number. */
export function momentOf(milliseconds: string | number | null | undefined): Date | null {
  return /^\d{1,15}$/.test(String(milliseconds)) ? new Date(Number(milliseconds)) : null
}

/** Reads the kind of an event from its detail, a union: a struct with one field, whose id names the variant. */
function kindOf(bytes: Buffer, offset: number): XChatEnvelope['kind'] {
  if (offset + 3 > bytes.length || bytes.readUInt8(offset) !== STRUCT) return 'unknown'
  const variant = bytes.readInt16BE(offset + 1)
  if (variant === MESSAGE_DETAIL) return 'message'
  return OTHER_DETAILS.has(variant) ? 'other' : 'unknown'
}

function sizeOfText(bytes: Buffer, offset: number): number | null {
  if (offset + 4 > bytes.length) return null
  const size = bytes.readInt32BE(offset)
  return size >= 0 && size <= MAX_TEXT ? size : null
}

function matching(text: string | undefined, pattern: RegExp): string | null {
  return text !== undefined && pattern.test(text) ? text : null
}
