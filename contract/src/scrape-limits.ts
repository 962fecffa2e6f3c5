/** Words of a scrape's filter of bios, at most. */
export const KEYWORDS_MAX = 50
/** Characters of one such word, at most. */
export const KEYWORD_LENGTH_MAX = 100
