/**
 * Message templates, such as `{first_name}` and `{company|fallback}`, in single or double braces.
 * The server compiles parsed templates to SQL; screens preview them with `fillSegment`. There are no
 * schemas here, so that screens can import this file cheaply.
 */

import { FIRST_NAME } from '../leads/column-names.ts'
import { withoutBraces } from '../message-value.ts'

/** Maximum length of a direct message on X. */
export const MESSAGE_MAX = 10_000

/** Part of a template: plain text or a variable. */
export type Segment =
  | { kind: 'words'; words: string }
  | { kind: 'name'; fallback: string }
  | { kind: 'firstName'; fallback: string }
  | { kind: 'handle' }
  /** The lead's approved opener. */
  | { kind: 'opener'; fallback: string }
  /** A column of the imported file. */
  | { kind: 'variable'; key: string; fallback: string }
export type Template = Segment[]

/** A part that no data can fill. Templates that contain one are rejected. */
export interface UnknownVariable {
  kind: 'unknown'
  written: string
  /** The correct spelling; null if it is unclear which variable is meant, if any. */
  instead: string | null
}

/** The data that fills a template. */
export interface Recipient {
  name: string
  /** Null if unknown. */
  firstName: string | null
  /** The handle, with or without the @. */
  twitterHandle: string
  metadata: Record<string, unknown>
  /** Only set if the opener is approved. */
  opener?: string | null
}

