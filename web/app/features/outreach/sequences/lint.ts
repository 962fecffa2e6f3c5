import { formatCount, formatNumber, pluralize } from '@x-automated/contract/format'
import { MESSAGE_MAX, readSegments } from '@x-automated/contract/outreach/template'
import type { LintProblem } from '@x-automated/contract/outreach/writer'
import { LONG_MESSAGE, lintText } from '@x-automated/contract/outreach/writer-text'
import { unknownVariables } from '../campaigns/message-template'
import type { SequenceDraft } from './sequence-draft'

/** Something to check in a message. `bad`: the server will refuse the message. */
export interface Remark {
  tone: 'warn' | 'bad'
  text: string
  /** The range of the text that the remark is about, in UTF-16 units. */
  range?: { start: number; end: number }
}

/** The beginning of a variable whose closing brace is missing. */
const UNCLOSED = /(\{[\p{L}_][\p{L}\p{M}\p{N}_]*)[^{}]*(?=\{|$)/u

/** What fails in one message. @param earlier texts of the messages before it */
export function lint(messageTemplate: string, earlier: readonly { label: string; text: string }[]): Remark[] {
  const text = messageTemplate.trim()
  if (text === '') return []
  const unknown = unknownVariables(text)
  const instead = unknown.flatMap((placeholder) => placeholder.instead ?? [])
  const advice =
    unknown.length > 0 && instead.length === unknown.length
      ? `Write ${instead.join(', ')}.`
      : 'Use one of those under “Insert”, or a CSV column with a fallback: {company|your team}.'
  const places = readSegments(text)
  const unclosed = places.flatMap((part) => (part.kind === 'words' ? (part.words.match(UNCLOSED)?.[1] ?? []) : []))[0]
  const same = earlier.find((message) => message.text.trim() === text)
  return [
    ...(text.length > MESSAGE_MAX
      ? [{ tone: 'bad' as const, text: lintText({ code: 'too_long', params: { max: formatNumber(MESSAGE_MAX) } }) }]
      : []),
    ...(text.length > LONG_MESSAGE && text.length <= MESSAGE_MAX
      ? [{ tone: 'warn' as const, text: `${formatCount(text.length, 'character')}: long for a direct message` }]
      : []),
    ...(same ? [{ tone: 'warn' as const, text: `Same text as ${same.label}` }] : []),
    ...(unclosed ? [{ tone: 'warn' as const, text: `${unclosed} has no closing brace. It is sent as written.` }] : []),
    ...(unknown.length > 0
      ? [
          {
            tone: 'bad' as const,
            text: `Unknown ${pluralize(unknown.length, 'variable')}: ${unknown.map(({ written }) => written).join(', ')}. ${advice}`,
          },
        ]
      : []),
  ]
}

/** Problems that `lint` already shows while the user types. */
const SHOWN_WHILE_TYPING: readonly LintProblem['code'][] = ['too_long', 'long', 'unknown_variable', 'no_fallback']

/** The server's problems, as remarks. */
export function remarksOf(problems: readonly LintProblem[]): Remark[] {
  return problems
    .filter(({ code }) => !SHOWN_WHILE_TYPING.includes(code))
    .map(({ start, end, ...problem }) => ({
      tone: 'warn',
      text: lintText(problem),
      ...(end > start && { range: { start, end } }),
    }))
}

/** All messages of a sequence with their names, in order. */
export function messagesOf({ steps, reengagement }: SequenceDraft): { key: string; label: string; text: string }[] {
  const messages = steps.flatMap(({ variants }, index) =>
    variants.map(({ key, name, messageTemplate }) => ({
      key,
      label: `step ${formatNumber(index + 1)}${variants.length > 1 ? ` ${name}` : ''}`,
      text: messageTemplate,
    })),
  )
  return reengagement
    ? [...messages, { key: reengagement.key, label: 're-engagement', text: reengagement.messageTemplate }]
    : messages
}
