import type { LeadFilter } from '@x-automated/contract/leads'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { Select } from '../../ui/select'
import { standingWords } from '../leads/lead-address'
import { type FilterDraft, problemsOf } from './filter-draft'

interface FilterFieldsProps {
  draft: FilterDraft
  /** The filter as it is saved; what has no field here stays in it. */
  rest: LeadFilter
  onChange: (draft: FilterDraft) => void
}

/** Who is in a smart list. All that is said must hold. */
export function FilterFields({ draft, rest, onChange }: FilterFieldsProps) {
  const problems = problemsOf(draft)
  const others = [
    rest.listId && 'a list',
    rest.tag && 'a tag',
    rest.basis && 'a contact basis',
    rest.scrapeId && 'a scrape',
  ]
  const more = others.filter(Boolean).join(', ')
  return (
    <fieldset className="grid gap-3 rounded-lg border border-line p-4 sm:grid-cols-2">
      <legend className="px-1 font-strong">In the list is whoever matches</legend>
      <Field label="Keyword" className="sm:col-span-2">
        <Input
          placeholder="Bio, name or handle"
          maxLength={200}
          value={draft.keyword}
          onChange={(event) => onChange({ ...draft, keyword: event.currentTarget.value })}
        />
      </Field>
      <Field label="Min followers" error={problems.min}>
        <Input
          inputMode="numeric"
          placeholder="Any"
          value={draft.min}
          onChange={(event) => onChange({ ...draft, min: event.currentTarget.value })}
        />
      </Field>
      <Field label="Max followers" error={problems.max}>
        <Input
          inputMode="numeric"
          placeholder="Any"
          value={draft.max}
          onChange={(event) => onChange({ ...draft, max: event.currentTarget.value })}
        />
      </Field>
      <Field label="Status" className="sm:col-span-2">
        <Select
          value={draft.status}
          options={[
            { value: '', label: 'All statuses' },
            ...Object.entries(standingWords).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(event) => onChange({ ...draft, status: event.currentTarget.value })}
        />
      </Field>
      {more && <p className="text-muted sm:col-span-2">Also by {more}, as it was set on the Leads page.</p>}
    </fieldset>
  )
}
