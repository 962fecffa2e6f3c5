import { fold, hasUnspaced, wordsOf } from './text.ts'

/** Number of buckets for the hashed features; a power of two. */
export const BUCKETS = 2 ** 16
/** Number of buckets for the features that tell languages apart; a power of two. */
export const LANGUAGE_BUCKETS = 2 ** 13

/** Characters that are read, from the start and the end of a longer text. */
const READ = { start: 1_500, end: 500 }

/** Languages in Latin letters whose replies the model can label. */
export const LATIN_LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'tr', 'sv'] as const
/**
 * Languages in Latin letters that the model tells apart; 'und': all others. Of those not in
 * LATIN_LANGUAGES, only Hindi can be labeled.
 */
export const TOLD_APART = [
  ...LATIN_LANGUAGES,
  ...(['hi', 'id', 'ro', 'cs', 'fi', 'hu', 'vi', 'tl', 'da', 'no', 'ca', 'hr', 'und'] as const),
] as const

const SCRIPTS: readonly [language: string, letters: RegExp][] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['bn', /\p{Script=Bengali}/gu],
  ['ta', /\p{Script=Tamil}/gu],
  ['te', /\p{Script=Telugu}/gu],
]

/** Languages that share a script with another one, recognized by letters or words that only they have. */
const SAME_LETTERS: Record<string, readonly [language: string, marks: RegExp][]> = {
  ru: [
    ['kk', /[әғқңұһ]/iu],
    ['mn', /[үө]|(?<!\p{L})(?:байна|байгаа)(?!\p{L})/iu],
    ['tg', /[ӣӯҳҷ]/iu],
    ['be', /ў|(?<!\p{L})дзякуй(?!\p{L})/iu],
    ['uk', /[іїєґ]|(?<!\p{L})(?:дякую|треба|дуже|немає|чому|або|вже|потрібно)(?!\p{L})/iu],
    ['sr', /[ђћљњџјѓќѕ]|(?<!\p{L})(?:хвала|нисам|желим|молим|зашто|како|шта|благодарам|не сум)(?!\p{L})/iu],
    [
      'bg',
      /ъ(?![еёюя])|(?<!\p{L})(?:сте|моля|искам|това|какво|колко|няма|много ви|повече|струва|звучи|здравей|здравейте|мога|още|интересува ме|интересува|ме|ми|ги|се|ще|благодаря|добре)(?!\p{L})/iu,
    ],
  ],
  ar: [
    ['ur', /[ٹڈڑںےہھ]/u],
    ['fa', /[پچژگکی]|(?<!\p{L})(?:نه|ممنون|ندارم|دارم|بله)(?!\p{L})/u],
  ],
  hi: [
    ['mr', /ळ|(?<!\p{L})(?:आहे|आहेत|मला|आम्ही|तुम्ही|नको|माझे|माझी)(?![\p{L}\p{M}])/u],
    ['ne', /(?<!\p{L})(?:छ|छैन|हुन्छ|तपाईं|मलाई)(?![\p{L}\p{M}])/u],
  ],
}

/** The language that a text's script identifies; 'und': no letters or an unknown script, null: Latin letters. */
export function languageOfLetters(text: string): string | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  if (letters === 0) return 'und'
  // Japanese mixes kana with Chinese characters, so a few kana decide.
  const share: Record<string, number> = { ja: 0.15 }
  for (const [language, pattern] of SCRIPTS) {
    if ((text.match(pattern)?.length ?? 0) / letters > (share[language] ?? 0.4))
      return SAME_LETTERS[language]?.find(([, marks]) => marks.test(text))?.[0] ?? language
  }
  return (text.match(/\p{Script=Latin}/gu)?.length ?? 0) / letters < 0.4 ? 'und' : null
}

/** Whether a text has letters or words of a language that cannot be labeled. */
export function hasUnknownLetters(text: string): boolean {
  if (Object.values(SAME_LETTERS).some((others) => others.some(([, marks]) => marks.test(text)))) return true
  const unknown = text.match(UNKNOWN_LETTERS)?.length ?? 0
  return unknown > 2 && unknown / (text.match(/\p{L}/gu)?.length ?? 1) > 0.1
}
const UNKNOWN_LETTERS =
  /(?![\p{Script=Latin}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Han}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}])\p{L}/gu

/** Letters with marks that no labeled language has. A name or two may have them. */
const UNKNOWN_MARKS = /[āēīūķļņģėįųůřěčšžďťňőűășțţđơưốứịạ-ỹ]/iu
const UNKNOWN_MARKS_SHARE = 0.3

/** Whether many words of a text in Latin letters have marks that no labeled language uses. */
export function hasUnknownMarks(words: readonly string[]): boolean {
  return words.filter((word) => UNKNOWN_MARKS.test(word.normalize('NFC'))).length / words.length >= UNKNOWN_MARKS_SHARE
}

/** The part of a text that features are taken from. */
export function readPart(text: string): string {
  return text.length <= READ.start + READ.end ? text : `${text.slice(0, READ.start)} ${text.slice(-READ.end)}`
}

