/**
 * Something that X sent and we cannot read. `event`: a delivery; `group`: a delivery about a group;
 * `account`: a delivery about an account that is not connected; `answer`: a call's response; `error`:
 * an error that is not in the table of errors; `parameter`: a parameter that X refused.
 */
export interface XNote {
  source: 'event' | 'group' | 'account' | 'answer' | 'error' | 'parameter'
  /** The type of event, or the call with its status: 'GET /2/dm_events 418'. */
  name: string
  /** The names of the fields. Never values, which are people's data. */
  keys: readonly string[]
}

/** Counts and logs what cannot be read. */
export type XReport = (note: XNote) => void

const DEPTH_MAX = 8
const KEYS_MAX = 40
const ENTRIES_MAX = 20

/** The names of a value's innermost fields as paths ('data[].id'), at most 40. Names that are data become '*'. */
export function keysOf(value: unknown): string[] {
  const keys = new Set<string>()
  const visit = (part: unknown, path: string, depth: number) => {
    const inner = depth < DEPTH_MAX ? entriesOf(part) : []
    if (keys.size >= KEYS_MAX) return
    if (inner.length === 0 && path !== '') keys.add(path)
    for (const [name, entry] of inner) visit(entry, `${path}${name}`, depth + 1)
  }
  visit(value, '', 0)
  return [...keys].map((path) => path.replace(/^\./, '')).sort()
}

function entriesOf(part: unknown): [string, unknown][] {
  if (Array.isArray(part)) return part.slice(0, ENTRIES_MAX).map((entry) => ['[]', entry])
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part)
    .slice(0, ENTRIES_MAX)
    .map(([name, entry]) => [/^[a-z][a-z_.]{0,39}$/i.test(name) ? `.${name}` : '.*', entry])
}
