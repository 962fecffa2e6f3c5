/** A reply is about something else where one of these stands right before the word: "can't stop reading". */
const NEGATIONS = new Set(["don't", 'dont', "can't", 'cant', 'cannot', "won't", 'wont', 'never', "couldn't", 'couldnt'])

/** Words as they are compared: letters and digits, with what joins them; case, width and signs around them do not matter. */
function tokensOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}\p{M}]+(?:['-][\p{L}\p{N}\p{M}]+)*/gu) ?? []
  )
}

/**
 * Does a reply ask not to be written to any more? Wherever in it a word stands: to pass somebody over who only seems to ask costs less than to go on writing.
 * @param words words and phrases; each counts as whole words in its order
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

/** X's clock and ours may differ by so much, in milliseconds. */
export const CLOCK_SKEW_MS = 30_000

/** A message of ours in a conversation, as far as it says which one a reply answers. */
export interface Written {
  id: string
  /** When it was handed to a sender; null: never. */
  claimedAt: Date | null
  /** It was sent, or is in a sender's hands at this moment. */
  isOut: boolean
}

/** The message that something said at a moment answers: the last that was out by then. Null: they wrote of their own accord. */
export function answeredMessage<M extends Written>(messages: readonly M[], at: Date): M | null {
  let latest: M | null = null
  for (const message of messages) {
    if (!message.isOut || !message.claimedAt || message.claimedAt.getTime() > at.getTime() + CLOCK_SKEW_MS) continue
    if (!latest?.claimedAt || message.claimedAt >= latest.claimedAt) latest = message
  }
  return latest
}

/** How often X is asked about an account that its webhook does not tell us of, and about one that it does, to find what got lost; in seconds. */
export const POLL_SECONDS = { degraded: 90, live: 6 * 3_600 } as const
