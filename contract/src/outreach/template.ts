/**
 * Message templates with variables like `{lead_name}`, `{column|fallback}` and `{{name}}`.
 * Without schemas: the server renders messages with it, and screens preview them.
 */

/** Maximum length of a direct message on X. */
export const MESSAGE_MAX = 10_000

/** Part of a template: plain text or a variable. */
export type Segment =
  | { kind: 'words'; words: string }
  | { kind: 'name'; fallback: string }
  | { kind: 'handle' }
  /** The lead's approved opener. */
  | { kind: 'opener'; fallback: string }
  /** A column of the imported file. */
  | { kind: 'variable'; key: string; fallback: string }
export type Template = Segment[]

/** An unknown variable, as written. Templates that contain one are rejected. */
export interface UnknownPlace {
  kind: 'unknown'
  written: string
}

/** The data that fills a template. */
export interface Recipient {
  name: string
  /** With or without the @. */
  twitterHandle: string
  metadata: Record<string, unknown>
  /** Only if it is approved. */
  opener?: string | null
}

const NAME_FALLBACK = 'there'
/** Reserved: no column has this name. */
const OPENER = 'ai_opener'
/** Valid variable names. Anything else in braces, such as `{}` or `{"a": 1}`, is plain text. */
const PLACE_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_ .-]{0,99}$/u
const PLACE = /\{\{([^{}|]*)\}\}|\{([^{}|]*)((?:\|[^{}|]*)*)\}/g
/** The characters that are trimmed, in JavaScript and in SQL. */
export const BLANKS = ' \t\n\r\f\v\u00a0'
const AROUND = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, 'g')

/** Splits a template into its parts. Columns require a fallback, so that no message has a gap. */
export function readPlaces(source: string): (Segment | UnknownPlace)[] {
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
    const segment = doubled === undefined ? segmentOf(name, rest) : doubledSegmentOf(name)
    segments.push(segment ?? { kind: 'unknown', written })
  }
  takeWords(source.slice(end))
  return segments
}

/** Parses a template. @returns the template, or the first unknown variable as written */
export function parseTemplate(source: string): { template: Template } | { unknown: string } {
  const template: Template = []
  for (const segment of readPlaces(source)) {
    if (segment.kind === 'unknown') return { unknown: segment.written }
    template.push(segment)
  }
  return { template }
}

/** `{{name}}` and `{{handle}}`, as the messenger offers them. */
function doubledSegmentOf(name: string): Segment | null {
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
  if (fallbacks[0] === undefined) return null
  return key === OPENER ? { kind: 'opener', fallback: fallbacks[0] } : { kind: 'variable', key, fallback: fallbacks[0] }
}

/** The text of one segment for a lead. */
export function fillSegment(segment: Segment, lead: Recipient): string {
  if (segment.kind === 'words') return segment.words
  if (segment.kind === 'handle') return `@${lead.twitterHandle.replace(/^@+/, '')}`
  if (segment.kind === 'name') return trim(lead.name) || segment.fallback
  if (segment.kind === 'opener') return lead.opener || segment.fallback
  return variableOf(lead.metadata, segment.key) || segment.fallback
}

/** The message for one lead. */
export function renderTemplate(template: Template, lead: Recipient): string {
  return template.map((segment) => fillSegment(segment, lead)).join('')
}

/** Of columns that differ in case, the first non-blank by code point wins. Only texts count. */
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

/** Lowercases A to Z only, because PostgreSQL and JavaScript differ on other letters. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
