import { formatNumber } from '@x-automated/contract/format'
import { SCRAPE_HANDLES_MAX } from '@x-automated/contract/leads/scrape-limits'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { handleIn } from '@x-automated/contract/x-handle'
import { listIdIn, postIdIn } from '@x-automated/contract/x-url'
import { AtSign } from 'lucide-react'
import type { UseFormReturn } from 'react-hook-form'
import { fieldProblems } from '../../../api'
import { Field } from '../../../ui/field'
import { Input, Textarea } from '../../../ui/input'
import { handleProblem, type ScrapeSource } from './scrape-text'

/** The fields of the scraper's form. */
export interface Values {
  type: Scrape['type']
  handle: string
  postUrl: string
  listUrl: string
  /** Pasted handles, separated by spaces, commas or lines. */
  handles: string
  minFollowers: number
  maxFollowers: number
  keywords: string[]
  /** '' until the user chooses: what the plan suggests. */
  leadLimit: string
  /** A keyword that has been typed but not added yet. */
  keyword: string
  username: string
  password: string
}

/** Sources of scrapes, in the order of the form. X may support fewer. */
export const SOURCES: readonly { value: Scrape['type']; label: string }[] = [
  { value: 'followers', label: 'Followers' },
  { value: 'following', label: 'Following' },
  { value: 'likers', label: 'Likes' },
  { value: 'repliers', label: 'Replies' },
  { value: 'list_members', label: 'List members' },
  { value: 'handles', label: 'Handles' },
]

/** The form field that each type reads. */
export const FORM_FIELDS = {
  followers: 'handle',
  following: 'handle',
  likers: 'postUrl',
  repliers: 'postUrl',
  list_members: 'listUrl',
  handles: 'handles',
} as const satisfies Record<Scrape['type'], keyof Values>

type Typed = Pick<Values, 'type' | 'handle' | 'postUrl' | 'listUrl' | 'handles'>

const handlesIn = (text: string) => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map(handleIn)
      .filter((handle) => handle !== ''),
  ),
]

/** The chosen source, in the form of a request. */
export function sourceIn({ type, handle, postUrl, listUrl, handles }: Typed): ScrapeSource {
  switch (FORM_FIELDS[type]) {
    case 'postUrl':
      return { type, postUrl: postUrl.trim() }
    case 'listUrl':
      return { type, listUrl: listUrl.trim() }
    case 'handles':
      return { type, handles: handlesIn(handles) }
    case 'handle':
      return { type, twitterHandle: handleIn(handle) }
  }
}

/** What is wrong with the chosen source, or null. */
function problemIn({ type, handle, postUrl, listUrl, handles }: Typed): string | null {
  switch (FORM_FIELDS[type]) {
    case 'postUrl':
      return postIdIn(postUrl) === null ? 'Enter the URL of a post, such as https://x.com/ana/status/123' : null
    case 'listUrl':
      return listIdIn(listUrl) === null ? 'Enter the URL of a list, such as https://x.com/i/lists/123' : null
    case 'handles': {
      const all = handlesIn(handles)
      if (all.length === 0) return 'Enter at least one handle'
      if (all.length > SCRAPE_HANDLES_MAX) return `Enter at most ${formatNumber(SCRAPE_HANDLES_MAX)} handles`
      const wrong = all.find((candidate) => handleProblem(candidate) !== null)
      return wrong === undefined ? null : `“${wrong}” is not a handle.`
    }
    case 'handle':
      return handleProblem(handle)
  }
}

/** The server's message about the source, or null. */
export function sourceProblem(error: unknown): string | null {
  const problems = fieldProblems(error)
  return problems.twitterHandle ?? problems.postUrl ?? problems.listUrl ?? problems.handles ?? null
}

interface SourceFieldProps {
  form: UseFormReturn<Values>
  type: Scrape['type']
  error: string | undefined
}

const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
const large = 'min-h-14 text-xl sm:text-2xl'

/** The handle, URL or handles to read. It is the largest text on the page. */
export function SourceField({ form, type, error }: SourceFieldProps) {
  const field = FORM_FIELDS[type]
  const rules = { validate: () => problemIn(form.getValues()) ?? true, shouldUnregister: false }
  const fieldProps = { error, required: true, className: 'min-w-0 flex-1 basis-60' }
  if (field === 'handles')
    return (
      <Field label="Handles to read" hint="Separate them with spaces, commas or line breaks." {...fieldProps}>
        <Textarea
          key={field}
          placeholder="@ana @ben"
          {...plain}
          className="max-h-60"
          {...form.register(field, rules)}
        />
      </Field>
    )
  if (field !== 'handle')
    return (
      <Field
        label={field === 'postUrl' ? 'URL of the post' : 'URL of the list'}
        hint={type === 'repliers' && 'X only finds replies from the last 7 days.'}
        {...fieldProps}
      >
        <Input
          key={field}
          type="url"
          placeholder={field === 'postUrl' ? 'https://x.com/ana/status/123' : 'https://x.com/i/lists/123'}
          {...plain}
          className={large}
          {...form.register(field, rules)}
        />
      </Field>
    )
  return (
    <Field label="X Handle to Scrape" {...fieldProps}>
      <Input
        key={field}
        leading={<AtSign />}
        placeholder="handle"
        {...plain}
        className={large}
        {...form.register('handle', {
          ...rules,
          onBlur: ({ target }) => form.setValue('handle', handleIn(target.value)),
        })}
      />
    </Field>
  )
}
