/**
 * Message templates with variables like `{lead_name}`, `{column|fallback}` and `{{name}}`: double braces
 * mean the same as single ones.
 * Without schemas: the server compiles parsed templates to SQL, and screens preview them with `fillSegment`.
 */

import { withoutBraces } from '../message-value.ts'

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

/** What nothing fills, as written. Templates that contain one are rejected. */
export interface UnknownPlace {
  kind: 'unknown'
  written: string
  /** The spelling that works; null: no variable is meant, or nobody knows which. */
  instead: string | null
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
/** Valid variable names. Anything else in single braces, such as `{}` or `{"a": 1}`, is plain text. */
const PLACE_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_ .-]{0,99}$/u
const PLACE = /(\{{1,9})([^{}|]*)((?:\|[^{}|]*)*)(\}{1,9})/g
/** Names of a person's own data, as people and other tools spell them. */
const NAMES = 'lead[ _]?name|(?:first|last|full)[ _-]?name|[fl]?name'
const HANDLES = '(?:twitter[ _]?|x[ _]?)?handle|user[ _-]?name'
const KNOWN = `(?:${NAMES}|${HANDLES}|company(?:[ _]?name)?)`
/** Text that reads like a variable and is none: of this grammar without its braces, or of another tool. */
const LEFTOVER = new RegExp(
  [
    `[{}｛｝]{1,9}[ \\t\\u00a0]*(?:lead_name|twitter_handle|ai_opener|name|handle)(?![\\p{L}\\p{N}_])`,
    `(?<![\\p{L}\\p{N}_])(?:lead_name|twitter_handle|ai_opener|name|handle)[ \\t\\u00a0]*[{}｛｝]{1,9}`,
    '\\{{1,9}\\s*[\\p{L}_][\\p{L}\\p{M}\\p{N}_ .-]{0,99}\\|[^{}\\n]{0,100}',
    '\\[\\[[^[\\]\\n]{1,100}\\]\\]',
    '<<[^<>\\n]{1,100}>>',
    '<%[^\\n]{0,100}?%>',
    '\\{%[^\\n]{0,100}?%\\}',
    '\\*\\|[^|\\n]{1,100}\\|\\*',
    '%%[^%\\s]{1,100}%%',
    `\\[ ?${KNOWN} ?\\]`,
    `< ?${KNOWN} ?>`,
    `%${KNOWN}%`,
  ].join('|'),
  'giu',
)
/** The characters that are trimmed, in JavaScript and in SQL. */
export const BLANKS = ' \t\n\r\f\v\u00a0'
const AROUND = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, 'g')

/** A part of a template, and how it is written there. */
export interface WrittenPlace {
  place: Segment | UnknownPlace
  written: string
}

/** Splits a template into its parts. Columns require a fallback, so that no message has a gap. */
export function readPlaces(source: string): (Segment | UnknownPlace)[] {
  return readWritten(source).map(({ place }) => place)
}

/** Like `readPlaces`, with how each part is written. All together are the template. */
export function readWritten(source: string): WrittenPlace[] {
  const parts: WrittenPlace[] = []
  let end = 0
  for (const match of source.matchAll(PLACE)) {
    const place = placeOf(match)
    if (!place) continue
    const before = source.slice(end, match.index)
    // A brace that is open around a variable would be sent.
    const last = before.search(/\{+[^{}]*$/)
    const opening = last < 0 || before.slice(last).match(LEFTOVER) ? '' : before.slice(last)
    const closing = source.slice(match.index + match[0].length).match(/^[ \t\u00a0]*\}+/)?.[0] ?? ''
    parts.push(...wordsOf(before.slice(0, before.length - opening.length)))
    const written = opening + match[0] + closing
    parts.push({ place: written === match[0] ? place : unknown(written, insteadOf(match[2])), written })
    end = match.index + match[0].length + closing.length
  }
  parts.push(...wordsOf(source.slice(end)))
  return parts
}

