import type { Snippet } from '@x-automated/contract/outreach/snippets'
import type { Template } from '@x-automated/contract/outreach/templates'
import { previewOf, type Recipient, writtenPieces } from '../campaigns/message-template'

const MATCHES_MAX = 6

/** A text to insert: a snippet, or a template (with its name as the shortcut). */
export type Insertion = Pick<Snippet, 'id' | 'shortcut' | 'text'> & { isTemplate?: boolean }

/** The workspace's own one-message templates, as insertions. */
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

/** The text between the cursor and a slash that starts a word; null without such a slash. */
export function snippetQuery(beforeCursor: string): string | null {
  return beforeCursor.match(/(?:^|\s)\/([^\s/]*)$/)?.[1] ?? null
}

/** Snippets that match a query, those with a matching shortcut first. */
export function matchingSnippets<One extends Insertion>(all: readonly One[], query: string): One[] {
  const wanted = query.toLowerCase()
  const starting = all.filter(({ shortcut }) => shortcut.toLowerCase().startsWith(wanted))
  const others = all.filter((snippet) => !starting.includes(snippet) && snippet.text.toLowerCase().includes(wanted))
  return [...starting, ...others].slice(0, MATCHES_MAX)
}

/** Replaces the slash and everything up to the cursor with a snippet. */
export function withSnippet(text: string, cursor: number, snippet: string): { text: string; cursor: number } {
  const start = cursor - (snippetQuery(text.slice(0, cursor)) ?? '').length - 1
  return { text: text.slice(0, start) + snippet + text.slice(cursor), cursor: start + snippet.length }
}

/** Fills in the lead's values. Columns with neither a value nor a fallback stay as written. */
export function withValues(text: string, recipient: Recipient): string {
  return previewOf(text, recipient)
    .map((piece) => {
      if (piece.kind !== 'unknown' || !/^\{{1,2}[^{}|]+\}{1,2}$/.test(piece.text)) return piece.text
      // Without a fallback, the parser does not accept a column, so add an empty one.
      const filled = previewOf(piece.text.replace(/\}+$/, '|$&'), recipient).map((part) => part.text)
      return filled.join('') || piece.text
    })
    .join('')
}

/** The variables of a text as written, without duplicates. */
export function variablesIn(text: string): string[] {
  return [...new Set(writtenPieces(text).flatMap((piece) => (piece.kind === 'text' ? [] : [piece.text])))]
}
