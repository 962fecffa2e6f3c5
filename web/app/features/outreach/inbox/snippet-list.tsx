import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type RefObject, useId, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { cn } from '../../../ui/cn'
import type { Recipient } from '../campaigns/message-template'
import {
  type Insertion,
  matchingSnippets,
  snippetQuery,
  templateInsertions,
  withSnippet,
  withValues,
} from './snippet-insertion'

interface SnippetListOptions {
  text: string
  setText: (text: string) => void
  textarea: RefObject<HTMLTextAreaElement | null>
  /** The lead whose values fill the variables. */
  recipient: Recipient
}

/** The list of snippets and templates that a slash before the cursor opens. */
export function useSnippetList({ text, setText, textarea, recipient }: SnippetListOptions) {
  const listId = useId()
  const [cursor, setCursor] = useState(0)
  const [index, setIndex] = useState(0)
  const [closedAt, setClosedAt] = useState<string | null>(null)
  const query = snippetQuery(text.slice(0, cursor))
  const isOpen = query !== null && closedAt !== text
  const snippets = useQuery(api.snippets.list.queryOptions({ enabled: isOpen })).data?.snippets
  const templates = useQuery(api.templates.list.queryOptions({ input: { pageSize: 100 }, enabled: isOpen })).data
  const all: Insertion[] | undefined = snippets && [...snippets, ...templateInsertions(templates?.templates ?? [])]
  const matches = isOpen && all ? matchingSnippets(all, query) : []
  const active = matches[Math.min(index, matches.length - 1)]
  const move = (position: number) =>
    requestAnimationFrame(() => {
      textarea.current?.focus()
      textarea.current?.setSelectionRange(position, position)
      setCursor(position)
    })
  const insert = (snippet: Insertion) => {
    const next = withSnippet(text, cursor, withValues(snippet.text, recipient))
    setText(next.text)
    move(next.cursor)
  }
  return {
    onSelect: () => {
      setCursor(textarea.current?.selectionStart ?? 0)
      setIndex(0)
    },
    /** Opens the list by typing the slash. */
    open() {
      const at = textarea.current?.selectionStart ?? text.length
      const slash = at === 0 || /\s$/.test(text.slice(0, at)) ? '/' : ' /'
      setClosedAt(null)
      setText(text.slice(0, at) + slash + text.slice(at))
      move(at + slash.length)
    },
    props: {
      'aria-autocomplete': 'list',
      'aria-controls': matches.length > 0 ? listId : undefined,
      'aria-activedescendant': active && `${listId}-${active.id}`,
    } as const,
    /** @returns whether the list has handled the key */
    onKeyDown(event: KeyboardEvent): boolean {
      if (!active || event.metaKey || event.ctrlKey) return false
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (by) setIndex((matches.indexOf(active) + by + matches.length) % matches.length)
      else if (event.key === 'Enter' || event.key === 'Tab') insert(active)
      else if (event.key === 'Escape') setClosedAt(text)
      else return false
      event.preventDefault()
      return true
    },
    list: isOpen && all && (
      <div className="popup absolute inset-x-0 bottom-full z-10 mb-1.5 rounded-lg p-1">
        {matches.length === 0 ? (
          <p role="status" className="px-2 py-1.5 text-muted">
            {all.length === 0 ? (
              <>
                No snippets yet. Create them in{' '}
                <Link to={`${paths.settings}?tab=inbox`} className="text-link">
                  Settings
                </Link>
                .
              </>
            ) : (
              'No matching snippets'
            )}
          </p>
        ) : (
          <Options listId={listId} snippets={matches} active={active} onInsert={insert} />
        )}
      </div>
    ),
  }
}

interface OptionsProps {
  listId: string
  snippets: readonly Insertion[]
  active: Insertion | undefined
  onInsert: (snippet: Insertion) => void
}

function Options({ listId, snippets, active, onInsert }: OptionsProps) {
  return (
    <div id={listId} role="listbox" aria-label="Snippets">
      {snippets.map((snippet) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled in the text field
        <div
          key={snippet.id}
          id={`${listId}-${snippet.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={snippet === active}
          className={cn('flex cursor-default gap-3 rounded-md px-2 py-1.5', snippet === active && 'bg-hover')}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onInsert(snippet)}
        >
          <span className="max-w-1/2 shrink-0 truncate font-strong">
            {snippet.isTemplate ? snippet.shortcut : `/${snippet.shortcut}`}
          </span>
          <span className="truncate text-muted">{snippet.text}</span>
        </div>
      ))}
    </div>
  )
}
