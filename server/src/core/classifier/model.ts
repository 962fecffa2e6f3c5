import { readFileSync } from 'node:fs'
import { RECOGNIZED_LABELS } from '@x-automated/contract/leads/leads'
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
import { hintsOf } from './phrases.ts'

// The trained model: the probability of each label, and the languages of a text.

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

/** Parses a file of `scale`, `bias` and `rows` of the labels, then of the languages, and then the words. */
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
export const largest = (shares: Float64Array) =>
  shares.reduce((best, share, index) => (share > (shares[best] ?? 0) ? index : best), 0)

/** The probability of each label, in the order of `RECOGNIZED_LABELS`. */
export function labelSharesOf(text: string): Float64Array {
  return sharesOf(weights().labels, featuresOf(text, hintsOf(text)))
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

/** A text counts as unknown if its languages without labels are together more probable than this. */
const UNKNOWN_TEXT = 0.4
/** Like UNKNOWN_TEXT, for a part of a text. */
const UNKNOWN_PART = 0.9
/** From this probability on, the language of a part is certain. */
const SURE_LANGUAGE = 0.97
const PART_WORDS = 4

/** A text counts as unknown if at most this share of its words is in the training data of its language. */
const KNOWN_TEXT = 1 / 3
/** Like KNOWN_TEXT, for a part of a text. */
const KNOWN_PART = 1 / 4
/** The language of this many words or fewer is not certain, so they can be of any labeled language. */
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

/** Whether a text is in a language without labels. @param from the probability above which it counts as such */
function isUnknown(text: string, from: number): boolean {
  const letters = languageOfLetters(text)
  if (letters) return !LABELLED.has(letters) && letters !== 'und'
  const shares = languageSharesOf(text)
  return shares.reduce((sum, share, index) => (IS_LABELLED[index] ? sum : sum + share), 0) > from
}

/** Languages whose words the training data do not show, because they need no spaces between words. */
const WITHOUT_WORDS: ReadonlySet<string> = new Set(['ja', 'ko', 'zh'])
const WITH_WORDS = [...LABELLED].filter((language) => !WITHOUT_WORDS.has(language))

/**
 * Whether the words of a text, or of a part of it, are mostly of a language that the model does not
 * know, even if its letters are those of a known one. English words occur in all languages.
 * @param most the largest share of known words for this
 */
function hasUnknownWords(text: string, most: number): boolean {
  const language = detectLanguage(text)
  const words = WITHOUT_WORDS.has(language) ? [] : plainWordsOf(text)
  if (words.length === 0) return false
  const languages = words.length <= FEW_WORDS ? WITH_WORDS : ['en', language]
  const recognized = words.filter((word) => languages.some((of) => weights().words.has(wordHash(of, word))))
  return recognized.length <= most * words.length
}

function sureLanguageOf(text: string): string | null {
  const letters = languageOfLetters(text)
  if (letters) return letters === 'und' ? null : letters
  const shares = languageSharesOf(text)
  const best = largest(shares)
  return (shares[best] ?? 0) >= SURE_LANGUAGE ? (TOLD_APART[best] as string) : null
}
