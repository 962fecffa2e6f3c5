/** Words that a bio must contain, and words that it must not contain, in lower case. */
export interface BioWords {
  required: readonly string[]
  excluded: readonly string[]
}

/** Maximum number of words in one filter. */
export const BIO_WORDS_MAX = 20

/** Returns the distinct words of a bio in lower case. Words are letters, digits and underscores. */
export function wordsIn(bio: string | null): ReadonlySet<string> {
  return new Set((bio ?? '').toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu))
}

/** Whether a bio has all required words and no excluded one. */
export function fitsBioWords(bio: string | null, { required, excluded }: BioWords): boolean {
  const words = wordsIn(bio)
  return required.every((word) => words.has(word)) && !excluded.some((word) => words.has(word))
}

/** Parses a filter such as 'founder -crypto'. */
export function parseBioWords(text: string): BioWords {
  const parts = text.split(/\s+/)
  const of = (chosen: readonly string[]) => [...new Set(chosen.flatMap((part) => [...wordsIn(part)]))]
  return {
    required: of(parts.filter((part) => !part.startsWith('-'))),
    excluded: of(parts.filter((part) => part.startsWith('-'))),
  }
}

/** Formats a filter; the reverse of `parseBioWords`. */
export function bioWordsText({ required, excluded }: BioWords): string {
  return [...required, ...excluded.map((word) => `-${word}`)].join(' ')
}
