import { readFileSync } from 'node:fs'
import { REPLY_LABELS, type ReplyLabel } from '@x-automated/contract/leads/leads'
import {
  BUCKETS,
  featuresOf,
  LANGUAGE_BUCKETS,
  LATIN_LANGUAGES,
  languageFeaturesOf,
  languageOfLetters,
  softmax,
} from './rules-features.ts'
import { hintsOf, labelByRule, untilOf } from './rules-labels.ts'

/** What a reply says. */
export interface Reading {
  label: ReplyLabel
  /** How likely the label is right: 1 if a rule decided. */
  confidence: number
  /** What decided. Only a rule suppresses a person. */
  by: 'rule' | 'model'
  /** When they are back, or want to hear more: the start of that day. */
  until: Date | null
}

/** From this share on, the model's labels count as much as those of rules. */
const SURE = 0.9

/** The label of a reply after which a sequence may continue; null: it ends, also if that is not sure. */
export function labelToContinue({ label, confidence }: Reading): 'auto_reply' | 'later' | null {
  return (label === 'auto_reply' || label === 'later') && confidence >= SURE ? label : null
}

/** Weights of a linear model with a row of `classes` bytes per bucket. */
export interface Weights {
  /** What a byte of each class is multiplied by. */
  scale: Float32Array
  bias: Float32Array
  rows: Int8Array
}

/** The file of the weights, written by tools/train-classifier.ts. */
export const WEIGHTS_FILE = new URL('./label-weights.bin', import.meta.url)

let loaded: { labels: Weights; languages: Weights } | undefined

/** Reads the weights once, when the first reply is read. */
function weights() {
  loaded ??= parseWeights(readFileSync(WEIGHTS_FILE))
  return loaded
}

/** The two models of a file: `scale`, `bias` and `rows` of the labels, then of the languages. */
function parseWeights(file: Buffer): { labels: Weights; languages: Weights } {
  // Float32Array needs its bytes at a multiple of four, which a pooled buffer is not.
  const bytes = new Uint8Array(file).buffer
  let at = 0
  const read = (classes: number, buckets: number): Weights => {
    const scale = new Float32Array(bytes, at, classes)
    const bias = new Float32Array(bytes, at + classes * 4, classes)
    const rows = new Int8Array(bytes, at + classes * 8, classes * buckets)
    at += classes * (8 + buckets)
    return { scale, bias, rows }
  }
  return { labels: read(REPLY_LABELS.length, BUCKETS), languages: read(LATIN_LANGUAGES.length, LANGUAGE_BUCKETS) }
}

/** The share of each class. */
export function sharesOf(
  { scale, bias, rows }: Weights,
  { at, value }: { at: Uint32Array; value: Float32Array },
): Float64Array {
  const classes = scale.length
  const sums = new Float64Array(classes)
  for (let index = 0; index < at.length; index += 1) {
    const row = (at[index] as number) * classes
    for (let place = 0; place < classes; place += 1) {
      sums[place] = (sums[place] as number) + (rows[row + place] as number) * (value[index] as number)
    }
  }
  return softmax(sums.map((sum, place) => sum * (scale[place] as number) + (bias[place] as number)))
}

/** The place of the largest share. */
const largest = (shares: Float64Array) =>
  shares.reduce((best, share, place) => (share > (shares[best] ?? 0) ? place : best), 0)

/**
 * Labels a reply: by rule, or with the model's best guess.
 * @param optOutWords the workspace's own, in addition to the built-in ones
 * @param timeZone of the X account, in which days start; UTC if it is unknown
 */
export function classifyReply(
  text: string,
  options: { optOutWords: readonly string[]; now: Date; timeZone: string },
): Reading {
  const byRule = labelByRule(text, options)
  if (byRule) return { ...byRule, confidence: 1, by: 'rule' }
  const shares = sharesOf(weights().labels, featuresOf(text, hintsOf(text)))
  const optedOut = REPLY_LABELS.indexOf('opted_out')
  // An opt-out stays until a person changes it, so it must be likelier than all others together.
  const best = largest((shares[optedOut] ?? 0) >= 0.5 ? shares : shares.with(optedOut, 0))
  const label = REPLY_LABELS[best] as ReplyLabel
  return { label, confidence: shares[best] as number, by: 'model', until: untilOf(label, text, options) }
}

/** The language of a text as ISO 639-1; 'und' if it has no letters. */
export function detectLanguage(text: string): string {
  const known = languageOfLetters(text)
  if (known) return known
  return LATIN_LANGUAGES[largest(sharesOf(weights().languages, languageFeaturesOf(text)))] as string
}
