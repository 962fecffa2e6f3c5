import { LIST_TAG_LENGTH_MAX, LIST_TAGS_MAX } from '@x-automated/contract/leads/lead-limits'

/** Splits typed tags at commas, trims them and drops empty ones. */
export function parseTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

/** The problem of typed tags, as text to show; undefined if there is none. */
export function tagsProblem(text: string): string | undefined {
  const tags = parseTags(text)
  if (tags.length > LIST_TAGS_MAX) return `At most ${LIST_TAGS_MAX} tags`
  return tags.some((tag) => tag.length > LIST_TAG_LENGTH_MAX)
    ? `A tag has at most ${LIST_TAG_LENGTH_MAX} characters`
    : undefined
}
