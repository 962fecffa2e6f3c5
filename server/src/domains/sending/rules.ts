import { BLANKS, type Template } from '@x-automated/contract/template'
import { type SQL, sql } from 'drizzle-orm'

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

function trimmed(text: SQL): SQL {
  return sql`btrim(${text}, ${BLANKS}::text)`
}

/** Only A to Z, so that PostgreSQL's locale and JavaScript agree. */
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
export const CLOCK_SKEW_MS = 30_000

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
