import { MESSAGE_MAX, readSegments } from '@x-automated/contract/outreach/template'
import type { LintProblem } from '@x-automated/contract/outreach/writer'
import { LINKS, LONG_MESSAGE, QUESTIONS } from '@x-automated/contract/outreach/writer-text'

/** A sentence with more words than this is hard to read. */
const WORDS_A_SENTENCE = 28
/** How many characters before capitals are searched for the brace of a variable. */
const VARIABLE_MAX = 200
/** From this share of common word triples on, two messages are almost the same. */
const SIMILAR = 0.6

const CAPITALS = /\b\p{Lu}{4,}\b(?:[\s!]+\p{Lu}{2,}\b)*/gu

/** A message that the workspace already sends. */
interface Earlier {
  campaign: string
  messageTemplate: string
}

/** Finds what lowers the reply rate of a message, in the order of its text. */
export function lint(text: string, earlier: readonly Earlier[]): LintProblem[] {
  const problems: LintProblem[] = []
  const add = (code: LintProblem['code'], start: number, end: number, params: LintProblem['params'] = {}) =>
    problems.push({ code, params, start, end })
  const each = (pattern: RegExp, onMatch: (match: RegExpMatchArray & { index: number }) => void) => {
    for (const match of text.matchAll(pattern)) onMatch(match as RegExpMatchArray & { index: number })
  }
  if (text.trim() === '') return []
  if (text.length > MESSAGE_MAX) add('too_long', MESSAGE_MAX, text.length, { max: MESSAGE_MAX })
  else if (text.length > LONG_MESSAGE) add('long', LONG_MESSAGE, text.length, { length: text.length })
  each(LINKS, ({ index, 0: link }) => add('link', index, index + link.length))
  const questions = [...text.matchAll(QUESTIONS)]
  if (questions.length === 0) add('no_question', 0, text.length)
  const second = questions[1]
  if (second) add('many_questions', second.index, text.length, { count: questions.length })
  // Capitals in braces are a variable's, not the writer's.
  each(CAPITALS, ({ index, 0: words }) => {
    if (!text.slice(Math.max(0, index - VARIABLE_MAX), index).match(/\{[^{}]*$/))
      add('capitals', index, index + words.length)
  })
  lintVariables(text, add)
  each(/[^.!?\n]+/g, ({ index, 0: sentence }) => {
    const count = sentence.trim().split(/\s+/).length
    if (count > WORDS_A_SENTENCE) add('hard_to_read', index, index + sentence.length, { count })
  })
  const same = earlier.find(({ messageTemplate }) => similarity(text, messageTemplate) >= SIMILAR)
  if (same) add('similar', 0, text.length, { campaign: same.campaign })
  return problems.sort((a, b) => a.start - b.start || a.end - b.end)
}

function lintVariables(
  text: string,
  add: (code: LintProblem['code'], start: number, end: number, params: LintProblem['params']) => void,
): void {
  let from = 0
  for (const part of readSegments(text)) {
    if (part.kind !== 'unknown') continue
    const start = text.indexOf(part.written, from)
    from = start + part.written.length
    const isBare = /^\{[^{}|]+\}$/.test(part.written)
    add(isBare ? 'no_fallback' : 'unknown_variable', start, from, { written: part.written })
  }
}

/** Jaccard similarity of the word triples, ignoring variables and punctuation. */
function similarity(a: string, b: string): number {
  const [first, other] = [triplesOf(a), triplesOf(b)]
  if (first.size < 4 || other.size < 4) return 0
  const common = [...first].filter((triple) => other.has(triple)).length
  return common / (first.size + other.size - common)
}

function triplesOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .replace(/\{[^{}]*\}/g, ' ')
      .match(/[\p{L}\p{N}']+/gu) ?? []
  return new Set(words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`))
}
