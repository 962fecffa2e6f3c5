import type { LeadFilter } from '@x-automated/contract/leads'
import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { Select } from '../../ui/select'
import { followersIn, standingWords } from './lead-address'

/** Typing is over when nothing was typed for this long. */
const DEBOUNCE_MS = 300

/** What stands in the fields; the filter follows when typing is over. */
interface Draft {
  keyword: string
  min: string
  max: string
}

function draftOf({ keyword, minFollowers, maxFollowers }: LeadFilter): Draft {
  return {
    keyword: keyword ?? '',
    min: minFollowers === undefined ? '' : String(minFollowers),
    max: maxFollowers === undefined ? '' : String(maxFollowers),
  }
}

const isSame = (a: Draft, b: Draft) => a.keyword.trim() === b.keyword.trim() && a.min === b.min && a.max === b.max

/** The filter with what the fields say. */
function withDraft(filter: LeadFilter, draft: Draft): LeadFilter {
  const keyword = draft.keyword.trim().slice(0, 200)
  return {
    ...filter,
    keyword: keyword || undefined,
    minFollowers: followersIn(draft.min),
    maxFollowers: followersIn(draft.max),
  }
}

export interface LeadFiltersProps {
  filter: LeadFilter
  onChange: (filter: LeadFilter) => void
}

/** Which leads to show. What is typed counts after a short while, what is picked at once. */
export function LeadFilters({ filter, onChange }: LeadFiltersProps) {
  const [draft, setDraft] = useState(() => draftOf(filter))
  const [applied, setApplied] = useState(() => draftOf(filter))
  const inAddress = draftOf(filter)
  // The address was changed by something else (going back, a link): the fields follow it.
  if (!isSame(inAddress, applied)) {
    setApplied(inAddress)
    setDraft(inAddress)
  }

  const apply = (next: LeadFilter) => {
    setApplied(draftOf(next))
    onChange(next)
  }
  const applyTyped = useEffectEvent(() => {
    const next = withDraft(filter, draft)
    if (!isSame(draftOf(next), draftOf(filter))) apply(next)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each key that is typed begins the wait anew
  useEffect(() => {
    const timer = setTimeout(applyTyped, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [draft])

  const min = followersIn(draft.min)
  const max = followersIn(draft.max)
  const numberProblem = (typed: string, value: number | undefined) =>
    typed.trim() !== '' && value === undefined ? 'Enter a number' : undefined

  return (
    <search aria-label="Filter leads" className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="grid grid-cols-2 gap-3 md:grid-cols-[minmax(0,1fr)_8.5rem_8.5rem_10rem]">
        <Field label="Keyword" className="max-md:col-span-2">
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
        <Field label="Min followers" error={numberProblem(draft.min, min)}>
          <Input
            inputMode="numeric"
            placeholder="Any"
            value={draft.min}
            onChange={(event) => setDraft({ ...draft, min: event.currentTarget.value })}
          />
        </Field>
        <Field
          label="Max followers"
          error={
            numberProblem(draft.max, max) ??
            (min !== undefined && max !== undefined && max < min ? 'Less than the minimum' : undefined)
          }
        >
          <Input
            inputMode="numeric"
            placeholder="Any"
            value={draft.max}
            onChange={(event) => setDraft({ ...draft, max: event.currentTarget.value })}
          />
        </Field>
        <Field label="Status" className="max-md:col-span-2">
          <Select
            value={filter.status ?? 'all'}
            options={[
              { value: 'all', label: 'All statuses' },
              ...Object.entries(standingWords).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => {
              const picked = event.currentTarget.value
              const status = picked === 'all' ? undefined : (picked as LeadFilter['status'])
              apply({ ...withDraft(filter, draft), status })
            }}
          />
        </Field>
      </div>
      {filter.scrapeId && <p className="text-muted">Only the leads that one scrape found.</p>}
    </search>
  )
}
