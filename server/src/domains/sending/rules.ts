import { type SQL, sql } from 'drizzle-orm'

/** Part of a message template: words as they stand, or a place that each lead fills. */
export type Segment =
  | { kind: 'words'; words: string }
  | { kind: 'name'; fallback: string }
  | { kind: 'handle' }
  /** A column of the imported file. */
  | { kind: 'variable'; key: string; fallback: string }
export type Template = Segment[]

/** What fills a template. */
export interface Recipient {
  name: string
  /** With or without its @. */
  twitterHandle: string
  metadata: Record<string, unknown>
}

const NAME_FALLBACK = 'there'
/** What a place in a template may be called; `{}` or `{"a": 1}` are words. */
const PLACE_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_ .-]{0,99}$/u
const PLACE = /\{\{([^{}|]*)\}\}|\{([^{}|]*)((?:\|[^{}|]*)*)\}/g
/** Trimmed by exactly these, here and in SQL. */
const BLANKS = ' \t\n\r\f\v\u00a0'
const AROUND = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, 'g')

/**
 * Reads `{lead_name}`, `{twitter_handle}` and `{a column|its fallback}`, whatever their case. A column needs its fallback, so that no message has a hole.
 * @returns the template, or the first place that nothing is known to fill, as it was written
 */
export function parseTemplate(source: string): { template: Template } | { unknown: string } {
  const template: Template = []
  let end = 0
  const takeWords = (words: string) => {
    const last = template.at(-1)
    if (last?.kind === 'words') last.words += words
    else if (words !== '') template.push({ kind: 'words', words })
  }
  for (const match of source.matchAll(PLACE)) {
    const [written, doubled, single, rest = ''] = match
    const name = trim(doubled ?? single ?? '')
    takeWords(source.slice(end, match.index))
    end = match.index + written.length
    if (!PLACE_NAME.test(name)) {
      takeWords(written)
      continue
    }
    // `{{name}}` and `{{handle}}` are the messenger's own; it will fill them by a second vocabulary here.
    const segment = doubled === undefined ? segmentOf(name, rest) : null
    if (!segment) return { unknown: written }
    template.push(segment)
  }
  takeWords(source.slice(end))
  return { template }
}

function segmentOf(name: string, rest: string): Segment | null {
  const fallbacks = rest === '' ? [] : rest.slice(1).split('|').map(trim)
  if (fallbacks.length > 1) return null
  const key = lowerAscii(name)
  if (key === 'lead_name') return { kind: 'name', fallback: fallbacks[0] ?? NAME_FALLBACK }
  if (key === 'twitter_handle') return { kind: 'handle' }
  return fallbacks[0] === undefined ? null : { kind: 'variable', key, fallback: fallbacks[0] }
}

/** The message for one lead. `compileTemplate` says the same in SQL, for all leads of a list at once. */
export function renderTemplate(template: Template, lead: Recipient): string {
  return template
    .map((segment) => {
      if (segment.kind === 'words') return segment.words
      if (segment.kind === 'handle') return `@${lead.twitterHandle.replace(/^@+/, '')}`
      if (segment.kind === 'name') return trim(lead.name) || segment.fallback
      return variableOf(lead.metadata, segment.key) || segment.fallback
    })
    .join('')
}

/** Of several columns that differ in case only, the first by code point that is not blank. Only text fills a message. */
function variableOf(metadata: Record<string, unknown>, wanted: string): string {
  const keys = Object.keys(metadata).filter((key) => lowerAscii(key) === wanted)
  for (const key of keys.sort()) {
    const value = metadata[key]
    const filled = typeof value === 'string' ? trim(value) : ''
    if (filled !== '') return filled
  }
  return ''
}

/** `renderTemplate` as one SQL expression over a row of leads. Words travel as parameters, never as SQL. */
export function compileTemplate(template: Template, lead: { name: SQL; twitterHandle: SQL; metadata: SQL }): SQL {
  const parts = template.map((segment) => {
    if (segment.kind === 'words') return sql`${segment.words}::text`
    if (segment.kind === 'handle') return sql`'@' || ltrim(${lead.twitterHandle}, '@')`
    if (segment.kind === 'name') return sql`coalesce(nullif(${trimmed(lead.name)}, ''), ${segment.fallback}::text)`
    return sql`coalesce((
      select ${trimmed(sql`v.value #>> '{}'`)}
      from jsonb_each(case when jsonb_typeof(${lead.metadata}) = 'object' then ${lead.metadata} else '{}' end) v
      where jsonb_typeof(v.value) = 'string' and ${lowered(sql`v.key`)} = ${segment.key}::text
        and ${trimmed(sql`v.value #>> '{}'`)} <> ''
      order by v.key collate "C" limit 1
    ), ${segment.fallback}::text)`
  })
  return sql`array_to_string(array[${sql.join([sql`''::text`, ...parts], sql`, `)}], '')`
}

function trim(text: string): string {
  return text.replace(AROUND, '')
}
function trimmed(text: SQL): SQL {
  return sql`btrim(${text}, ${BLANKS}::text)`
}

/** Only A to Z, so that PostgreSQL's locale and JavaScript agree. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
function lowered(text: SQL): SQL {
  return sql`translate(${text}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`
}

/** Jitter lengthens the pause between two sends by up to this share. */
const JITTER = 0.2

/** How long an account rests after a send, in seconds. @param random from 0 to 1 */
export function restSeconds(intervalSeconds: number, random: number): number {
  return intervalSeconds * (1 + JITTER * random)
}

/** How long an account rests when X did not take a message for now, in seconds: doubled each time. @param failures in a row, from 1 */
export function backoffSeconds(failures: number): number {
  return Math.min(300, 5 * 2 ** (Math.max(1, failures) - 1))
}

/** Differences between X's clock and ours that a look into a conversation allows for. */
const CLOCK_SKEW_MS = 30_000

/**
 * The message in a conversation that is ours: from our account, with our text, not older than our first try.
 * @param sent what was sent, by whom (X's user id) and since when
 * @param known X's ids of messages that are recorded as others of ours
 */
export function findSentMessage<M extends { id: string; senderId: string; text: string; at: Date }>(
  messages: readonly M[],
  sent: { text: string; senderId: string; since: Date },
  known: ReadonlySet<string>,
): M | null {
  const text = comparable(sent.text)
  const earliest = sent.since.getTime() - CLOCK_SKEW_MS
  const ours = messages.filter(
    (message) =>
      message.senderId === sent.senderId &&
      !known.has(message.id) &&
      message.at.getTime() >= earliest &&
      comparable(message.text) === text,
  )
  return ours.at(-1) ?? null
}

/** X shortens links to t.co, writes `&`, `<` and `>` as entities and normalises what it stores: none of this makes another message. */
function comparable(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(
      /(?:https?:\/\/)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?::\d+)?(?:[/?#](?:\S*[^\s.,;:!?'")\]])?)?/giu,
      '\u{1F517}',
    )
    .replace(/\s+/g, ' ')
    .trim()
}
