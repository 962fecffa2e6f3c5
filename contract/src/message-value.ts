/* Values that people and files give, as they go into messages. */

/** Bidi and zero-width marks. Joiners are not among them: emoji and Persian need them. */
const MARKS = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
/** What programs and people write for nothing. In other case, NA, NaN and nil are names. */
const EMPTY_WORD = /^(?:[-\u2010-\u2015\u2212_.]+|[([<]?(?:null|undefined|none|tbd|tba|#?n\/a)[)\]>]?)$/i
const EMPTY_CODE = /^(?:NA|NaN|nan|nil|NIL)$/

/** A variable that another tool did not fill. */
const UNFILLED = /^(?:\{+[^{}]*\}+|\[\[[^[\]]*\]\]|\*\|[^|]*\|\*|<%[^%]*%>)$/

/** A text as one line, without marks that change how it is read. */
export function oneLine(text: string): string {
  const visible = text.replace(MARKS, '')
  const line = visible.replace(BREAKS, ' ')
  return (line === visible ? line : line.replace(/ +/g, ' ')).trim()
}

/**
 * A name or another value for messages, as one line; '' if it only says that there is none. Without
 * braces.
 */
export function messageValue(text: string): string {
  const line = oneLine(text)
  if (EMPTY_WORD.test(line) || EMPTY_CODE.test(line) || UNFILLED.test(line)) return ''
  return withoutBraces(line)
}

/** Braces as parentheses: in a message they would look like variables. */
export function withoutBraces(text: string): string {
  return text.replaceAll('{', '(').replaceAll('}', ')')
}
