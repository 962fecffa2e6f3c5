import { useQuery } from '@tanstack/react-query'
import type { LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { api } from '../../../api'
import { IconButton } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Select } from '../../../ui/select'
import { scrapeTitle } from '../scrapes/scrape-text'
import { draftOf, type FilterDraft, FilterFields, filterOf } from './filter-fields'
import { isFiltered, type LeadsView, sortLabels } from './leads-url'
import { SavedFilters, type SavedFiltersProps } from './saved-filters'

const DEBOUNCE_MS = 300

/** The fields that are typed, and apply after a pause. The others are always as in the URL. */
type Typed = Pick<FilterDraft, 'keyword' | 'min' | 'max'>

const typedIn = ({ keyword, min, max }: FilterDraft): Typed => ({ keyword, min, max })
const typedOf = (filter: LeadFilter) => typedIn(draftOf(filter))
const isSame = (a: Typed, b: Typed) => a.keyword.trim() === b.keyword.trim() && a.min === b.min && a.max === b.max

interface LeadFiltersProps extends Pick<SavedFiltersProps, 'onPick'> {
  view: LeadsView
  onChange: (filter: LeadFilter) => void
  onSort: (sort: LeadSort) => void
}

/** The filters of the Leads page. Typed values apply after a pause, selected ones immediately. */
export function LeadFilters({ view, onChange, onSort, onPick }: LeadFiltersProps) {
  const { filter, sort } = view
  const [typed, setTyped] = useState(() => typedOf(filter))
  const [applied, setApplied] = useState(() => typedOf(filter))
  const inUrl = typedOf(filter)
  // The URL changed from outside (the back button, a link): update the fields.
  if (!isSame(inUrl, applied)) {
    setApplied(inUrl)
    setTyped(inUrl)
  }
  const draft = { ...draftOf(filter), ...typed }

  const apply = (next: LeadFilter) => {
    setApplied(typedOf(next))
    onChange(next)
  }
  const applyTyped = useEffectEvent(() => {
    if (!isSame(typed, inUrl)) apply(filterOf(draft, filter))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each keystroke restarts the timer
  useEffect(() => {
    const timer = setTimeout(applyTyped, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [typed])

  return (
    <search aria-label="Filter leads" className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
        <FilterFields
          draft={draft}
          onChange={(next, isTyped) => {
            if (isTyped) setTyped(typedIn(next))
            else apply(filterOf(next, filter))
          }}
          classNames={{ keyword: 'col-span-2', status: '' }}
        />
        <Field label="Sort by" className="md:hidden">
          <Select
            value={sort}
            options={Object.entries(sortLabels).map(([value, label]) => ({ value, label }))}
            onChange={(event) => onSort(event.currentTarget.value as LeadSort)}
          />
        </Field>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SavedFilters view={view} isFiltered={isFiltered(filter)} onPick={onPick} />
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
      <IconButton icon={<X />} size="sm" label="Remove source filter" onClick={onRemove} />
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
