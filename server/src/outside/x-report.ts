/**
 * Something that X sent and we cannot read. `event`: a delivery; `group`: a delivery about a group;
 * `answer`: the answer of a call; `error`: an error that the table of errors does not know;
 * `parameter`: a parameter that X refused.
 */
export interface XNote {
  source: 'event' | 'group' | 'answer' | 'error' | 'parameter'
  /** The type of event, or the call with its status: 'GET /2/dm_events 418'. */
  name: string
  /** The names of its fields. Never values, which are people's data. */
  keys: readonly string[]
}

/** Counts and logs what cannot be read. */
export type XReport = (note: XNote) => void

const DEPTH_MAX = 5
const KEYS_MAX = 40
const ENTRIES_MAX = 20

/** The names of a value's fields as paths ('data[].id'), sorted, at most 40. Names that are data become '*'. */
export function keysOf(value: unknown): string[] {
  const keys = new Set<string>()
  const visit = (part: unknown, path: string, depth: number) => {
    if (depth > DEPTH_MAX || keys.size >= KEYS_MAX) return
    if (Array.isArray(part)) for (const entry of part.slice(0, ENTRIES_MAX)) visit(entry, `${path}[]`, depth)
    else if (typeof part === 'object' && part !== null)
      for (const [name, inner] of Object.entries(part).slice(0, ENTRIES_MAX)) {
        const known = /^[a-z][a-z_.]{0,39}$/i.test(name) ? name : '*'
        const inside = path ? `${path}.${known}` : known
        if (keys.size < KEYS_MAX) keys.add(inside)
        visit(inner, inside, depth + 1)
      }
  }
  visit(value, '', 0)
  return [...keys].sort()
}