const TOKENS = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{N}]+)?|\p{Extended_Pictographic}|[?!@…]+/gu
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Properties of the whole text, such as its punctuation, that single words do not show. */
const MARKS: readonly [name: string, pattern: RegExp][] = [
  ['asks', /[?？؟]/],
  ['ends asking', /[?？؟]\W{0,5}$/],
  ['address', /@[\w.]+\.[a-z]{2}/],
  ['handle', /(?:^|[\s(])@\w{2}/],
  ['link', /https?:|\w\.(?:com|io|me|co|de|fr|example)\b/],
  ['calendar', /calendly|cal\.com|cal link|calendar/],
  ['time', /\b\d{1,2}(?::\d\d| ?[ap]m\b| ?uhr| ?h\b|h\d\d)|[点時时시]/],
  ['number', /\d/],
  ['ticket', /#\d{3}|24\/7/],
  ['clock of work', /\d ?(?:-|–|to|bis|à|a) ?\d/],
]

/** Returns a text's hashed features: words, pairs of words, parts of words, emoji, marks, hints and length. */
export function featuresOf(text: string, hints: readonly string[] = []): { at: Uint32Array; value: Float32Array } {
  const folded = fold(readPart(text))
  const weights = new Map<number, number>()
  const add = (hash: number, value: number) => {
    const at = hash & (BUCKETS - 1)
    weights.set(at, Math.max(weights.get(at) ?? 0, value))
  }
  const tokens = folded.replace(/(\p{L})\1{2,}/gu, '$1$1').match(TOKENS) ?? []
  let previous = '^'
  for (const token of tokens) {
    const isWord = !UNSPACED.test(token)
    if (isWord) {
      add(hashOf(`w${token}`), 1)
      add(hashOf(`b${previous} ${token}`), 0.8)
    }
    const padded = isWord ? `<${token.slice(0, 30)}>` : token
    for (const size of isWord ? [3, 4, 5] : [1, 2, 3, 4]) {
      for (let start = 0; start + size <= padded.length; start += 1) {
        add(hashOf(padded.slice(start, start + size)), isWord ? 0.4 : 0.7)
      }
    }
    previous = token
  }
  add(hashOf(`b${previous} $`), 0.8)
  for (const [name, pattern] of MARKS) if (pattern.test(folded)) add(hashOf(`mark ${name}`), 1)
  for (const hint of hints) add(hashOf(`hint ${hint}`), 1.5)
  add(hashOf(`size ${Math.min(7, Math.floor(Math.log2(tokens.length + 1)))}`), 0.7)
  return unitVector(weights)
}

/** Returns the features that tell languages apart: words and their parts, with diacritics. */
export function languageFeaturesOf(text: string): { at: Uint32Array; value: Float32Array } {
  const words =
    readPart(text)
      .slice(0, 600)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+/gu) ?? []
  const weights = new Map<number, number>()
  for (const word of words) {
    const padded = `<${word.slice(0, 30)}>`
    for (const size of [1, 2, 3, 4]) {
      for (let start = 0; start + size <= padded.length; start += 1) {
        const at = hashOf(padded.slice(start, start + size)) & (LANGUAGE_BUCKETS - 1)
        weights.set(at, (weights.get(at) ?? 0) + 1)
      }
    }
    const at = hashOf(`w${padded}`) & (LANGUAGE_BUCKETS - 1)
    weights.set(at, (weights.get(at) ?? 0) + 2)
  }
  return unitVector(weights)
}

/** Matches the address of a page, a person or a mailbox, whose parts are not words of a language. */
const ADDRESS = /@|:\/\/|\p{L}\.\p{L}{2}/u

/** Maximum number of folded characters to read: one character can fold to 18. */
const WORDS_READ = 3_000

/** Returns the folded words of a text, without numbers, addresses and words of languages that write no spaces. */
export function plainWordsOf(text: string): string[] {
  const plain = text.split(/\s+/).filter((word) => !ADDRESS.test(word))
  const folded = fold(plain.join(' ')).slice(0, WORDS_READ)
  return wordsOf(folded.replace(/(\p{L})\1{2,}/gu, '$1$1')).filter(
    (word) => word !== ',' && !/^\p{N}+\p{L}{0,2}$/u.test(word) && !hasUnspaced(word),
  )
}

/** Identifies a folded word of a language. */
export const wordHash = (language: string, word: string): number => hashOf(`${language} ${word}`)

/** Scales values to length 1, so that long texts do not count more. */
function unitVector(weights: Map<number, number>): { at: Uint32Array; value: Float32Array } {
  let sum = 0
  for (const value of weights.values()) sum += value * value
  const length = Math.sqrt(sum) || 1
  return { at: Uint32Array.from(weights.keys()), value: Float32Array.from(weights.values(), (value) => value / length) }
}

/** FNV-1a, with its bits mixed. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** Turns sums of weights into probabilities. */
export function softmax(sums: Float64Array): Float64Array {
  const most = Math.max(...sums)
  const shares = sums.map((sum) => Math.exp(sum - most))
  const total = shares.reduce((a, b) => a + b, 0)
  return shares.map((share) => share / total)
}
