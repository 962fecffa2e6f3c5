/**
 * Message templates: `{lead_name}`, `{twitter_handle}` and `{a column|its fallback}`, in the messenger also `{{name}}` and `{{handle}}`, whatever their case (domain rules, Sending).
 * Pure and free of schemas: the server fills messages by it, and the screen shows beforehand what each lead will read.
 */

/** Part of a message template: words as they stand, or a place that each lead fills. */
export type Segment =
  | { kind: 'words'; words: string }
  | { kind: 'name'; fallback: string }
  | { kind: 'handle' }
  /** A column of the imported file. */
  | { kind: 'variable'; key: string; fallback: string }
export type Template = Segment[]

/** A place that nothing is known to fill, as it was written: refused when a template is saved. */
export interface UnknownPlace {
  kind: 'unknown'
  written: string
}

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
export const BLANKS = ' \t\n\r\f\v\u00a0'
const AROUND = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, 'g')

/** Whose words a template is in: the messenger knows `{{name}}` and `{{handle}}` beside what campaigns know. */
export type Vocabulary = 'campaign' | 'messenger'

/** Reads a template, in the order in which it is written. A column needs its fallback, so that no message has a hole. */
export function readPlaces(source: string, vocabulary: Vocabulary = 'campaign'): (Segment | UnknownPlace)[] {
  const segments: (Segment | UnknownPlace)[] = []
  let end = 0
  const takeWords = (words: string) => {
    const last = segments.at(-1)
    if (last?.kind === 'words') last.words += words
    else if (words !== '') segments.push({ kind: 'words', words })
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
    const segment =
      doubled === undefined ? segmentOf(name, rest) : vocabulary === 'messenger' ? messengerSegmentOf(name) : null
    segments.push(segment ?? { kind: 'unknown', written })
  }
  takeWords(source.slice(end))
  return segments
}

/** @returns the template, or the first place that nothing is known to fill, as it was written */
export function parseTemplate(
  source: string,
  vocabulary: Vocabulary = 'campaign',
): { template: Template } | { unknown: string } {
  const template: Template = []
  for (const segment of readPlaces(source, vocabulary)) {
    if (segment.kind === 'unknown') return { unknown: segment.written }
    template.push(segment)
  }
  return { template }
}

function messengerSegmentOf(name: string): Segment | null {
  const key = lowerAscii(name)
  if (key === 'name') return { kind: 'name', fallback: NAME_FALLBACK }
  return key === 'handle' ? { kind: 'handle' } : null
}

function segmentOf(name: string, rest: string): Segment | null {
  const fallbacks = rest === '' ? [] : rest.slice(1).split('|').map(trim)
  if (fallbacks.length > 1) return null
  const key = lowerAscii(name)
  if (key === 'lead_name') return { kind: 'name', fallback: fallbacks[0] ?? NAME_FALLBACK }
  if (key === 'twitter_handle') return { kind: 'handle' }
  return fallbacks[0] === undefined ? null : { kind: 'variable', key, fallback: fallbacks[0] }
}

/** What one lead reads in the place of a segment. */
export function fillSegment(segment: Segment, lead: Recipient): string {
  if (segment.kind === 'words') return segment.words
  if (segment.kind === 'handle') return `@${lead.twitterHandle.replace(/^@+/, '')}`
  if (segment.kind === 'name') return trim(lead.name) || segment.fallback
  return variableOf(lead.metadata, segment.key) || segment.fallback
}

/** The message for one lead. */
export function renderTemplate(template: Template, lead: Recipient): string {
  return template.map((segment) => fillSegment(segment, lead)).join('')
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

function trim(text: string): string {
  return text.replace(AROUND, '')
}

/** Only A to Z, so that PostgreSQL's locale and JavaScript agree. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
