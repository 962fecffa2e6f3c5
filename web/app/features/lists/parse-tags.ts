/** Tags as someone types them: separated by commas, trimmed, empty ones dropped (specification §5). */
export function parseTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

/** The contract's LIST_TAGS_MAX and LIST_TAG_LENGTH_MAX. */
const TAGS_MAX = 20
const LENGTH_MAX = 40

/** What is wrong with typed tags, in words; undefined: nothing. */
export function tagsProblem(text: string): string | undefined {
  const tags = parseTags(text)
  if (tags.length > TAGS_MAX) return `At most ${TAGS_MAX} tags`
  return tags.some((tag) => tag.length > LENGTH_MAX) ? `A tag has at most ${LENGTH_MAX} characters` : undefined
}
