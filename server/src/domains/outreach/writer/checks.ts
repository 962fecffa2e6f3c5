import { parseTemplate, readSegments } from '@x-automated/contract/outreach/template'
import { LATIN_LANGUAGES } from '../../../core/classifier/features.ts'
import type { Written } from './built-in.ts'
import { commandsModel, unmarkText } from './data.ts'
import { copies, repeatsPrompt } from './prompts.ts'

export interface Bounds {
  /** Text by strangers, as the model saw it, without marks. */
  data: string
  /** Text by the user. Links, handles, prices and numbers in it may be used. */
  allowed: string
  maxLength: number
  /** ISO 639-1; null: any. */
  language: string | null
  /** Sentences that must stay unchanged. */
  kept: readonly string[]
  /** Whether the text answers a stranger's text. */
  isAnswer: boolean
  /** Whether variables in braces are filled in before it is sent. */
  hasVariables: boolean
  nonce: string
}

type Problem =
  | 'empty'
  | 'prompt'
  | 'length'
  | 'invented_fact'
  | 'instruction'
  | 'link'
  | 'email'
  | 'handle'
  | 'number'
  | 'variable'
  | 'copied'
  | 'opt_out'
  | 'language'

/** Maximum length of a fact, in characters. A longer fact could carry a message of its own. */
const FACT_MAX = 80
/** Maximum length of a fact, in words. */
const FACT_WORDS_MAX = 10

const TLDS =
  'com|net|org|io|co|ai|app|dev|me|gg|xyz|ly|link|info|biz|shop|store|online|site|club|top|live|pro|tv|us|uk|de|fr|es|it|nl|pl|ru|cn|jp|in|br|eu|ch|at|be|se|no|dk|fi|pt|tr|example|test|invalid|onion|finance|money|vip|win|click|cc|to|so|sh|fm|gl|page|tech|cloud|digital|agency|fun|lol|zip|mov|su|tk|ml|ga|cf'
const BRACKETED_DOT = '[([{<]\\s?(?:d[o0]t|punkt|punto|ponto|point|[.,])\\s?[)\\]}>]'
/**
 * Links in many spellings. A name in an address has at most 63 characters; without this limit, a
 * long text would take a second.
 */
const LINKS = [
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/\S+/gi,
  /\bhxxps?\S*/gi,
  /\bwww[\s.,_*|\u3002\u00b7\u2022-]{1,5}\S+/gi,
  new RegExp(
    `[\\p{L}\\p{N}_-]{1,63}(?:\\s?[.\u3002\uff0e]\\s?|[\u00b7\u2022]|\\s?${BRACKETED_DOT}\\s?|[\\s_-]d[o0]t[\\s_-])(?:${TLDS})(?![\\p{L}\\p{N}])(?:\\/\\S*)?`,
    'giu',
  ),
  /[\p{L}\p{N}_-]{1,63}\s(?:punkt|punto|ponto|point)\s(?:com|net|org|io|app|dev)(?![\p{L}\p{N}])/giu,
  /[\p{L}\p{N}-]{1,63}\.[\p{L}]{2,63}\/\S*/gu,
  /\b(?:\d{1,3}\.){3}\d{1,3}\b\S*/g,
  /\b(?:xn--|t\.me|bit\.ly|discord|telegram|whatsapp|wa\.me)\S*/gi,
]
/** Three or more characters of an address, written one by one: "e v i l . c o m". */
const SPELLED_OUT =
  /(?<![\p{L}\p{N}])[\p{L}\p{N}.:/@](?:[\s*_~|\u00b7\u2022-]{1,3}[\p{L}\p{N}.:/@](?![\p{L}\p{N}])){2,}/gu
/** Five or more letters written one by one, with or without dots, such as "e v i l d o t c o m". */
const SPELLED_WORD =
  /(?<![\p{L}\p{N}])\p{L}(?:[\s.*_~|()[\]{}<>\u00b7\u2022-]{1,6}[\p{L}\p{N}](?![\p{L}\p{N}\p{M}])){4,}/gu
const EMAIL = new RegExp(
  `[\\p{L}\\p{N}._%+-]{1,64}\\s?(?:@|[([{<]\\s?at\\s?[)\\]}>])\\s?[\\p{L}\\p{N}-]{1,63}(?:\\s?\\.\\s?|\\s?d[o0]t\\s?|\\s?${BRACKETED_DOT}\\s?)\\p{L}{2,}`,
  'giu',
)
const HANDLE = /[@\uff20]\s?[\p{L}\p{N}_]+/gu
const DIGITS = /\p{N}+/gu
/** Telephone and account numbers. */
const LONG_NUMBER = /\+?\p{N}(?:[\s().-]{0,2}\p{N}){5,}/gu
/** Durations of a proposed call. They are allowed, because they promise nothing. */
const CALL_LENGTH = /\b(?:5|10|15|20|30|45)[ -]min(?:ute)?s?\b/gi
/** Symbols, codes and names of currencies. */
const MONEY =
  /[$\u20ac\u00a3\u00a5\u20b9\u20bf\u20bd\u20a9]|\b(usd|eur|gbp|btc|eth|usdt|sol|dollars?|euros?|pounds?|bitcoins?)\b/giu

