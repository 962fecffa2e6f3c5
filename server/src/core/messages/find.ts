import { CLOCK_SKEW_MS } from '@x-automated/contract/outreach/sending'
import { sql } from 'drizzle-orm'
import type { XMessage } from '../../outside/x-schemas.ts'
import { withAccount } from '../neighbors.ts'

/*
 * X has no idempotency key, so a message's conversation is read to find out whether the message was
 * sent. A reading that could have missed it proves nothing, so the message is not sent again.
 */

type Needs = Parameters<typeof withAccount>[0]

/**
 * Whether a conversation shows a message. `absent`: it is certainly not there. `uncertain`: it may
 * or may not be.
 */
export type Reading = { kind: 'found'; id: string; at: Date } | { kind: 'absent' } | { kind: 'uncertain' }

/** A message that may have been sent since `since`. */
interface Sought {
  text: string
  /** The X id of the account that sends it. */
  senderId: string
  since: Date
}

/** Messages per page. X charges for each message that it lists, so pages are small. */
const PAGE_SIZE = 10
/** After this many pages, a reading gives up. */
const PAGES_MAX = 10

/** Looks for a message in its conversation at X. @param sent.id the id of the message's row @throws XError */
export async function findInConversation(
  needs: Needs,
  sent: { id: string; accountId: string; senderId: string; message: string; recipientId: string; since: Date },
): Promise<Reading> {
  const listed = await listConversation(needs, sent)
  const { rows } = await needs.database.db.execute<{ id: string; isEarlier: boolean }>(sql`
    select x_event_id as id, claimed_at < ${sent.since.toISOString()}::timestamptz as "isEarlier" from dms
    where x_event_id = any(${sql.param(listed.messages.map(({ id }) => id))}::text[])
      and id <> ${sent.id}
      and lead_id is not null`)
  const recorded = new Map(rows.map(({ id, isEarlier }) => [id, isEarlier]))
  return readingOf(listed, { text: sent.message, senderId: sent.senderId, since: sent.since }, recorded)
}

/** A conversation's messages, newest first. */
interface Listed {
  messages: readonly XMessage[]
  /** X says that the conversation has no messages. */
  isEmpty: boolean
}

/** Lists a conversation back to `since`. @throws XError */
async function listConversation(
  needs: Needs,
  { accountId, recipientId, since }: { accountId: string; recipientId: string; since: Date },
): Promise<Listed> {
  const messages: XMessage[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await withAccount(needs, accountId, (x, accessToken) =>
      x.listMessages(accessToken, recipientId, { cursor, size: PAGE_SIZE }),
    )
    messages.push(...page.messages)
    cursor = page.next
    if (!cursor || messages.some((message) => isOlder(message, since)))
      return { messages, isEmpty: messages.length === 0 && page.isEmpty }
  }
  return { messages, isEmpty: false }
}

const isOlder = ({ at }: { at: Date }, since: Date) => at.getTime() < since.getTime() - CLOCK_SKEW_MS
/** Whether messages are in the order of X's lists: newest first. */
function isDescending(messages: readonly { at: Date }[]): boolean {
  return messages.every(({ at }, index) => index === 0 || at <= (messages[index - 1] as { at: Date }).at)
}

/**
 * Decides whether a listed conversation shows a message. The message is absent only if the list is
 * in order and reaches an earlier message, because a page may end early. A message from the account
 * that no row explains may be this one in an altered form. @param recorded X ids of our other
 * recorded messages, and whether each was sent earlier
 */
export function readingOf(
  { messages, isEmpty }: Listed,
  sent: Sought,
  recorded: ReadonlyMap<string, boolean>,
): Reading {
  const match = findSentMessage(messages, sent, recorded)
  if (match) return { kind: 'found', id: match.id, at: match.at }
  const isEarlier = (message: XMessage) => isOlder(message, sent.since) || recorded.get(message.id) === true
  const isUnexplained = (message: XMessage) =>
    message.senderId === sent.senderId && !recorded.has(message.id) && !isOlder(message, sent.since)
  const isComplete = isEmpty || (isDescending(messages) && messages.some(isEarlier))
  return isComplete && !messages.some(isUnexplained) ? { kind: 'absent' } : { kind: 'uncertain' }
}

/** The fields of a message at X that a comparison uses. */
type ComparedMessage = Pick<XMessage, 'id' | 'senderId' | 'text' | 'at' | 'links'>

/**
 * Finds our message in a conversation: it is from `senderId`, has our text and is not older than
 * `since`. If several match, the last in the list counts. @param recorded X ids already recorded for
 * our other messages
 */
export function findSentMessage<M extends ComparedMessage>(
  messages: readonly M[],
  sent: Sought,
  recorded: Pick<ReadonlySet<string>, 'has'>,
): M | null {
  const ours = messages.filter(
    (message) =>
      message.senderId === sent.senderId &&
      !recorded.has(message.id) &&
      !isOlder(message, sent.since) &&
      isSameText(sent.text, message),
  )
  return ours.at(-1) ?? null
}

/**
 * Whether a message at X has this text, ignoring what X changes. If X names the addresses behind
 * its t.co links, they must be ours; otherwise all links count as equal.
 */
export function isSameText(text: string, message: Pick<XMessage, 'text' | 'links'>): boolean {
  const [ours, theirs] = [comparable(text), comparable(message.text)]
  if (ours.text !== theirs.text) return false
  const named = new Map(message.links?.map(({ url, expandedUrl }) => [addressOf(url), addressOf(expandedUrl)]))
  return theirs.links.every((link, index) => !named.has(link) || named.get(link) === ours.links[index])
}

const LINK = /(?:https?:\/\/)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?::\d+)?(?:[/?#](?:\S*[^\s.,;:!?'")\]])?)?/giu
/** The character that replaces each link before a comparison. */
const LINK_SIGN = '\u{1F517}'

/**
 * A text without the differences that X may cause: Unicode normalization, invisible characters,
 * skin tones, HTML entities, white space and links.
 */
function comparable(text: string): { text: string; links: string[] } {
  const links: string[] = []
  const plain = decoded(text)
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/gu, '')
    .replace(LINK, (link) => {
      links.push(addressOf(link))
      return LINK_SIGN
    })
    .replace(/\s+/g, ' ')
    .trim()
  return { text: plain, links }
}

/** A link's address without its protocol, normalized as in browsers. */
function addressOf(link: string): string {
  const rest = link.replace(/^https?:\/\//i, '')
  if (!URL.canParse(`http://${rest}`)) return rest
  const { host, pathname, search, hash } = new URL(`http://${rest}`)
  return `${host}${pathname === '/' ? '' : pathname}${search}${hash}`
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
/** How many times entities are decoded, because X may have escaped them more than once. */
const DECODE_MAX = 3

function decoded(text: string): string {
  let plain = text
  for (let round = 0; round < DECODE_MAX; round += 1) {
    plain = plain.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,4}));/gi, (entity, decimal, hex, name) => {
      if (name) return ENTITIES[name.toLowerCase()] ?? entity
      return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
    })
  }
  return plain
}
