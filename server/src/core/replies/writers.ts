import { CLOCK_SKEW_MS } from '@x-automated/contract/outreach/sending'
import { MINUTE_MS } from '@x-automated/contract/time'

/** One of our messages in a conversation. */
export interface OwnMessage {
  id: string
  /** `extension:…`, `worker:…` or `simulated`: who claimed it last. */
  holder: string | null
  /** The X id of the message; null: unknown. */
  eventId: string | null
  /** When a sender claimed the message; null if never. */
  claimedAt: Date | null
  /** When the message's outcome was recorded; null: not yet. */
  endedAt: Date | null
  /** A sender owns the message now, and X may not have given it an id yet. */
  isClaimed: boolean
  /** The message was sent, or a sender owns it now. */
  isOut: boolean
}

/** X may show a message of an extension up to this long after its outcome was reported. */
const SHOWN_WITHIN_MS = 2 * MINUTE_MS

/**
 * Decides who wrote a message in X Chat that came from the account: the product, if it matches one
 * of our messages; the account's user, by hand; or unknown, while a sender is at work. Each of our
 * messages matches at most one. Extensions learn no ids from X.
 */
export function writerOf<M extends OwnMessage>(
  messages: readonly M[],
  { eventId, messageId, at }: { eventId: string; messageId?: string | null; at: Date },
): M | 'owner' | 'unknown' {
  const sameId = messages.find(
    (message) => message.eventId !== null && (message.eventId === eventId || message.eventId === messageId),
  )
  if (sameId) return sameId
  const started = messages.filter(
    ({ claimedAt, holder }) => claimedAt !== null && claimedAt <= at && holder !== 'simulated',
  )
  const explains = ({ eventId: recordedId, endedAt, holder }: M) =>
    recordedId === null &&
    holder?.startsWith('extension:') &&
    endedAt !== null &&
    at.getTime() <= endedAt.getTime() + SHOWN_WITHIN_MS
  return started.find(explains) ?? (started.some(({ isClaimed }) => isClaimed) ? 'unknown' : 'owner')
}

/** The message that a reply answers: the last one sent before it. Null if the person wrote first. */
export function answeredMessage<M extends Pick<OwnMessage, 'claimedAt' | 'isOut'>>(
  messages: readonly M[],
  at: Date,
): M | null {
  let latest: M | null = null
  for (const message of messages) {
    if (!message.isOut || !message.claimedAt || message.claimedAt.getTime() > at.getTime() + CLOCK_SKEW_MS) continue
    if (!latest?.claimedAt || message.claimedAt >= latest.claimedAt) latest = message
  }
  return latest
}

/** Seconds between polls of an account: `degraded` without a webhook; `live` with one, to find lost deliveries. */
export const POLL_SECONDS = { degraded: 90, live: 6 * 3_600 } as const
