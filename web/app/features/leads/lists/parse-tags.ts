/** Splits typed tags at commas, trims them and drops empty ones. */
export function parseTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

// The contract's LIST_TAGS_MAX and LIST_TAG_LENGTH_MAX; a test compares them.
const TAGS_MAX = 20
const LENGTH_MAX = 40

/** What is wrong with typed tags, as text to show; undefined if nothing. */
export function tagsProblem(text: string): string | undefined {
  const tags = parseTags(text)
  if (tags.length > TAGS_MAX) return `At most ${TAGS_MAX} tags`
  return tags.some((tag) => tag.length > LENGTH_MAX) ? `A tag has at most ${LENGTH_MAX} characters` : undefined
}