/** Replaces an unknown name, unless the template has its own fallback. */
export const NAME_FALLBACK = 'there'
/** Reserved: no column can have this name. */
const OPENER = 'ai_opener'
/** Valid variable names. Most other text in single braces, such as `{1}` or `{"a": 1}`, is plain text. */
const VARIABLE_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_ .-]{0,99}$/u
const VARIABLE = /(\{{1,9})([^{}|]*)((?:\|[^{}|]*)*)(\}{1,9})/g
/** A person's names, as people and other tools spell them. */
const FIRST_NAMES = 'first[ _-]?name|fname'
const NAMES = 'lead[ _-]?name|(?:last|full)[ _-]?name|l?name'
const HANDLES = '(?:twitter[ _-]?|x[ _-]?)?handle|(?:user|screen)[ _-]?name'
const KNOWN = `(?:${FIRST_NAMES}|${NAMES}|${HANDLES}|company(?:[ _]?name)?|ai_opener)`
/** Owners of a name, in placeholders such as "recipient.name" and "the lead's first name". */
const THEIRS = '(?:recipient|prospect|contact|client|customer|person|user|lead|subscriber|their)'
/** Words in placeholders that refer to the sender, or tell someone to fill them in. */
const OURS = '(?:your|my|our|sender|insert|enter|add|the)'
const NAMED = `(?:${OURS}[ ._-])?(?:${THEIRS}(?:['\u2019]s)?[ ._-])?${KNOWN}`
/** Marks between braces and a name, as in `{**name**}` and `{"name"}`. */
const MARKS = '[ \\t\\u00a0"\'\u201c\u201d\u2018\u2019`*~()[\\]<>=!?+#$%&@:;.,/\\\\^\\d-]{1,6}'
/** Braces, including those of other scripts. UNOPENED and UNCLOSED match unpaired ones. */
const OPENING = '[{\\uff5b\\ufe5b\\u2774]{1,9}'
const CLOSING = '[}\\uff5d\\ufe5c\\u2775]{1,9}'
const UNOPENED = `(?<!\\{[^{}]*)${CLOSING}`
const UNCLOSED = `${OPENING}(?!\\{|[^{}]*\\})`
/** Text that looks like a variable but is not one: it lacks braces, or belongs to another tool. */
const LEFTOVER = new RegExp(
  [
    '\\{{1,9}\\s*[\\p{L}_][\\p{L}\\p{M}\\p{N}_ .-]{0,99}\\|[^{}\\n]{0,100}',
    `${OPENING}${MARKS}${NAMED}(?![\\p{L}\\p{N}_])(?:(?:${MARKS})?${CLOSING})?`,
    `(?<![\\p{L}\\p{N}_])${KNOWN}${MARKS}${CLOSING}`,
    `(?:${OPENING}|${UNOPENED})[ \\t\\u00a0]*${KNOWN}(?![\\p{L}\\p{N}_])`,
    `(?<![\\p{L}\\p{N}_])${KNOWN}[ \\t\\u00a0]*(?:${CLOSING}|${UNCLOSED})`,
    `(?<![\\p{L}\\p{N}_])${KNOWN}\\|(?!\\s)[^{}|\\n]{0,40}${CLOSING}`,
    '\\[\\[[^[\\]\\n]{1,100}\\]\\]',
    '<<[^<>\\n]{1,100}>>',
    '<%[^\\n]{0,100}?%>',
    '\\{%[^\\n]{0,100}?%\\}',
    '\\*\\|[^|\\n]{1,100}\\|\\*',
    '\\|\\*[^|*\\n]{1,100}\\*\\|',
    '%%[^%\\s]{1,100}%%',
    `\\[ ?${NAMED} ?\\]`,
    `< ?${NAMED} ?>`,
    `%${NAMED}%`,
    `[$#@&]\\( ?${NAMED} ?\\)`,
    `\\$${KNOWN}(?![\\p{L}\\p{N}_])`,
    `%\\(${KNOWN}\\)s?`,
    `\\(\\( ?${NAMED} ?\\)\\)`,
    `(?<![\\p{L}\\p{N}_])_{2,3}${KNOWN}_{2,3}(?![\\p{L}\\p{N}_])`,
    `(?<![\\p{L}\\p{N}])(?<mark>[~#|^:@])\\k<mark>?${KNOWN}\\k<mark>{1,2}(?![\\p{L}\\p{N}])`,
  ].join('|'),
  'giu',
)
/** Like LEFTOVER, and also matches two or more braces without a variable. */
const LEFTOVER_OR_BRACES = new RegExp(`${LEFTOVER.source}|\\{{2,}|\\}{2,}`, LEFTOVER.flags)
/** A sign that would remain before a variable's value: some tools write signs before their braces. */
const SIGN = /[$#%]{1,9}$|(?<![\p{L}\p{N}])&$|[@\uff20]{1,9}$/u
/** A filter of Liquid, Jinja or Django where a fallback should be. */
const FILTER = /^[a-z_]+ ?(?:: ?["'\u201c\u2018\d]|\()/i
/** Filters without an argument, which only count in double braces. */
const BARE_FILTER = 'capitali[sz]e|capfirst|title(?:case|ize)?|upcase|downcase|upper|lower|trim|strip|escape'
const FILTER_OR_WORD = new RegExp(`${FILTER.source}|^(?:${BARE_FILTER})$`, 'i')
/** Unmatched braces before a variable. */
const BEFORE = new RegExp(`\\{+[^{}]*$|${UNOPENED}[ \\t\\u00a0]*$`)
const AFTER = new RegExp(`^(?:[ \\t\\u00a0]*${CLOSING}|${UNCLOSED})`)
/** Invisible characters, which copied text can contain. */
const INVISIBLE = /[\p{Cf}\p{DI}]/gu
/** The characters that JavaScript and SQL both trim. */
export const BLANKS = ' \t\n\r\f\v\u00a0'
const AROUND = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, 'g')

/** A parsed part of a template, with its source text. */
interface WrittenSegment {
  segment: Segment | UnknownVariable
  written: string
}

/** Splits a template into its parts. Columns need a fallback, so that no message has a gap. */
export function readSegments(source: string): (Segment | UnknownVariable)[] {
  return readWritten(source).map(({ segment }) => segment)
}

/** Like `readSegments`, but also returns each part as written. Joined, the written parts are the template. */
export function readWritten(source: string): WrittenSegment[] {
  const visible = source.replace(INVISIBLE, '')
  const parts = readVisible(visible)
  return visible === source ? parts : withInvisible(parts, source)
}

/** Splits a template without invisible characters into its parts. */
function readVisible(source: string): WrittenSegment[] {
  const parts: WrittenSegment[] = []
  let end = 0
  for (const match of source.matchAll(VARIABLE)) {
    const segment = segmentFrom(match)
    if (!segment) continue
    const before = source.slice(end, match.index)
    // A brace left around a variable would be sent.
    const last = before.search(BEFORE)
    const opening = last < 0 || before.slice(last).match(LEFTOVER) ? '' : before.slice(last)
    const closing = source.slice(match.index + match[0].length).match(AFTER)?.[0] ?? ''
    const sign = opening ? '' : (before.match(SIGN)?.[0] ?? '')
    const isPart = segment.kind !== 'unknown' && sign !== '' && isSignOf(segment, sign)
    parts.push(...wordsOf(before.slice(0, before.length - opening.length - (isPart ? sign.length : 0))))
    const written = opening + (isPart ? sign : '') + match[0] + closing
    const isWhole = opening + closing === '' && (!isPart || (segment.kind === 'handle' && /^[@\uff20]/.test(sign)))
    const isMention = (segment.kind === 'name' || segment.kind === 'firstName') && /^[@\uff20]/.test(sign)
    const instead = () => (isMention ? '{twitter_handle}' : insteadOf(match[2], match[3]))
    parts.push({ segment: isWhole ? segment : unknown(written, instead()), written })
    end = match.index + match[0].length + closing.length
  }
  parts.push(...wordsOf(source.slice(end)))
  return parts
}

/** Whether a sign before a variable is part of the text, as in prices ("${price|100}") and hashtags. */
function isSignOf(segment: Segment, sign: string): boolean {
  if (segment.kind !== 'variable') return true
  return sign.startsWith('$') && !/\p{N}/u.test(segment.fallback)
}

/** Restores the invisible characters of plain text and fallbacks, which emoji and Persian need. */
function withInvisible(parts: WrittenSegment[], source: string): WrittenSegment[] {
  const characters = [...source]
  let at = 0
  const isInvisible = () => at < characters.length && characters[at]?.search(INVISIBLE) === 0
  const wordsFrom = (from: number): WrittenSegment[] => {
    while (isInvisible()) at++
    const words = characters.slice(from, at).join('')
    return words === '' ? [] : [{ segment: { kind: 'words', words }, written: words }]
  }
  const result = wordsFrom(0)
  for (const { segment, written } of parts) {
    const from = at
    for (let left = written.length; left > 0; at++) if (!isInvisible()) left -= characters[at]?.length ?? left
    if (segment.kind === 'words') result.push(...wordsFrom(from))
    else {
      const own = characters.slice(from, at).join('')
      const fallback = /\|([^}]*)\}/.exec(own)?.[1]
      result.push(
        {
          segment: 'fallback' in segment && fallback ? { ...segment, fallback: trim(fallback) } : segment,
          written: own,
        },
        ...wordsFrom(at),
      )
    }
  }
  return result
}