/** Parses a template. @returns the template, or the first unknown variable */
export function parseTemplate(source: string): { template: Template } | { unknown: UnknownPlace } {
  const template: Template = []
  for (const segment of readPlaces(source)) {
    if (segment.kind === 'unknown') return { unknown: segment }
    template.push(segment)
  }
  return { template }
}

/** What of a rendered message would show its reader a variable in braces; null: nothing. */
export function leftoverIn(message: string): string | null {
  if (!/[{}]/.test(message)) return null
  const left = readWritten(message).find(({ place, written }) => place.kind !== 'words' && /[{}]/.test(written))
  return left?.written ?? null
}

/** Why a template is rejected, and what to write. */
export function unknownText({ written, instead }: UnknownPlace): string {
  const use =
    instead === null
      ? 'Use {lead_name}, {twitter_handle}, or a column of your leads with a fallback, such as {company|your team}.'
      : `Write ${instead}.`
  return `Unknown variable ${written}. ${use}`
}

const unknown = (written: string, instead: string | null): UnknownPlace => ({ kind: 'unknown', written, instead })

/** The variable in braces; null: it is plain text. */
function placeOf([written, opening = '', inside = '', rest = '', closing = '']: RegExpMatchArray):
  | Segment
  | UnknownPlace
  | null {
  const name = trim(inside)
  if (!PLACE_NAME.test(name))
    return opening.length > 1 && closing.length > 1 && name !== '' ? unknown(written, null) : null
  const isClosed = opening.length === closing.length && opening.length < 3
  const segment = isClosed ? segmentOf(name, rest) : null
  return segment ?? unknown(written, isClosed ? null : insteadOf(inside, rest))
}

/** Plain text, and what in it would show a reader our grammar. */
function wordsOf(words: string): WrittenPlace[] {
  const parts: WrittenPlace[] = []
  const takeWords = (written: string) => {
    if (written !== '') parts.push({ place: { kind: 'words', words: written }, written })
  }
  let end = 0
  for (const { 0: written, index } of words.matchAll(LEFTOVER)) {
    takeWords(words.slice(end, index))
    parts.push({ place: unknown(written, insteadOf(written)), written })
    end = index + written.length
  }
  takeWords(words.slice(end))
  return parts
}

/** The variable that is meant. @param rest its fallbacks with their bars */
function insteadOf(written = '', rest = ''): string | null {
  const [name = '', fallback] = `${written.replace(/^[^\p{L}_]+|[^\p{L}\p{M}\p{N}_]+$/gu, '')}${rest}`.split('|')
  const key = trim(name)
  const bar = fallback === undefined ? '' : `|${trim(fallback)}`
  if (new RegExp(`^(?:${NAMES})$`, 'i').test(key)) return `{lead_name${bar}}`
  if (new RegExp(`^(?:${HANDLES})$`, 'i').test(key)) return '{twitter_handle}'
  return PLACE_NAME.test(key) && !/^(?:if|else|end|for|unless)\b/i.test(key) ? `{${key}${bar || '|your text'}}` : null
}

function segmentOf(name: string, rest: string): Segment | null {
  const fallbacks = rest === '' ? [] : rest.slice(1).split('|').map(trim)
  if (fallbacks.length > 1) return null
  const key = lowerAscii(name)
  if (key === 'lead_name' || key === 'name') return { kind: 'name', fallback: fallbacks[0] ?? NAME_FALLBACK }
  if (key === 'twitter_handle' || key === 'handle') return { kind: 'handle' }
  if (fallbacks[0] === undefined) return null
  return key === OPENER ? { kind: 'opener', fallback: fallbacks[0] } : { kind: 'variable', key, fallback: fallbacks[0] }
}

/** The text of one segment for a lead. */
export function fillSegment(segment: Segment, lead: Recipient): string {
  if (segment.kind === 'words') return segment.words
  if (segment.kind === 'handle') return `@${lead.twitterHandle.replace(/^@+/, '')}`
  if (segment.kind === 'name') return withoutBraces(trim(lead.name)) || segment.fallback
  if (segment.kind === 'opener') return lead.opener || segment.fallback
  return withoutBraces(variableOf(lead.metadata, segment.key)) || segment.fallback
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
