/**
 * Folds letters for comparison: lower case, narrow, without Latin and Arabic diacritics and
 * invisible characters, with straight apostrophes.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]|[\u064b-\u065f]|\u0640|[\ufe00-\ufe0f]|\p{Cf}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\u0307/g, '')
    .replaceAll('ß', 'ss')
    .replaceAll('ı', 'i')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replace(/[’‘`´ʼ]/g, "'")
}

/** The words of a folded text, with a comma for punctuation between them. */
export function wordsOf(folded: string): string[] {
  return (
    folded
      .match(/[\p{L}\p{N}\p{M}]+(?:'[\p{L}\p{N}]+)*|[,.;:!?\n()。！？、，؟|]+/gu)
      ?.map((word) => (/^[\p{L}\p{N}\p{M}]/u.test(word) ? word : ',')) ?? []
  )
}

/** Whether a text has letters of languages that write no spaces, or in which spaces are optional. */
export function hasUnspaced(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
}

/**
 * Compiles patterns over folded words between single spaces. In a pattern, `...` matches the rest
 * of a word and `~` up to three words.
 */
export function wordPattern(...patterns: string[]): RegExp {
  const source = patterns
    .map((pattern) => fold(pattern).replaceAll('...', '[^ ]*').replaceAll('~', '(?: [^ ,]+){0,3}'))
    .join('|')
  return new RegExp(`(?<= )(?:${source})(?= )`, 'gu')
}
