import type { FieldCondition, LeadRules } from '@x-automated/contract/leads/lead-rules'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { FIELD_CONDITIONS_MAX } from '@x-automated/contract/leads/rule-fields'
import { Plus, Search, Split, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { NumberInput } from '../../../ui/number-input'
import { Select } from '../../../ui/select'
import { useDialogs } from '../../../ui/use-dialogs'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { ConditionEditor, DayField, PlanLock, TagPicker } from './advanced-filters'
import { dayText } from './days'
import { LABEL_NAMES } from './history-text'
import { basisLabels, FOLLOWERS_MAX, parseKeyword, statusLabels } from './leads-url'
import { conditionText, rulesCountText, rulesTexts, tagsText } from './rule-text'
import { RulesDialog } from './rules-dialog'
import { useTagsToPick } from './tag-badge'
import { useFilterLocks } from './use-filter-plan'

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
  tags: readonly string[]
  fields: readonly FieldCondition[]
  /** A time, or ''. */
  contactedAfter: string
  /** A time, or ''. */
  contactedBefore: string
  rules: LeadRules | null
}

/** The fields that represent a filter. `filterOf` is the reverse. */
export function draftOf(filter: LeadFilter): FilterDraft {
  return {
    keyword: filter.keyword ?? '',
    min: filter.minFollowers ?? null,
    max: filter.maxFollowers ?? null,
    status: filter.status ?? '',
    tag: filter.tag ?? '',
    basis: filter.basis ?? '',
    label: filter.label ?? '',
    tags: filter.tags ?? [],
    fields: filter.fields ?? [],
    contactedAfter: filter.contactedAfter ?? '',
    contactedBefore: filter.contactedBefore ?? '',
    rules: filter.rules ?? null,
  }
}

/** What is wrong with the range, or undefined. */
export function rangeProblem({ min, max }: Pick<FilterDraft, 'min' | 'max'>): string | undefined {
  return min !== null && max !== null && max < min ? 'Less than the minimum' : undefined
}

/** The filter that the fields represent. The list and the scrape, which have no field, are kept. */
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
    tags: draft.tags.length > 0 ? [...draft.tags] : undefined,
    fields: draft.fields.length > 0 ? [...draft.fields] : undefined,
    contactedAfter: draft.contactedAfter || undefined,
    contactedBefore: draft.contactedBefore || undefined,
    rules: draft.rules ?? undefined,
  }
}

interface FilterFieldsProps {
  draft: FilterDraft
  onChange: (draft: FilterDraft, isTyped: boolean) => void
  classNames: { keyword: string; status: string }
  /** The id of the list that is edited. */
  record?: string | undefined
}

/** The criteria of a filter. A lead must meet all of them. */
export function FilterFields({ draft, onChange, classNames, record }: FilterFieldsProps) {
  const tags = useTagsToPick().data?.tags ?? []
  const locks = useFilterLocks()
  const isLabelOffered = locks.advanced === null
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
      <MoreFilters record={record} draft={draft} locks={locks} onChange={select} />
    </>
  )
}

/** Drops duplicate conditions, because a condition's text is the key of its chip. */
export function withoutDuplicates(conditions: readonly FieldCondition[]): FieldCondition[] {
  return [...new Map(conditions.map((condition) => [JSON.stringify(condition), condition])).values()]
}

interface MoreFiltersProps extends Pick<FilterFieldsProps, 'record'> {
  draft: FilterDraft
  locks: ReturnType<typeof useFilterLocks>
  onChange: (change: Partial<FilterDraft>) => void
}

/** The filters that Pro and Agency add. On any plan, filters that are set can be removed. */
function MoreFilters({ draft, locks, record, onChange }: MoreFiltersProps) {
  const tags = useTagsToPick().data?.tags ?? []
  const dialogs = useDialogs<'rules'>()
  const focusFallback = useFocusFallback<HTMLDivElement>()
  const { rules, fields } = draft
  const lockTexts = [locks.advanced, locks.rules].filter((text) => text !== null)
  const [isAdding, setIsAdding] = useState(false)
  const chips = [
    ...(locks.advanced && draft.tags.length > 0
      ? [{ text: `Tags: ${tagsText(draft.tags, tags)}`, remove: { tags: [] } }]
      : []),
    ...fields.map((condition) => ({
      text: conditionText(condition),
      remove: { fields: fields.filter((other) => other !== condition) },
    })),
    ...(locks.advanced
      ? CONTACTED.filter(([field]) => draft[field]).map(([field, name]) => ({
          text: `${name} ${dayText(draft[field])}`,
          remove: { [field]: '' },
        }))
      : []),
    ...(locks.rules && rules
      ? [{ text: `Custom rules: ${rulesTexts(rules, tags).join(', ')}`, remove: { rules: null } }]
      : []),
  ]
  return (
    <div {...focusFallback} className="col-span-full grid grid-cols-1 gap-3 outline-none">
      {locks.advanced === null && (
        <>
          <fieldset className="grid gap-1.5">
            <legend className="pb-1.5 font-strong">Has all of these tags</legend>
            <TagPicker
              label="Has all of these tags"
              ids={draft.tags}
              onChange={(chosen) => onChange({ tags: chosen })}
            />
          </fieldset>
          <div className="grid grid-cols-2 gap-3">
            {CONTACTED.map(([field, name]) => (
              <DayField
                key={field}
                label={name}
                moment={draft[field]}
                onChange={(moment) => onChange({ [field]: moment })}
              />
            ))}
          </div>
        </>
      )}
      {chips.length > 0 && (
        <ul aria-label="Conditions" className="flex flex-wrap gap-1.5">
          {chips.map(({ text, remove }) => (
            <li
              key={text}
              className="flex max-w-full items-center gap-0.5 rounded-md border border-line bg-sunken ps-2"
            >
              <bdi className="min-w-0 py-1 wrap-anywhere">{text}</bdi>
              <IconButton icon={<X />} label={`Remove filter: ${text}`} size="sm" onClick={() => onChange(remove)} />
            </li>
          ))}
        </ul>
      )}
      {locks.advanced === null && isAdding && (
        <div className="rounded-lg border border-line p-1">
          <ConditionEditor
            label="Add condition"
            focuses
            onApply={(condition) => {
              onChange({ fields: withoutDuplicates([...fields, condition]) })
              setIsAdding(false)
            }}
          />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2 empty:hidden">
        {locks.advanced === null && !isAdding && fields.length < FIELD_CONDITIONS_MAX && (
          <Button size="sm" icon={<Plus />} onClick={() => setIsAdding(true)}>
            Custom field
          </Button>
        )}
        {locks.rules === null && (
          <Button size="sm" icon={<Split />} onClick={() => dialogs.show('rules')}>
            {rules ? `Custom rules: ${rulesCountText(rules)}` : 'Custom rules…'}
          </Button>
        )}
        {locks.rules === null && rules && (
          <Button size="sm" variant="ghost" onClick={() => onChange({ rules: null })}>
            Remove rules
          </Button>
        )}
      </div>
      {lockTexts.length > 0 && <PlanLock>{lockTexts.join(' ')}</PlanLock>}
      {dialogs.render((_, props) => (
        <RulesDialog
          record={record}
          rules={rules}
          filter={{ ...filterOf(draft, {}), rules: undefined }}
          onApply={(next) => onChange({ rules: next })}
          {...props}
        />
      ))}
    </div>
  )
}

const CONTACTED = [
  ['contactedAfter', 'Contacted on or after'],
  ['contactedBefore', 'Contacted before'],
] as const
