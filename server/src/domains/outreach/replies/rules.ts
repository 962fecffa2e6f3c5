import { CLOCK_SKEW_MS } from '@x-automated/contract/outreach/sending'

/** A negation right before an opt-out word cancels it: "can't stop reading". */
const NEGATIONS = new Set(["don't", 'dont', "can't", 'cant', 'cannot', "won't", 'wont', 'never', "couldn't", 'couldnt'])

/** Splits text into normalized words, without case, width and punctuation. */
function tokensOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}\p{M}]+(?:['-][\p{L}\p{N}\p{M}]+)*/gu) ?? []
  )
}

/**
 * Whether a reply asks to stop, anywhere in its text. A false positive costs less than messaging
 * someone who opted out. @param words words and phrases, matched as whole words in order
 */
export function asksToStop(text: string, words: readonly string[]): boolean {
  const said = tokensOf(text)
  return words.some((word) => {
    const phrase = tokensOf(word)
    if (phrase.length === 0) return false
    return said.some(
      (_, at) =>
        phrase.every((token, i) => said[at + i] === token) && !(at > 0 && NEGATIONS.has(said[at - 1] as string)),
    )
  })
}

/** One of our messages in a conversation. */
export interface OwnMessage {
  id: string
  /** When a sender claimed it; null if never. */
  claimedAt: Date | null
  /** It was sent, or a sender owns it now. */
  isOut: boolean
}

/** The message that a reply answers: the last one out before it. Null if they wrote first. */
export function answeredMessage<M extends OwnMessage>(messages: readonly M[], at: Date): M | null {
  let latest: M | null = null
  for (const message of messages) {
    if (!message.isOut || !message.claimedAt || message.claimedAt.getTime() > at.getTime() + CLOCK_SKEW_MS) continue
    if (!latest?.claimedAt || message.claimedAt >= latest.claimedAt) latest = message
  }
  return latest
}

/**
 * Seconds between polls of an account: without a webhook, and with one, to find lost deliveries.
 */
export const POLL_SECONDS = { degraded: 90, live: 6 * 3_600 } as const
