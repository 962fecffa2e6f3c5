import { readFileSync } from 'node:fs'
import { RECOGNIZED_LABELS, type RecognizedLabel } from '@x-automated/contract/leads/leads'
import {
  BUCKETS,
  featuresOf,
  hasUnknownLetters,
  hasUnknownMarks,
  LANGUAGE_BUCKETS,
  LATIN_LANGUAGES,
  languageFeaturesOf,
  languageOfLetters,
  plainWordsOf,
  readPart,
  softmax,
  TOLD_APART,
  wordHash,
} from './features.ts'
import { hintsOf, labelByRule, untilOf } from './label-rules.ts'
import { hasOtherMeaning } from './other-meanings.ts'
import { refuses } from './refusals.ts'
import { asksHowToStop } from './stop-questions.ts'
import { fold } from './text.ts'

/** What a reply says. */
export interface Reading {
  /** Null: the text mixes languages, is in one that the model does not know, or refuses despite a positive label. */
  label: RecognizedLabel | null
  /** How likely the label is right: 1 if a rule decided. */
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

/** Weights of a linear model with a row of `classes` bytes per bucket. */
export interface Weights {
  /** The factor for the bytes of each class. */
  scale: Float32Array
  bias: Float32Array
  rows: Int8Array
}

/** The file of the weights, written by tools/train-classifier.ts. */
export const WEIGHTS_FILE = new URL('./label-weights.bin', import.meta.url)

interface Model {
  labels: Weights
  languages: Weights
  /** The `wordHash` of each word in the training data. */
  words: ReadonlySet<number>
}

let loaded: Model | undefined

/** Loads the weights on the first call. */
function weights() {
  loaded ??= parseWeights(readFileSync(WEIGHTS_FILE))
  return loaded
}

/**
 * Parses the weights: `scale`, `bias` and `rows` of the labels, then of the languages, then the
 * hashes of the words.
 */
function parseWeights(file: Buffer): Model {
  // Float32Array needs an offset that is a multiple of four, which a pooled buffer may not have.
  const bytes = new Uint8Array(file).buffer
  let at = 0
  const read = (classes: number, buckets: number): Weights => {
    const scale = new Float32Array(bytes, at, classes)
    const bias = new Float32Array(bytes, at + classes * 4, classes)
    const rows = new Int8Array(bytes, at + classes * 8, classes * buckets)
    at += classes * (8 + buckets)
    return { scale, bias, rows }
  }
  const labels = read(RECOGNIZED_LABELS.length, BUCKETS)
  const languages = read(TOLD_APART.length, LANGUAGE_BUCKETS)
  return { labels, languages, words: new Set(new Uint32Array(bytes, at)) }
}

/** The probability of each class. */
export function sharesOf(
  { scale, bias, rows }: Weights,
  { at, value }: { at: Uint32Array; value: Float32Array },
): Float64Array {
  const classes = scale.length
  const sums = new Float64Array(classes)
  for (let index = 0; index < at.length; index += 1) {
    const row = (at[index] as number) * classes
    for (let classIndex = 0; classIndex < classes; classIndex += 1) {
      sums[classIndex] = (sums[classIndex] as number) + (rows[row + classIndex] as number) * (value[index] as number)
    }
  }
  return softmax(sums.map((sum, classIndex) => sum * (scale[classIndex] as number) + (bias[classIndex] as number)))
}

/** The index of the largest share. */
const largest = (shares: Float64Array) =>
  shares.reduce((best, share, index) => (share > (shares[best] ?? 0) ? index : best), 0)

/**
 * Labels a reply: by rule, or with the model's best guess. @param optOutWords the workspace's own,
 * in addition to the built-in ones @param timeZone the X account's, in which days start; UTC if it
 * is unknown @param isUnread the result of `isUnknownOrMixed` for the text
 */
export function classifyReply(
  text: string,
  options: { optOutWords: readonly string[]; now: Date; timeZone: string },
  isUnread = isUnknownOrMixed(text),
): Reading {
  const byRule = labelByRule(text, options)
  if (byRule?.label === 'opted_out') return { ...byRule, confidence: 1, by: 'rule' }
  if (isUnread && byRule?.label === 'auto_reply') return { label: 'auto_reply', until: null, confidence: 1, by: 'rule' }
  const isRefused = (label: RecognizedLabel) =>
    POSITIVE.has(label) && refuses(fold(readPart(text)), detectLanguage(text), label)
  if (byRule && !isUnread) return isRefused(byRule.label) ? UNREAD : { ...byRule, confidence: 1, by: 'rule' }
  const shares = sharesOf(weights().labels, featuresOf(text, hintsOf(text)))
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

/** The language of a text as ISO 639-1; 'und': the text has no letters, or its language is unknown. */
export function detectLanguage(text: string): string {
  const language = languageOfLetters(text)
  if (language) return language
  return TOLD_APART[largest(languageSharesOf(text))] as string
}

const languageSharesOf = (text: string) => sharesOf(weights().languages, languageFeaturesOf(text))

/** Languages whose replies the model is trained on. */
const LABELLED = new Set<string>([...LATIN_LANGUAGES, 'ja', 'ko', 'zh', 'ar', 'hi', 'ru'])
const IS_LABELLED = TOLD_APART.map((language) => LABELLED.has(language))

/** If languages without labels get more than this share, a text counts as unknown. */
const UNKNOWN_TEXT = 0.4
/** If languages without labels get more than this share, a part of a text counts as unknown. */
const UNKNOWN_PART = 0.9
/** From this share, the language of a part is certain. */
const SURE_LANGUAGE = 0.97
const PART_WORDS = 4

/** A text counts as unknown if at most this share of its words is in the training data. */
const KNOWN_TEXT = 1 / 3
/** A part of a text counts as unknown if at most this share of its words is in the training data. */
const KNOWN_PART = 1 / 4
/** The language of this few words is not certain, so they may be of any labeled language. */
const FEW_WORDS = 2

/** Whether a text, or a part of it, is in a language that the model does not know, or mixes two that it knows. */
export function isUnknownOrMixed(text: string): boolean {
  const read = readPart(text)
  if (hasUnknownLetters(read)) return true
  const all = read.match(/\p{L}[\p{L}\p{M}'’]*/gu) ?? []
  if (all.length === 0) return false
  if (hasUnknownMarks(all) || isUnknown(read, UNKNOWN_TEXT) || hasUnknownWords(read, KNOWN_TEXT)) return true
  const languages = new Set<string>()
  for (const part of read.split(/[.,;:!?…\n()。！？、，؟।–—]+/u)) {
    const words = part.match(/\p{L}[\p{L}\p{M}'’]*/gu)?.length ?? 0
    if (words < PART_WORDS) continue
    if (isUnknown(part, UNKNOWN_PART) || hasUnknownWords(part, KNOWN_PART)) return true
    const language = sureLanguageOf(part)
    // The model's training data in Hindi often contain English, so Hindi does not count as a mix.
    if (language && language !== 'hi') languages.add(language)
  }
  return languages.size > 1
}

/** Whether a text is in an unknown language. @param from the share of unlabeled languages above which it is */
function isUnknown(text: string, from: number): boolean {
  const letters = languageOfLetters(text)
  if (letters) return !LABELLED.has(letters) && letters !== 'und'
  const shares = languageSharesOf(text)
  return shares.reduce((sum, share, index) => (IS_LABELLED[index] ? sum : sum + share), 0) > from
}

/** Languages without words in the training data, because they do not need spaces between words. */
const WITHOUT_WORDS: ReadonlySet<string> = new Set(['ja', 'ko', 'zh'])
const WITH_WORDS = [...LABELLED].filter((language) => !WITHOUT_WORDS.has(language))

/**
 * Whether at most the share `most` of the words of a text, or of a part of it, is in the training
 * data, even if its letters are those of a known language. English words occur in all languages.
 */
function hasUnknownWords(text: string, most: number): boolean {
  const language = detectLanguage(text)
  const words = WITHOUT_WORDS.has(language) ? [] : plainWordsOf(text)
  if (words.length === 0) return false
  const languages = words.length <= FEW_WORDS ? WITH_WORDS : ['en', language]
  const known = words.filter((word) => languages.some((of) => weights().words.has(wordHash(of, word))))
  return known.length <= most * words.length
}

function sureLanguageOf(text: string): string | null {
  const letters = languageOfLetters(text)
  if (letters) return letters === 'und' ? null : letters
  const shares = languageSharesOf(text)
  const best = largest(shares)
  return (shares[best] ?? 0) >= SURE_LANGUAGE ? (TOLD_APART[best] as string) : null
}
