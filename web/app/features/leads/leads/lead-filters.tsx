import { useQuery } from '@tanstack/react-query'
import type { ContactBasis, LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import { Search, X } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { api } from '../../../api'
import { IconButton } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { NumberInput } from '../../../ui/number-input'
import { Select } from '../../../ui/select'
import { scrapeTitle } from '../scrapes/scrape-text'
import { basisLabels, FOLLOWERS_MAX, type LeadsView, parseKeyword, sortLabels, statusLabels } from './leads-url'
import { SavedFilters, type SavedFiltersProps } from './saved-filters'
import { useTags } from './tag-badge'

const DEBOUNCE_MS = 300

/** The text in the fields, applied to the filter after a pause in typing. */
interface Draft {
  keyword: string
  min: number | null
  max: number | null
}

function draftOf({ keyword, minFollowers, maxFollowers }: LeadFilter): Draft {
  return {
    keyword: keyword ?? '',
    min: minFollowers ?? null,
    max: maxFollowers ?? null,
  }
}

const isSame = (a: Draft, b: Draft) => a.keyword.trim() === b.keyword.trim() && a.min === b.min && a.max === b.max

function withDraft(filter: LeadFilter, draft: Draft): LeadFilter {
  return {
    ...filter,
    keyword: parseKeyword(draft.keyword, 200),
    minFollowers: draft.min ?? undefined,
    maxFollowers: draft.max ?? undefined,
  }
}

export interface LeadFiltersProps {
  view: LeadsView
  onChange: (filter: LeadFilter) => void
  onSort: (sort: LeadSort) => void
  onPick: SavedFiltersProps['onPick']
}

/** The filters of the Leads page. Typed values apply after a pause, selected ones immediately. */
export function LeadFilters({ view, onChange, onSort, onPick }: LeadFiltersProps) {
  const { filter, sort } = view
  const tags = useTags().data?.tags ?? []
  const [draft, setDraft] = useState(() => draftOf(filter))
  const [applied, setApplied] = useState(() => draftOf(filter))
  const inUrl = draftOf(filter)
  // The URL changed from outside (the back button, a link): update the fields.
  if (!isSame(inUrl, applied)) {
    setApplied(inUrl)
    setDraft(inUrl)
  }

  const apply = (next: LeadFilter) => {
    setApplied(draftOf(next))
    onChange(next)
  }
  const applyTyped = useEffectEvent(() => {
    const next = withDraft(filter, draft)
    if (!isSame(draftOf(next), draftOf(filter))) apply(next)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each keystroke restarts the timer
  useEffect(() => {
    const timer = setTimeout(applyTyped, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [draft])

  return (
    <search aria-label="Filter leads" className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4 lg:grid-cols-[minmax(0,1fr)_8rem_8rem_9.5rem_9.5rem_9.5rem]">
        <Field label="Keyword" className="max-md:col-span-2 md:max-lg:col-span-2">
          <Input
            inputMode="search"
            enterKeyHint="search"
            leading={<Search aria-hidden />}
            placeholder="Bio, name or handle"
            maxLength={200}
            value={draft.keyword}
            onChange={(event) => setDraft({ ...draft, keyword: event.currentTarget.value })}
          />
        </Field>
        <Field label="Min followers">
          <NumberInput
            placeholder="Any"
            max={FOLLOWERS_MAX}
            value={draft.min}
            onChange={(min) => setDraft({ ...draft, min })}
          />
        </Field>
        <Field
          label="Max followers"
          error={
            draft.min !== null && draft.max !== null && draft.max < draft.min ? 'Less than the minimum' : undefined
          }
        >
          <NumberInput
            placeholder="Any"
            max={FOLLOWERS_MAX}
            value={draft.max}
            onChange={(max) => setDraft({ ...draft, max })}
          />
        </Field>
        <Field label="Status" className="md:max-lg:col-span-2">
          <Select
            value={filter.status ?? 'all'}
            options={[
              { value: 'all', label: 'All statuses' },
              ...Object.entries(statusLabels).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => {
              const picked = event.currentTarget.value
              const status = picked === 'all' ? undefined : (picked as LeadFilter['status'])
              apply({ ...withDraft(filter, draft), status })
            }}
          />
        </Field>
        <Field label="Tag">
          <Select
            value={tags.find(({ id, name }) => id === filter.tag || name === filter.tag)?.id ?? filter.tag ?? ''}
            options={[
              { value: '', label: 'All tags' },
              ...tags.map(({ id, name }) => ({ value: id, label: name })),
              ...(filter.tag && !tags.some(({ id, name }) => id === filter.tag || name === filter.tag)
                ? [{ value: filter.tag, label: 'Unknown tag' }]
                : []),
            ]}
            onChange={(event) => apply({ ...withDraft(filter, draft), tag: event.currentTarget.value || undefined })}
          />
        </Field>
        <Field label="Contact basis">
          <Select
            value={filter.basis ?? 'all'}
            options={[
              { value: 'all', label: 'Any' },
              ...Object.entries(basisLabels).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => {
              const picked = event.currentTarget.value
              apply({ ...withDraft(filter, draft), basis: picked === 'all' ? undefined : (picked as ContactBasis) })
            }}
          />
        </Field>
        <Field label="Sort by" className="md:hidden">
          <Select
            value={sort}
            options={Object.entries(sortLabels).map(([value, label]) => ({ value, label }))}
            onChange={(event) => onSort(event.currentTarget.value as LeadSort)}
          />
        </Field>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SavedFilters
          view={view}
          isFiltered={Object.values(filter).some((value) => value !== undefined)}
          onPick={onPick}
        />
        {filter.scrapeId && (
          <SourceFilter onRemove={() => apply({ ...filter, scrapeId: undefined })}>
            <ScrapeName id={filter.scrapeId} />
          </SourceFilter>
        )}
        {filter.listId && (
          <SourceFilter onRemove={() => apply({ ...filter, listId: undefined })}>
            <ListName id={filter.listId} />
          </SourceFilter>
        )}
      </div>
    </search>
  )
}

/** A filter without a field, as text with a button that removes it. */
function SourceFilter({ onRemove, children }: { onRemove: () => void; children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 text-muted">
      <span className="wrap-anywhere">Source: {children}</span>
      <IconButton size="sm" label="Remove source filter" onClick={onRemove}>
        <X aria-hidden />
      </IconButton>
    </p>
  )
}

function ListName({ id }: { id: string }) {
  const { data } = useQuery(api.lists.find.queryOptions({ input: { id } }))
  return <>list {data && <bdi>“{data.name}”</bdi>}</>
}

function ScrapeName({ id }: { id: string }) {
  const { data } = useQuery(api.scrapes.find.queryOptions({ input: { id } }))
  return <>scrape {data && `“${scrapeTitle(data)}”`}</>
}
