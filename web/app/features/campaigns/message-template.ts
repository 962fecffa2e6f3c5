/** Part of a message as one lead would read it. */
export interface Piece {
  /** `filled` came from the lead (or from the place's fallback); `unknown` is a place that nothing fills: the API refuses it. */
  kind: 'words' | 'filled' | 'unknown'
  text: string
}

/** What fills a template: a lead, as far as a template can ask. */
export interface Recipient {
  name: string
  /** With or without its @. */
  twitterHandle: string
  metadata: Record<string, unknown>
}

/** Stands in where no list is picked, or where it is empty. */
export const exampleLead: Recipient = { name: 'Maya Okafor', twitterHandle: 'mayabuilds', metadata: {} }

/** Places to insert with one press, with what each becomes. */
export const offeredPlaces = [
  { text: '{lead_name}', words: "The lead's name, or “there” where it is missing" },
  { text: '{twitter_handle}', words: 'The handle on X, with its @' },
  { text: '{company|your team}', words: 'A column of your CSV file, and what stands where it is empty' },
] as const

const NAME_FALLBACK = 'there'
/** Anything else in braces is words, as they stand. */
const PLACE_NAME = /^[\p{L}_][\p{L}\p{N}_ .-]{0,99}$/u
const PLACE = /\{\{([^{}|]*)\}\}|\{([^{}|]*)((?:\|[^{}|]*)*)\}/g

/**
 * A template as one lead would read it, in pieces, for the preview. The API fills templates by the same rules (domain rules, Sending) and decides;
 * this only shows early what it will say.
 */
export function previewOf(template: string, lead: Recipient): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  const takeWords = (text: string) => {
    const last = pieces.at(-1)
    if (last?.kind === 'words') last.text += text
    else if (text !== '') pieces.push({ kind: 'words', text })
  }
  for (const match of template.matchAll(PLACE)) {
    const [written, doubled, single, rest = ''] = match
    const name = (doubled ?? single ?? '').trim()
    takeWords(template.slice(end, match.index))
    end = match.index + written.length
    if (!PLACE_NAME.test(name)) {
      takeWords(written)
      continue
    }
    const filled = doubled === undefined ? filledBy(lead, name.toLowerCase(), rest) : null
    pieces.push(filled === null ? { kind: 'unknown', text: written } : { kind: 'filled', text: filled })
  }
  takeWords(template.slice(end))
  return pieces
}

/** Places that nothing fills, as they were written. */
export function unknownPlaces(template: string): string[] {
  const unknown = previewOf(template, exampleLead).filter((piece) => piece.kind === 'unknown')
  return [...new Set(unknown.map((piece) => piece.text))]
}

/** @param rest what stands behind the name: '' or '|fallback' @returns null where the place is unknown */
function filledBy(lead: Recipient, name: string, rest: string): string | null {
  const [, fallback, ...more] = rest.split('|').map((part) => part.trim())
  if (more.length > 0) return null
  if (name === 'lead_name') return lead.name.trim() || (fallback ?? NAME_FALLBACK)
  if (name === 'twitter_handle') return `@${lead.twitterHandle.replace(/^@+/, '')}`
  // A column may be empty for some lead, so it needs its fallback: no message has a hole.
  return fallback === undefined ? null : columnOf(lead.metadata, name) || fallback
}

function columnOf(metadata: Record<string, unknown>, name: string): string {
  const filled = Object.keys(metadata)
    .filter((key) => key.toLowerCase() === name)
    .sort()
    .map((key) => metadata[key])
    .filter((value): value is string => typeof value === 'string' && value.trim() !== '')
  return filled[0]?.trim() ?? ''
}
