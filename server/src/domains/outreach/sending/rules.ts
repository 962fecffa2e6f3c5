import { BLANKS, type Template } from '@x-automated/contract/outreach/template'
import { type SQL, sql } from 'drizzle-orm'

/**
 * Compiles `renderTemplate` to one SQL expression over a row of leads. Text is passed as
 * parameters, never as SQL.
 */
export function compileTemplate(
  template: Template,
  lead: { name: SQL; twitterHandle: SQL; metadata: SQL; opener: SQL },
): SQL {
  const parts = template.map((segment) => {
    if (segment.kind === 'words') return sql`${segment.words}::text`
    if (segment.kind === 'handle') return sql`'@' || ltrim(${lead.twitterHandle}, '@')`
    if (segment.kind === 'name') return sql`coalesce(nullif(${trimmed(lead.name)}, ''), ${segment.fallback}::text)`
    if (segment.kind === 'opener') return sql`coalesce(${lead.opener}, ${segment.fallback}::text)`
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

function trimmed(text: SQL): SQL {
  return sql`btrim(${text}, ${BLANKS}::text)`
}

/** Lowercases only A to Z, so that PostgreSQL and JavaScript agree in every locale. */
function lowered(text: SQL): SQL {
  return sql`translate(${text}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`
}

/** Jitter lengthens the interval by up to this share. */
const JITTER = 0.2

/** The interval to the next message with jitter, in seconds. @param random from 0 to 1 */
export function withJitter(intervalSeconds: number, random: number): number {
  return intervalSeconds * (1 + JITTER * random)
}

/**
 * Seconds to wait after a temporary failure at X; doubles each time, up to 300.
 * @param failures consecutive failures, from 1
 */
export function backoffSeconds(failures: number): number {
  return Math.min(300, 5 * 2 ** (Math.max(1, failures) - 1))
}

/** Tolerated difference between X's clock and ours, in milliseconds. */
export const CLOCK_SKEW_MS = 30_000

/**
 * Finds our message in a conversation: from `senderId`, with our text, not older than `since`.
 * @param known X ids already recorded for other messages of ours
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

/**
 * Removes X's changes to stored text: t.co links, entities for `&`, `<` and `>`, and Unicode
 * normalization.
 */
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
