/** Maximum number of bio keywords per scrape. */
export const KEYWORDS_MAX = 50
/** Maximum length of a keyword. */
export const KEYWORD_LENGTH_MAX = 100
