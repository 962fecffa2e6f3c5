import { useQuery } from '@tanstack/react-query'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { hasAdvancedFilters } from '@x-automated/contract/platform/plans'
import { Search } from 'lucide-react'
import { api } from '../../../api'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { NumberInput } from '../../../ui/number-input'
import { Select } from '../../../ui/select'
import { LABEL_NAMES } from './history-text'
import { basisLabels, FOLLOWERS_MAX, parseKeyword, statusLabels } from './leads-url'
import { useTagsToPick } from './tag-badge'

/** The fields of a filter. */
export interface FilterDraft {
  keyword: string
  min: number | null
  max: number | null
  status: string
  /** A tag's id or name. */
  tag: string
  basis: string
  label: string
}

/** The fields of a filter; `filterOf` reverses it. */
export function draftOf({ keyword, minFollowers, maxFollowers, status, tag, basis, label }: LeadFilter): FilterDraft {
  return {
    keyword: keyword ?? '',
    min: minFollowers ?? null,
    max: maxFollowers ?? null,
    status: status ?? '',
    tag: tag ?? '',
    basis: basis ?? '',
    label: label ?? '',
  }
}

/** What is wrong with the range, as a text to show. */
export function rangeProblem({ min, max }: Pick<FilterDraft, 'min' | 'max'>): string | undefined {
  return min !== null && max !== null && max < min ? 'Less than the minimum' : undefined
}

/** The filter of the fields. Criteria without a field are kept. */
export function filterOf(draft: FilterDraft, { listId, scrapeId }: LeadFilter): LeadFilter {
  return {
    listId,
    scrapeId,
    keyword: parseKeyword(draft.keyword, 200),
    minFollowers: draft.min ?? undefined,
    maxFollowers: draft.max ?? undefined,
    status: (draft.status || undefined) as LeadFilter['status'],
    tag: draft.tag || undefined,
    basis: (draft.basis || undefined) as LeadFilter['basis'],
    label: (draft.label || undefined) as LeadFilter['label'],
  }
}

interface FilterFieldsProps {
  draft: FilterDraft
  onChange: (draft: FilterDraft, isTyped: boolean) => void
  classNames: { keyword: string; status: string }
}

/** The criteria of a filter. A lead must meet all of them. */
export function FilterFields({ draft, onChange, classNames }: FilterFieldsProps) {
  const tags = useTagsToPick().data?.tags ?? []
  const plan = useQuery(api.billing.overview.queryOptions()).data?.level
  const isLabelOffered = plan === undefined || hasAdvancedFilters(plan)
  const tag = tags.find(({ id, name }) => id === draft.tag || name === draft.tag)
  const type = (change: Partial<FilterDraft>) => onChange({ ...draft, ...change }, true)
  const select = (change: Partial<FilterDraft>) => onChange({ ...draft, ...change }, false)
  const options = (any: string, labels: Record<string, string>) =>
    Object.entries({ '': any, ...labels }).map(([value, label]) => ({ value, label }))
  return (
    <>
      <Field label="Keyword" className={classNames.keyword}>
        <Input
          inputMode="search"
          enterKeyHint="search"
          leading={<Search />}
          placeholder="Bio, name or handle"
          maxLength={200}
          value={draft.keyword}
          onChange={(event) => type({ keyword: event.currentTarget.value })}
        />
      </Field>
      <Field label="Min followers">
        <NumberInput placeholder="Any" max={FOLLOWERS_MAX} value={draft.min} onChange={(min) => type({ min })} />
      </Field>
      <Field label="Max followers" error={rangeProblem(draft)}>
        <NumberInput placeholder="Any" max={FOLLOWERS_MAX} value={draft.max} onChange={(max) => type({ max })} />
      </Field>
      <Field label="Status" className={classNames.status}>
        <Select
          value={draft.status}
          options={options('All statuses', statusLabels)}
          onChange={(event) => select({ status: event.currentTarget.value })}
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
          onChange={(event) => select({ tag: event.currentTarget.value })}
        />
      </Field>
      <Field label="Contact basis">
        <Select
          value={draft.basis}
          options={options('Any', basisLabels)}
          onChange={(event) => select({ basis: event.currentTarget.value })}
        />
      </Field>
      <Field label="Reply label">
        <Select
          value={draft.label}
          disabled={!isLabelOffered && draft.label === ''}
          options={options(isLabelOffered ? 'All labels' : 'Pro plan', LABEL_NAMES)}
          onChange={(event) => select({ label: event.currentTarget.value })}
        />
      </Field>
    </>
  )
}
