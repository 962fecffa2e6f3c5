import type { Snippet } from '@x-automated/contract/outreach/snippets'

const SHOWN_MAX = 6

/** What follows a slash that begins a word before the cursor; null without one. */
export function snippetQuery(beforeCursor: string): string | null {
  return beforeCursor.match(/(?:^|\s)\/([^\s/]*)$/)?.[1] ?? null
}

/** The snippets that a query means, by shortcut first. */
export function matchingSnippets(all: readonly Snippet[], query: string): Snippet[] {
  const wanted = query.toLowerCase()
  const starting = all.filter(({ shortcut }) => shortcut.toLowerCase().startsWith(wanted))
  const others = all.filter((one) => !starting.includes(one) && one.text.toLowerCase().includes(wanted))
  return [...starting, ...others].slice(0, SHOWN_MAX)
}

/** Replaces the slash and what follows it up to the cursor. */
export function withSnippet(text: string, cursor: number, snippet: string): { text: string; cursor: number } {
  const start = cursor - (snippetQuery(text.slice(0, cursor)) ?? '').length - 1
  return { text: text.slice(0, start) + snippet + text.slice(cursor), cursor: start + snippet.length }
}