/** Parses a template. @returns the template, or the first unknown variable */
export function parseTemplate(source: string): { template: Template } | { unknown: UnknownVariable } {
  const template: Template = []
  for (const segment of readSegments(source)) {
    if (segment.kind === 'unknown') return { unknown: segment }
    template.push(segment)
  }
  return { template }
}

/** Returns the first part of a rendered message that looks like a variable in braces; null if none does. */
export function leftoverIn(message: string): string | null {
  if (!/[{}]/.test(message)) return null
  // A value can precede a brace that is part of the text, as in "name|us1}".
  const isVariable = ({ segment, written }: WrittenSegment) =>
    segment.kind !== 'words' && /[{}]/.test(written) && !/^[^{]+\|/.test(written)
  const left = readWritten(message).find(isVariable)
  return left?.written ?? null
}

/** Returns why a template is rejected, and what to write instead. */
export function unknownText({ written, instead }: UnknownVariable): string {
  const use =
    instead === null
      ? 'Use {first_name}, {lead_name}, {twitter_handle}, or a column of your leads with a fallback, such as {company|your team}.'
      : `Write ${instead}.`
  return `Unknown variable ${written}. ${use}`
}

const unknown = (written: string, instead: string | null): UnknownVariable => ({ kind: 'unknown', written, instead })

/** Returns the variable in a pair of braces; null if the braces contain plain text. */
function segmentFrom([written, opening = '', inside = '', rest = '', closing = '']: RegExpMatchArray):
  | Segment
  | UnknownVariable
  | null {
  const name = trim(inside)
  if (!VARIABLE_NAME.test(name))
    return name === '' || rest !== '' || (opening.length > 1 && closing.length > 1) ? unknown(written, null) : null
  const isClosed = opening.length === closing.length && opening.length < 3
  const isFilter = (opening.length > 1 ? FILTER_OR_WORD : FILTER).test(fallbackOf(rest))
  const segment = isClosed && !isFilter ? segmentOf(name, rest) : null
  if (segment) return segment
  return unknown(
    written,
    isClosed && !isFilter ? personOf(inside, rest) : insteadOf(inside, isFilter ? filled(rest) : rest),
  )
}

/** Returns the first fallback; '' if there is none. @param rest fallbacks with their bars */
const fallbackOf = (rest: string) => trim(rest.split('|')[1] ?? '')

/** Turns the default value of a template filter into a fallback with its bar; '' if it has no default. */
function filled(rest: string): string {
  const text = /^default\w* ?[:(] ?(?:true, ?)?["'\u201c\u2018]([^"'\u201d\u2019]+)/i.exec(fallbackOf(rest))?.[1]
  return text === undefined ? '' : `|${text}`
}

/** Splits plain text into words and text that looks like a variable to a reader. */
function wordsOf(words: string): WrittenSegment[] {
  const parts: WrittenSegment[] = []
  const takeWords = (written: string) => {
    if (written !== '') parts.push({ segment: { kind: 'words', words: written }, written })
  }
  let end = 0
  for (const { 0: written, index } of words.matchAll(LEFTOVER_OR_BRACES)) {
    takeWords(words.slice(end, index))
    parts.push({ segment: unknown(written, insteadOf(written)), written })
    end = index + written.length
  }
  takeWords(words.slice(end))
  return parts
}

/** Returns the name and the fallback in text that looks like a variable. @param rest fallbacks with their bars */
function namedIn(written: string, rest: string): { key: string; bar: string } {
  const bare = written.replace(/^(?:[^\p{L}_]+|__+)|(?:[^\p{L}\p{M}\p{N}_]+|__+|\)s)$/gu, '')
  const [name = '', fallback] = `${bare}${rest}`.split('|')
  return { key: trim(name), bar: fallback === undefined ? '' : `|${trim(fallback)}` }
}

/** Returns the variable for a person's name or handle that was probably meant; null if it was another variable. */
function personOf(written: string, rest = ''): string | null {
  const { key, bar } = namedIn(written, rest)
  const is = (names: string) => new RegExp(`^(?:${THEIRS}(?:['\u2019]s)?[ ._-]?)?(?:${names})$`, 'i').test(key)
  if (new RegExp(`^(?:${HANDLES})$`, 'i').test(key)) return '{twitter_handle}'
  if (is(FIRST_NAMES)) return `{first_name${bar}}`
  if (is(NAMES)) return `{lead_name${bar}}`
  return is(HANDLES) ? '{twitter_handle}' : null
}

/** Returns the variable that was probably meant; null if unclear. @param rest fallbacks with their bars */
function insteadOf(written = '', rest = ''): string | null {
  const person = personOf(written, rest)
  if (person) return person
  const { key, bar } = namedIn(written, rest)
  if (new RegExp(`^${OURS}[ ._-]`, 'i').test(key)) return null
  return VARIABLE_NAME.test(key) && !/^(?:if|else|end|for|unless)\b/i.test(key)
    ? `{${key}${bar || '|your text'}}`
    : null
}

function segmentOf(name: string, rest: string): Segment | null {
  const fallbacks = rest === '' ? [] : rest.slice(1).split('|').map(trim)
  if (fallbacks.length > 1) return null
  const key = lowerAscii(name)
  if (key === 'lead_name' || key === 'name') return { kind: 'name', fallback: fallbacks[0] ?? NAME_FALLBACK }
  if (FIRST_NAME.test(key)) return { kind: 'firstName', fallback: fallbacks[0] ?? NAME_FALLBACK }
  if (key === 'twitter_handle' || key === 'handle') return { kind: 'handle' }
  if (fallbacks[0] === undefined) return null
  return key === OPENER ? { kind: 'opener', fallback: fallbacks[0] } : { kind: 'variable', key, fallback: fallbacks[0] }
}

/** Returns the text of one segment for a lead. */
export function fillSegment(segment: Segment, lead: Recipient): string {
  if (segment.kind === 'words') return segment.words
  if (segment.kind === 'handle') return `@${lead.twitterHandle.replace(/^@+/, '')}`
  if (segment.kind === 'name') return withoutBraces(trim(lead.name)) || segment.fallback
  if (segment.kind === 'firstName') return withoutBraces(trim(lead.firstName ?? '')) || segment.fallback
  if (segment.kind === 'opener') return lead.opener || segment.fallback
  return withoutBraces(variableOf(lead.metadata, segment.key)) || segment.fallback
}

/**
 * Returns the value of a column. Among columns that differ only in case, the first non-blank one by
 * code point wins. Only texts count; '' if there is none.
 */
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

/** Lowercases only A to Z, because PostgreSQL and JavaScript differ on other letters. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