/** The first problem that keeps a text from being shown; null: it may be shown. */
export function findProblem({ text, factsUsed }: Written, bounds: Bounds): Problem | null {
  const normalized = text.normalize('NFKC')
  if (normalized.trim() === '') return 'empty'
  if (repeatsPrompt(normalized, bounds.nonce) || /[\p{Cf}\p{Co}]/u.test(normalized.replaceAll(/[\u200c\u200d]/g, '')))
    return 'prompt'
  if (text.length > bounds.maxLength) return 'length'
  const allowed = fold(bounds.allowed)
  const facts = factsUsed.map((fact) => unmarkText(fact).normalize('NFKC').trim()).filter((fact) => fact !== '')
  const isQuote = (fact: string) =>
    (quotes(bounds.data, fact) || allowed.includes(fold(fact))) &&
    fact.length <= FACT_MAX &&
    fact.split(/\s+/).length <= FACT_WORDS_MAX
  if (!facts.every(isQuote)) return 'invented_fact'
  if (facts.some(commandsModel) || (commandsModel(normalized) && !commandsModel(bounds.allowed))) return 'instruction'
  const joined = normalized.replace(SPELLED_OUT, (letters) => letters.replace(/[^\p{L}\p{N}.:/@]/gu, ''))
  const isNew = (patterns: readonly RegExp[], within: string) =>
    patterns.some((pattern) =>
      [normalized, joined].some((text) =>
        [...text.matchAll(pattern)].some(([matched]) => !within.includes(fold(matched).replace(/[.,;:!?)]+$/, ''))),
      ),
    )
  if (isNew([EMAIL], allowed)) return 'email'
  if (isNew(LINKS, allowed) || spellsOut(normalized, allowed)) return 'link'
  if (isNew([HANDLE], allowed)) return 'handle'
  if (isNew([LONG_NUMBER], allowed)) return 'number'
  const allowedDigits = ` ${[bounds.allowed, ...facts].join(' ').normalize('NFKC').match(DIGITS)?.join(' ') ?? ''} `
  if (
    [...normalized.replaceAll(CALL_LENGTH, '').matchAll(DIGITS)].some(
      ([digits]) => !allowedDigits.includes(` ${digits} `),
    ) ||
    isNew([MONEY], allowed)
  )
    return 'number'
  const parsed = parseTemplate(normalized)
  if ('unknown' in parsed && !bounds.allowed.includes(parsed.unknown.written)) return 'variable'
  if (!bounds.hasVariables && readSegments(normalized).some(({ kind }) => kind !== 'words')) return 'variable'
  if (copies(normalized, bounds.data, { facts, allowed: bounds.allowed, isAnswer: bounds.isAnswer })) return 'copied'
  if (!bounds.kept.every((sentence) => text.includes(sentence))) return 'opt_out'
  return null
}

/** Whether a text spells out a word that the user has not written. */
function spellsOut(text: string, allowed: string): boolean {
  const lettersOf = (words: string) => fold(words).replace(/[^\p{L}\p{N}]/gu, '')
  return (text.match(SPELLED_WORD) ?? []).some((word) => !lettersOf(allowed).includes(lettersOf(word)))
}

/** Whether a fact is part of a text, ignoring case and the amount of white space. */
export function quotes(text: string, fact: string): boolean {
  return fold(text).includes(fold(fact))
}

/** Converts a text to lower case, with single spaces. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')
}

/** The sentences of a text that say how to opt out. */
export function optOutSentences(text: string): string[] {
  const sentences = text.match(/[^.!?\n]+[.!?]*/g) ?? []
  return sentences
    .map((sentence) => sentence.trim())
    .filter(
      (sentence) =>
        /\b(opt[ -]?out|unsubscribe|stop|not interested|no more messages|abmelden|d\u00e9sinscri\w+)\b/i.test(
          sentence,
        ) &&
        /\b(reply|answer|write|say|tell|send|text|let me know|click|antwort\w*|r\u00e9pond\w*|to)\b/i.test(sentence),
    )
}

/** With fewer letters than this, the language is not certain enough. */
const LETTERS_MIN = 60

/** Languages that can be told apart. */
const DETECTED = new Set<string>([...LATIN_LANGUAGES, 'ja', 'ko', 'zh', 'ar', 'hi', 'ru'])

/** Whether a text is in another language. @param detected the text's language; 'und': unknown */
export function isOtherLanguage(text: string, wanted: string | null, detected: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return letters >= LETTERS_MIN && DETECTED.has(wanted ?? '') && detected !== 'und' && detected !== wanted
}

const CODES = [
  ...['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'tr', 'sv', 'da', 'no', 'fi', 'cs', 'ro', 'hu', 'id', 'vi'],
  ...['ru', 'uk', 'ar', 'he', 'hi', 'zh', 'ja', 'ko', 'el', 'th', 'fa', 'bg', 'ca', 'hr', 'sk', 'tl', 'ms', 'sw'],
]

/** The ISO 639-1 code of a language, from its name in English or in the language itself; null: unknown. */
export function languageCode(name: string): string | null {
  const wanted = name.trim().toLowerCase()
  if (CODES.includes(wanted.slice(0, 2)) && /^[a-z]{2}(-|$)/.test(wanted)) return wanted.slice(0, 2)
  const names = (code: string, locale: string) =>
    new Intl.DisplayNames([locale], { type: 'language' }).of(code)?.toLowerCase()
  return CODES.find((code) => names(code, 'en') === wanted || names(code, code) === wanted) ?? null
}
