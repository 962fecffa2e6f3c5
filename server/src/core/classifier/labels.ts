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
  /** Null: the text mixes two languages, or is in one that the model does not know. */
  label: RecognizedLabel | null
  /** How likely the label is right: 1 if a rule decided. */
  confidence: number
  /** What chose the label. Only a rule suppresses a person. */
  by: 'rule' | 'model'
  /** The start of the day on which they are back or want to hear more. */
  until: Date | null
}

/** Labels of the model with at least this probability count as much as those of rules. */
const SURE = 0.9

const UNREAD: Reading = { label: null, confidence: 0, by: 'model', until: null }

/** Labels that a text cannot get if it also refuses. */
const POSITIVE: ReadonlySet<RecognizedLabel> = new Set(['interested', 'meeting', 'later', 'referral'])

/**
 * The label of a reply after which a sequence may continue; null: the sequence ends, also if the
 * label is not sure.
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

/** Reads the weights once, when the first reply is read. */
function weights() {
  loaded ??= parseWeights(readFileSync(WEIGHTS_FILE))
  return loaded
}

/** A file has `scale`, `bias` and `rows` of the labels, then of the languages, and then the words. */
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
  // An opt-out stays until a person changes it, so its share must exceed that of all other labels together.
  const isOptOut = (shares[optedOut] ?? 0) >= 0.5 && !asksHowToStop(text) && !hasOtherMeaning(fold(readPart(text)))
  if (isUnread && !isOptOut) return UNREAD
  const best = largest(isOptOut ? shares : shares.with(optedOut, 0))
  const label = RECOGNIZED_LABELS[best] as RecognizedLabel
  if (isRefused(label)) return UNREAD
  return { label, confidence: shares[best] as number, by: 'model', until: untilOf(label, text, options) }
}

/** The language of a text as ISO 639-1; 'und' if it has no letters or is not known. */
export function detectLanguage(text: string): string {
  const language = languageOfLetters(text)
  if (language) return language
  return TOLD_APART[largest(languageSharesOf(text))] as string
}

const languageSharesOf = (text: string) => sharesOf(weights().languages, languageFeaturesOf(text))

/** Languages whose replies the model is trained on. */
const LABELLED = new Set<string>([...LATIN_LANGUAGES, 'ja', 'ko', 'zh', 'ar', 'hi', 'ru'])
const IS_LABELLED = TOLD_APART.map((language) => LABELLED.has(language))

/** If the languages without labels reach this share, the text, or a part of it, counts as unknown. */
const UNKNOWN_TEXT = 0.4
const UNKNOWN_PART = 0.9
/** From this share, the language of a part is certain. */
const SURE_LANGUAGE = 0.97
const PART_WORDS = 4

/** If at most this share of the words are in the training data of their language, the text, or a part of it, counts as unknown. */
const KNOWN_TEXT = 1 / 3
const KNOWN_PART = 1 / 4
/** The language of so few words is not certain, so they may be of any labelled one. */
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

/** @param from the share of languages without labels that makes a text unknown */
function isUnknown(text: string, from: number): boolean {
  const letters = languageOfLetters(text)
  if (letters) return !LABELLED.has(letters) && letters !== 'und'
  const shares = languageSharesOf(text)
  return shares.reduce((sum, share, index) => (IS_LABELLED[index] ? sum : sum + share), 0) > from
}

/** Languages whose words the training data do not show, because they are written without spaces. */
const WITHOUT_WORDS: ReadonlySet<string> = new Set(['ja', 'ko', 'zh'])
const WITH_WORDS = [...LABELLED].filter((language) => !WITHOUT_WORDS.has(language))

/**
 * Whether the words of a text, or of a part of it, are mostly of a language that the model does not
 * know, also if its letters are those of another one. English words occur in all languages.
 * @param most the share of known words
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
