/* Prepares values from people and files for messages. */

/** Bidi and zero-width marks, except joiners, which emoji and Persian need. */
const MARKS = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
/** Words that mean "no value". Those in EMPTY_CODE do so only in these spellings: Nan, for example, is a name. */
const EMPTY_WORD =
  /^(?:[-\u2010-\u2015\u2212_.]+|[([<]?(?:null|undefined|none|tbd|tba|#?n ?[/\\] ?a|n\.a\.?|#(?:ref|value|name|null|num|div\/0)[!?])[)\]>]?)$/i
const EMPTY_CODE = /^(?:NA|NaN|nan|nil|NIL)$/

/** A variable that another tool failed to fill. */
const UNFILLED = /^(?:\{+[^{}]*\}+|\[\[[^[\]]*\]\]|\*\|[^|]*\|\*|<%[^%]*%>)$/

/** Returns the text on one line, without marks that change how it is displayed. */
export function oneLine(text: string): string {
  const visible = text.replace(MARKS, '')
  const line = visible.replace(BREAKS, ' ')
  return (line === visible ? line : line.replace(/ +/g, ' ')).trim()
}

/** Returns a name or another value on one line and without braces, for messages; '' if it means "no value". */
export function messageValue(text: string): string {
  const line = oneLine(text)
  if (EMPTY_WORD.test(line) || EMPTY_CODE.test(line) || UNFILLED.test(line)) return ''
  return withoutBraces(line)
}

/** Replaces braces by parentheses, because in a message they would look like variables. */
export function withoutBraces(text: string): string {
  return text.replaceAll('{', '(').replaceAll('}', ')')
}
