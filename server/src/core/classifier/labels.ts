import { RECOGNIZED_LABELS, type RecognizedLabel } from '@x-automated/contract/leads/leads'
import { namedDay, type Written } from './dates.ts'
import { readPart } from './features.ts'
import { detectLanguage, isUnknownOrMixed, labelSharesOf, largest } from './model.ts'
import { isOptOut } from './opt-out.ts'
import { hasOtherMeaning } from './other-meanings.ts'
import {
  AUTOMATIC_PHRASES,
  createReader,
  MEETING_PHRASES,
  NO_INTEREST_PHRASES,
  NOT_NOW_PHRASES,
  WRITE_AGAIN_PHRASES,
} from './phrases.ts'
import { refuses } from './refusals.ts'
import { asksHowToStop } from './stop-questions.ts'
import { fold } from './text.ts'

/** The meaning of a reply. */
export interface Reading {
  /** Null: the text mixes languages, is in one that the model does not know, or refuses despite a positive label. */
  label: RecognizedLabel | null
  /** The probability that the label is right; 1 if a rule decided. */
  confidence: number
  /** What chose the label. Only a rule suppresses a person. */
  by: 'rule' | 'model'
  /** The start of the day on which the writer is back or wants to hear more; null: none named. */
  until: Date | null
}

/** Labels of the model with at least this probability count as much as those of rules. */
const SURE = 0.9

const UNREAD: Reading = { label: null, confidence: 0, by: 'model', until: null }

/** Labels that a text cannot get if it also refuses. */
const POSITIVE: ReadonlySet<RecognizedLabel> = new Set(['interested', 'meeting', 'later', 'referral'])

/**
 * Returns the reply's label if a sequence may continue after it; null: the sequence ends, for
 * example because the label is not certain.
 */
export function labelToContinue({ label, confidence }: Reading): 'auto_reply' | 'later' | null {
  return (label === 'auto_reply' || label === 'later') && confidence >= SURE ? label : null
}

/**
 * Labels a reply: by rule, or with the model's best guess. @param optOutWords the workspace's own,
 * in addition to the built-in ones @param timeZone the X account's, in which days start; UTC if it
 * is unknown @param isUnread the result of `isUnknownOrMixed` for the text
 */
export function classifyReply(
  text: string,
  options: Written & { optOutWords: readonly string[] },
  isUnread = isUnknownOrMixed(text),
): Reading {
  const byRule = labelByRule(text, options)
  if (byRule?.label === 'opted_out') return { ...byRule, confidence: 1, by: 'rule' }
  if (isUnread && byRule?.label === 'auto_reply') return { label: 'auto_reply', until: null, confidence: 1, by: 'rule' }
  const isRefused = (label: RecognizedLabel) =>
    POSITIVE.has(label) && refuses(fold(readPart(text)), detectLanguage(text), label)
  if (byRule && !isUnread) return isRefused(byRule.label) ? UNREAD : { ...byRule, confidence: 1, by: 'rule' }
  const shares = labelSharesOf(text)
  const optedOut = RECOGNIZED_LABELS.indexOf('opted_out')
  // An opt-out stays until a person changes it, so its probability must be at least that of all
  // other labels together.
  const isOptOut = (shares[optedOut] ?? 0) >= 0.5 && !asksHowToStop(text) && !hasOtherMeaning(fold(readPart(text)))
  if (isUnread && !isOptOut) return UNREAD
  const best = largest(isOptOut ? shares : shares.with(optedOut, 0))
  const label = RECOGNIZED_LABELS[best] as RecognizedLabel
  if (isRefused(label)) return UNREAD
  return { label, confidence: shares[best] as number, by: 'model', until: untilOf(label, text, options) }
}

/** The label that a rule gives a reply. Most replies match no rule: those need a person or a model. */
interface RuleLabel {
  label: 'opted_out' | 'auto_reply' | 'later'
  /** The start of the day on which the writer is back or wants to hear more. `later` always has one. */
  until: Date | null
}

/** Characters that the rules read after folding. */
const FOLDED_MAX = 12_000

/**
 * Labels opt-outs, automatic replies and requests to write again on a certain day; null: no rule
 * matches. @param optOutWords the workspace's own, in addition to the built-in ones
 */
export function labelByRule(
  text: string,
  { optOutWords, ...written }: Written & { optOutWords: readonly string[] },
): RuleLabel | null {
  // One character can fold to 18.
  const folded = fold(text).slice(0, FOLDED_MAX)
  if (asksToStop(text, optOutWords) || isOptOut(folded)) return { label: 'opted_out', until: null }
  const reader = createReader(folded)
  if (reader.any(AUTOMATIC_PHRASES)) return { label: 'auto_reply', until: untilOf('auto_reply', text, written) }
  if (reader.any(NO_INTEREST_PHRASES) || !isPutOff(reader)) return null
  const until = untilOf('later', text, written)
  return until && { label: 'later', until }
}

/** The start of the day on which the writer wants to hear more or is back; null: the text names none. */
function untilOf(label: RecognizedLabel, text: string, { now, timeZone }: Written): Date | null {
  return label === 'later' || label === 'auto_reply' ? namedDay(text, { now, timeZone }, label === 'auto_reply') : null
}

/** Whether the text asks for a message later. A day alone more likely means a meeting: "Let's talk on Monday". */
function isPutOff(reader: ReturnType<typeof createReader>): boolean {
  return reader.any(NOT_NOW_PHRASES) || (reader.any(WRITE_AGAIN_PHRASES) && !reader.any(MEETING_PHRASES))
}

/** A negation right before an opt-out word cancels it: "can't stop reading". */
const NEGATIONS = new Set(["don't", 'dont', "can't", 'cant', 'cannot', "won't", 'wont', 'never', "couldn't", 'couldnt'])

/** Splits text into normalized words, without case, width and punctuation. */
function tokensOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}\p{M}]+(?:['-][\p{L}\p{N}\p{M}]+)*/gu) ?? []
  )
}

/**
 * Whether a reply asks to stop, anywhere in its text. A false positive costs less than messaging
 * someone who opted out. @param words words and phrases, matched as whole words in order
 */
export function asksToStop(text: string, words: readonly string[]): boolean {
  const tokens = tokensOf(text)
  return words.some((word) => {
    const phrase = tokensOf(word)
    if (phrase.length === 0) return false
    return tokens.some(
      (_, at) =>
        phrase.every((token, i) => tokens[at + i] === token) && !(at > 0 && NEGATIONS.has(tokens[at - 1] as string)),
    )
  })
}
