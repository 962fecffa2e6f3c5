import { formatList } from '@x-automated/contract/format'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { NumberInput } from '../../../ui/number-input'
import { Select } from '../../../ui/select'
import { basisLabels, FOLLOWERS_MAX, statusLabels } from '../leads/leads-url'
import { useTagsToPick } from '../leads/tag-badge'
import { type FilterDraft, rangeProblem } from './filter-draft'

interface FilterFieldsProps {
  draft: FilterDraft
  /** The saved filter, whose criteria without a field are kept. */
  saved: LeadFilter
  onChange: (draft: FilterDraft) => void
}

/** The criteria of a smart list. A lead must meet all of them. */
export function FilterFields({ draft, saved, onChange }: FilterFieldsProps) {
  const tags = useTagsToPick().data?.tags ?? []
  const tag = tags.find(({ id, name }) => id === draft.tag || name === draft.tag)
  const kept = [saved.listId && 'list', saved.scrapeId && 'scrape'].filter((one) => typeof one === 'string')
  return (
    <fieldset className="grid gap-3 rounded-lg border border-line p-4 sm:grid-cols-2">
      <legend className="px-1 font-strong">Include leads matching</legend>
      <Field label="Keyword" className="sm:col-span-2">
        <Input
          placeholder="Bio, name or handle"
          maxLength={200}
          value={draft.keyword}
          onChange={(event) => onChange({ ...draft, keyword: event.currentTarget.value })}
        />
      </Field>
      <Field label="Min followers">
        <NumberInput
          placeholder="Any"
          max={FOLLOWERS_MAX}
          value={draft.min}
          onChange={(min) => onChange({ ...draft, min })}
        />
      </Field>
      <Field label="Max followers" error={rangeProblem(draft)}>
        <NumberInput
          placeholder="Any"
          max={FOLLOWERS_MAX}
          value={draft.max}
          onChange={(max) => onChange({ ...draft, max })}
        />
      </Field>
      <Field label="Status" className="sm:col-span-2">
        <Select
          value={draft.status}
          options={[
            { value: '', label: 'All statuses' },
            ...Object.entries(statusLabels).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(event) => onChange({ ...draft, status: event.currentTarget.value })}
        />
      </Field>
      <Field label="Tag">
        <Select
          value={tag?.id ?? draft.tag}
          options={[
            { value: '', label: 'All tags' },
            ...tags.map(({ id, name }) => ({ value: id, label: name })),
            ...(draft.tag && !tag ? [{ value: draft.tag, label: 'Unknown tag' }] : []),
          ]}
          onChange={(event) => onChange({ ...draft, tag: event.currentTarget.value })}
        />
      </Field>
      <Field label="Contact basis">
        <Select
          value={draft.basis}
          options={[
            { value: '', label: 'Any' },
            ...Object.entries(basisLabels).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(event) => onChange({ ...draft, basis: event.currentTarget.value })}
        />
      </Field>
      {kept.length > 0 && (
        <p className="text-muted sm:col-span-2">Also filtered by {formatList(kept)}, as set on the Leads page.</p>
      )}
    </fieldset>
  )
}
