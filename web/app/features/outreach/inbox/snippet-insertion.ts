import type { Snippet } from '@x-automated/contract/outreach/snippets'
import type { Template } from '@x-automated/contract/outreach/templates'

const SHOWN_MAX = 6

/** A text to insert: a snippet, or a template under its name. */
export type Insertion = Pick<Snippet, 'id' | 'shortcut' | 'text'> & { isTemplate?: boolean }

/** The workspace's own templates of one message. */
export function templateInsertions(templates: readonly Template[]): Insertion[] {
  return templates
    .filter(({ isStarter, steps }) => !isStarter && steps.length === 1)
    .map(({ id, name, steps }) => ({
      id,
      shortcut: name,
      text: steps[0]?.variants.find(({ isActive }) => isActive)?.messageTemplate ?? '',
      isTemplate: true,
    }))
}

/** What follows a slash that begins a word before the cursor; null without one. */
export function snippetQuery(beforeCursor: string): string | null {
  return beforeCursor.match(/(?:^|\s)\/([^\s/]*)$/)?.[1] ?? null
}

/** The snippets that a query means, by shortcut first. */
export function matchingSnippets<One extends Insertion>(all: readonly One[], query: string): One[] {
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
