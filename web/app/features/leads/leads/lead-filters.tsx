import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { FieldCondition } from '@x-automated/contract/leads/lead-rules'
import type { LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import { FIELD_CONDITIONS_MAX } from '@x-automated/contract/leads/rule-fields'
import { Check, ListFilter, Plus, Search, X } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Kbd } from '../../../ui/kbd'
import { NumberInput } from '../../../ui/number-input'
import { Popover } from '../../../ui/popover'
import { Select } from '../../../ui/select'
import { useDialogs } from '../../../ui/use-dialogs'
import { useKeptFocus } from '../../../ui/use-kept-focus'
import { useKeys } from '../../../ui/use-keys'
import { scrapeTitle } from '../scrapes/scrape-text'
import { ConditionEditor, DayField, PlanLock, TagPicker } from './advanced-filters'
import { dayText } from './days'
import { draftOf, type FilterDraft, FilterFields, filterOf, rangeProblem, withoutDuplicates } from './filter-fields'
import { LABEL_NAMES } from './history-text'
import { basisLabels, FOLLOWERS_MAX, isFiltered, type LeadsView, sortLabels, statusLabels } from './leads-url'
import { conditionText, rulesCountText, rulesTexts, tagsText } from './rule-text'
import { RulesDialog } from './rules-dialog'
import { SavedFilters, type SavedFiltersProps } from './saved-filters'
import { useTagsToPick } from './tag-badge'
import { useFilterLocks } from './use-filter-plan'

const DEBOUNCE_MS = 300

/** Fields that users type into. They apply after a pause; all others always match the URL. */
type Typed = Pick<FilterDraft, 'keyword' | 'min' | 'max'>

const typedIn = ({ keyword, min, max }: FilterDraft): Typed => ({ keyword, min, max })
const typedOf = (filter: LeadFilter) => typedIn(draftOf(filter))
const isSame = (a: Typed, b: Typed) => a.keyword.trim() === b.keyword.trim() && a.min === b.min && a.max === b.max

/** The name of each chip. */
const CRITERIA = {
  followers: 'Followers',
  status: 'Status',
  tag: 'Tag',
  basis: 'Contact basis',
  label: 'Reply label',
  tags: 'Several tags',
  fields: 'Custom field',
  contactedAfter: 'Contacted on or after',
  contactedBefore: 'Contacted before',
  rules: 'Custom rules',
} as const
type Criterion = keyof typeof CRITERIA
const criteria = Object.keys(CRITERIA) as Criterion[]
/** Criteria with a choice of one value. */
type Choice = 'status' | 'tag' | 'basis' | 'label'
/** The criteria that the Pro plan adds. */
const ADVANCED: readonly Criterion[] = ['label', 'tags', 'fields', 'contactedAfter', 'contactedBefore']

interface LeadFiltersProps {
  view: LeadsView
  /** Applies a saved filter. Without it, no saved filters are offered. */
  onPick?: SavedFiltersProps['onPick']
  onChange: (filter: LeadFilter) => void
  onSort: (sort: LeadSort) => void
  /** Shown at the end of the line on wide screens. */
  children?: ReactNode
}

/** The filters of leads. Typed values apply after a pause, selected ones immediately. */
export function LeadFilters({ view, onChange, onSort, onPick, children }: LeadFiltersProps) {
  const { filter } = view
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
  const change = (next: FilterDraft, isTyped: boolean) => {
    if (isTyped) setTyped(typedIn(next))
    else apply(filterOf(next, filter))
  }
  // A chip that is emptied while it is being edited stays until it is closed.
  const [edited, setEdited] = useState<Criterion | null>(null)
  const visible = criteria.filter((criterion) => isSet(draft, criterion) || criterion === edited)
  const dialogs = useDialogs<'rules'>()
  const rulesChip = useRef<HTMLButtonElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const remove = (next: FilterDraft) => {
    setTyped(typedIn(next))
    apply(filterOf(next, filter))
  }
  const keyword = useRef<HTMLInputElement>(null)
  const keptFocus = useKeptFocus<HTMLElement>()
  useKeys({ '/': () => keyword.current?.focus() })

  return (
    <search
      {...keptFocus}
      aria-label="Filter leads"
      className="outline-none -mx-4 flex min-h-bar flex-wrap items-center gap-x-2 gap-y-1 border-b border-hair px-4 py-2 text-ui md:-mx-6 md:px-6"
    >
      <div className="flex min-w-40 flex-1 items-center gap-2 text-muted md:max-w-56">
        <Search aria-hidden className="size-4 shrink-0" />
        <input
          ref={keyword}
          aria-label="Keyword"
          aria-keyshortcuts="/"
          inputMode="search"
          enterKeyHint="search"
          placeholder="Bio, name or handle"
          maxLength={200}
          value={draft.keyword}
          className="h-9 w-0 min-w-0 flex-1 rounded-sm bg-transparent text-ink outline-offset-0 placeholder:text-faint pointer-coarse:text-base"
          onChange={(event) => setTyped({ ...typed, keyword: event.currentTarget.value })}
        />
      </div>
      <div className="contents max-md:hidden">
        {visible.map((criterion) =>
          criterion === 'fields' ? (
            draft.fields.map((condition, index) => (
              <FilterChip
                // biome-ignore lint/suspicious/noArrayIndexKey: a changed condition keeps its chip, which has the focus
                key={index}
                criterion={criterion}
                place={index}
                draft={draft}
                onChange={change}
                onRemove={() => remove({ ...draft, fields: draft.fields.filter((other) => other !== condition) })}
              />
            ))
          ) : (
            <FilterChip
              key={criterion}
              criterion={criterion}
              draft={draft}
              onChange={change}
              onEdit={(isOpen) => setEdited(isOpen ? criterion : null)}
              addButton={addButton}
              {...(criterion === 'rules' && { onRules: () => dialogs.show('rules'), chipRef: rulesChip })}
              onRemove={() => remove(without(draft, criterion))}
            />
          ),
        )}
      </div>
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
      <AddFilter
        button={addButton}
        shown={visible}
        draft={draft}
        onChange={change}
        onRules={() => dialogs.show('rules')}
      />
      <PhoneFilters
        count={visible.length + Math.max(0, draft.fields.length - 1)}
        view={view}
        draft={draft}
        onChange={change}
        onSort={onSort}
      />
      <div className="ms-auto flex items-center">
        {onPick && <SavedFilters view={view} isFiltered={isFiltered(filter)} onPick={onPick} />}
        <span className="contents max-md:hidden">{children}</span>
      </div>
      {dialogs.render((_, props) => (
        <RulesDialog
          rules={draft.rules}
          filter={{ ...filterOf(draft, filter), rules: undefined }}
          returnsTo={() => rulesChip.current ?? addButton.current}
          onApply={(rules) => apply(filterOf({ ...draft, rules }, filter))}
          {...props}
        />
      ))}
    </search>
  )
}

function isSet(draft: FilterDraft, criterion: Criterion): boolean {
  if (criterion === 'followers') return draft.min !== null || draft.max !== null
  const value = draft[criterion]
  return typeof value === 'string' || Array.isArray(value) ? value.length > 0 : value !== null
}

function without(draft: FilterDraft, criterion: Criterion): FilterDraft {
  if (criterion === 'followers') return { ...draft, min: null, max: null }
  const empty = { tags: [], fields: [], rules: null } as Partial<Record<Criterion, unknown>>
  return { ...draft, [criterion]: criterion in empty ? empty[criterion] : '' }
}

interface EditorProps {
  criterion: Criterion
  /** The index of a condition on a custom field. Without it, a condition is added. */
  place?: number
  draft: FilterDraft
  onChange: (draft: FilterDraft, isTyped: boolean) => void
}

const chip =
  'inline-flex h-8 min-w-0 max-w-72 items-center rounded-md border border-control bg-surface text-ui pointer-coarse:h-10'

const chipButton = 'flex h-full min-w-0 items-center gap-1.5 rounded-md ps-2.5 pe-1'

interface FilterChipProps extends EditorProps {
  onRemove: () => void
  onEdit?: (isOpen: boolean) => void
  /** Gets the focus if the chip is closed while empty, because that removes the chip. */
  addButton?: RefObject<HTMLButtonElement | null>
  /** Opens the builder of rules. */
  onRules?: () => void
  chipRef?: RefObject<HTMLButtonElement | null>
}

/** A criterion that is set. A press edits it, and its cross removes it. */
function FilterChip({
  criterion,
  place: index,
  draft,
  onChange,
  onRemove,
  onEdit,
  addButton,
  onRules,
  chipRef,
}: FilterChipProps) {
  const [open, setOpen] = useState(false)
  const edit = (isOpen: boolean) => {
    setOpen(isOpen)
    onEdit?.(isOpen)
  }
  const condition = index === undefined ? undefined : draft.fields[index]
  const name = condition?.name ?? CRITERIA[criterion]
  const value = useValueText(criterion, draft, condition)
  const isLocked = useFilterLocks().rules !== null
  if (onRules && !isLocked)
    return (
      <span className={chip}>
        <button ref={chipRef} type="button" aria-haspopup="dialog" className={chipButton} onClick={onRules}>
          <span className="max-w-40 shrink-0 truncate text-muted">{name}</span>
          <bdi className="truncate">{value}</bdi>
        </button>
        <ChipCross label={`Remove filter: ${name}`} onClick={onRemove} />
      </span>
    )
  return (
    <span className={chip}>
      <Popover
        label={name}
        open={open}
        onOpenChange={edit}
        {...(addButton && !isSet(draft, criterion) && { finalFocus: addButton })}
        trigger={
          <button type="button" className={chipButton}>
            <span className="max-w-40 shrink-0 truncate text-muted">{name}</span>
            <bdi className="truncate">{value}</bdi>
          </button>
        }
      >
        <Editor
          criterion={criterion}
          {...(index !== undefined && { place: index })}
          draft={draft}
          onChange={onChange}
          onDone={() => edit(false)}
        />
      </Popover>
      <ChipCross label={`Remove filter: ${name}`} onClick={onRemove} />
    </span>
  )
}

function ChipCross({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="me-0.5 flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink pointer-coarse:size-9"
    >
      <X aria-hidden className="size-3.5" />
    </button>
  )
}

interface AddFilterProps extends Omit<EditorProps, 'criterion' | 'place'> {
  shown: readonly Criterion[]
  button: RefObject<HTMLButtonElement | null>
  onRules: () => void
}

/** Adds a criterion: the user chooses which, then its value. */
function AddFilter({ shown: visible, button, onRules, ...editor }: AddFilterProps) {
  const locks = useFilterLocks()
  const [open, setOpen] = useState(false)
  const [criterion, setCriterion] = useState<Criterion | null>(null)
  const start = (next: boolean) => {
    if (next) setCriterion(null)
    setOpen(next)
  }
  const left = criteria.filter(
    (option) => !visible.includes(option) || (option === 'fields' && editor.draft.fields.length < FIELD_CONDITIONS_MAX),
  )
  useKeys({ f: () => start(true) }, { onScreen: button })
  return (
    <Popover
      label="Add a filter"
      open={open}
      onOpenChange={start}
      trigger={
        <button
          ref={button}
          type="button"
          aria-keyshortcuts="F"
          className="inline-flex h-8 items-center gap-1.5 rounded-md border border-dashed border-control px-2.5 text-muted hover:bg-hover hover:text-ink max-md:hidden"
        >
          <Plus aria-hidden className="size-3.5" />
          Filter <Kbd>F</Kbd>
        </button>
      }
    >
      {criterion === null && left.length === 0 ? (
        <p className="px-2 py-1.5 text-muted">Every filter is set. Select one to change it.</p>
      ) : criterion ? (
        <Editor key={criterion} criterion={criterion} isNew onDone={() => setOpen(false)} {...editor} />
      ) : (
        <Choices
          label="Filter by"
          options={left.map((option) => ({
            value: option,
            label: option === 'rules' ? 'Custom rules…' : CRITERIA[option],
          }))}
          value={null}
          onChoose={(option) => {
            if (option !== 'rules' || locks.rules !== null) return setCriterion(option as Criterion)
            setOpen(false)
            onRules()
          }}
        />
      )}
    </Popover>
  )
}

/** The fields of one criterion. */
function Editor({
  criterion,
  place: index,
  draft,
  onChange,
  onDone,
  isNew = false,
}: EditorProps & { onDone: () => void; isNew?: boolean }) {
  const options = useOptions(criterion)
  const first = useFirstFocus(isNew)
  const locks = useFilterLocks()
  const tags = useTagsToPick().data?.tags ?? []
  if (criterion === 'rules')
    return (
      <div ref={first}>
        {draft.rules && (
          <p className="px-2 pt-2 font-strong">{draft.rules.match === 'all' ? 'All of these:' : 'Any of these:'}</p>
        )}
        {draft.rules && (
          <ul className="list-disc px-2 pt-1 ps-6">
            {rulesTexts(draft.rules, tags).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
        {locks.rules && <PlanLock>{locks.rules}</PlanLock>}
      </div>
    )
  if (locks.advanced && ADVANCED.includes(criterion))
    return (
      <div ref={first}>
        <PlanLock>{locks.advanced}</PlanLock>
      </div>
    )
  if (criterion === 'tags')
    return (
      <div ref={first}>
        <TagPicker
          label={CRITERIA.tags}
          ids={draft.tags}
          onChange={(chosen) => onChange({ ...draft, tags: chosen }, false)}
        />
      </div>
    )
  if (criterion === 'fields')
    return (
      <ConditionEditor
        condition={index === undefined ? undefined : draft.fields[index]}
        label={index === undefined ? 'Add filter' : 'Apply'}
        focuses={isNew}
        onApply={(condition) => {
          const fields =
            index === undefined
              ? [...draft.fields, condition]
              : draft.fields.map((current, at) => (at === index ? condition : current))
          onChange({ ...draft, fields: withoutDuplicates(fields) }, false)
          onDone()
        }}
      />
    )
  if (criterion === 'contactedAfter' || criterion === 'contactedBefore')
    return (
      <form
        ref={first}
        className="p-2"
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
        }}
      >
        <DayField
          label={CRITERIA[criterion]}
          moment={draft[criterion]}
          onChange={(moment) => onChange({ ...draft, [criterion]: moment }, false)}
        />
        <EnterSubmits />
      </form>
    )
  if (criterion === 'followers')
    return (
      <form
        ref={first}
        className="grid grid-cols-2 gap-3 p-2"
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
        }}
      >
        <Field label="Min followers">
          <NumberInput
            placeholder="Any"
            max={FOLLOWERS_MAX}
            value={draft.min}
            onChange={(min) => onChange({ ...draft, min }, true)}
          />
        </Field>
        <Field label="Max followers" error={rangeProblem(draft)}>
          <NumberInput
            placeholder="Any"
            max={FOLLOWERS_MAX}
            value={draft.max}
            onChange={(max) => onChange({ ...draft, max }, true)}
          />
        </Field>
        <EnterSubmits />
      </form>
    )
  if (options.length === 0) return <p className="px-2 py-3 text-muted">No tags yet. Tag some leads first.</p>
  return (
    <div ref={first}>
      <Choices
        label={CRITERIA[criterion]}
        options={options}
        value={draft[criterion as Choice]}
        onChoose={(value) => {
          onChange({ ...draft, [criterion]: value }, false)
          onDone()
        }}
      />
    </div>
  )
}

/** Lets Enter submit: without a submit button, a form with several fields ignores it. */
function EnterSubmits() {
  return <button type="submit" hidden aria-label="Done" />
}

/** Focuses the first control when these fields replace others. */
function useFirstFocus<E extends HTMLElement>(isOn: boolean): RefObject<E & HTMLFormElement & HTMLDivElement> {
  const root = useRef<E>(null)
  useEffect(() => {
    if (isOn) root.current?.querySelector<HTMLElement>('input, button:enabled, a')?.focus()
  }, [isOn])
  return root as RefObject<E & HTMLFormElement & HTMLDivElement>
}

interface ChoicesProps {
  label: string
  options: readonly { value: string; label: string; disabled?: boolean }[]
  value: string | null
  onChoose: (value: string) => void
}

/** A choice of one value by a press. Arrow keys move between the choices. */
function Choices({ label, options, value, onChoose }: ChoicesProps) {
  return (
    <fieldset
      aria-label={label}
      className="grid max-h-80 overflow-y-auto overscroll-contain"
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (!step) return
        event.preventDefault()
        const all = [...event.currentTarget.querySelectorAll<HTMLElement>('button:enabled')]
        all[(all.indexOf(document.activeElement as HTMLElement) + step + all.length) % all.length]?.focus()
      }}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          disabled={option.disabled}
          aria-pressed={value === null ? undefined : option.value === value}
          onClick={() => onChoose(option.value)}
          className="flex min-h-8 items-center gap-2 rounded-md px-2 text-start text-ui -outline-offset-2 hover:bg-hover disabled:text-faint pointer-coarse:min-h-11"
        >
          <bdi className="min-w-0 flex-1 truncate">{option.label}</bdi>
          {option.value === value && <Check aria-hidden className="size-4" />}
        </button>
      ))}
    </fieldset>
  )
}

/** The values to choose from. */
function useOptions(criterion: Criterion): { value: string; label: string }[] {
  const tags = useTagsToPick().data?.tags ?? []
  const of = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
  switch (criterion) {
    case 'status':
      return of(statusLabels)
    case 'tag':
      return tags.map(({ id, name }) => ({ value: id, label: name }))
    case 'basis':
      return of(basisLabels)
    case 'label':
      return of(LABEL_NAMES)
    default:
      return []
  }
}

function useValueText(criterion: Criterion, draft: FilterDraft, condition?: FieldCondition): string {
  const tags = useTagsToPick().data?.tags
  if (!isSet(draft, criterion)) return 'any'
  switch (criterion) {
    case 'followers':
      return rangeText(draft)
    case 'tags':
      return tagsText(draft.tags, tags ?? [])
    case 'fields':
      return condition ? conditionText(condition).slice(condition.name.length).trim() : ''
    case 'contactedAfter':
    case 'contactedBefore':
      return dayText(draft[criterion])
    case 'rules':
      return draft.rules ? rulesCountText(draft.rules) : ''
  }
  const value = draft[criterion]
  if (criterion === 'tag') return tags?.find(({ id, name }) => id === value || name === value)?.name ?? 'Unknown tag'
  const labels: Record<string, string> = { status: statusLabels, basis: basisLabels, label: LABEL_NAMES }[criterion]
  return labels[value] ?? value
}

function rangeText({ min, max }: Pick<FilterDraft, 'min' | 'max'>): string {
  if (min === null) return `up to ${formatNumber(max ?? 0)}`
  return max === null ? `${formatNumber(min)} or more` : `${formatNumber(min)} to ${formatNumber(max)}`
}

interface PhoneFiltersProps extends Omit<EditorProps, 'criterion'> {
  /** How many filters are set. */
  count: number
  view: LeadsView
  onSort: (sort: LeadSort) => void
}

/** All fields and the sort order behind one button, for narrow screens. */
function PhoneFilters({ count, view, draft, onChange, onSort }: PhoneFiltersProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        icon={<ListFilter />}
        className="px-2! text-ui! font-normal! md:hidden"
        onClick={() => setOpen(true)}
      >
        Filter{count > 0 && <span data-numeric> ({count})</span>}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Filter leads"
        footer={
          <Button variant="primary" onClick={() => setOpen(false)}>
            Show leads
          </Button>
        }
      >
        <div className="grid grid-cols-2 gap-3">
          <FilterFields draft={draft} onChange={onChange} classNames={{ keyword: 'col-span-2', status: '' }} />
          <Field label="Sort by" className="col-span-2">
            <Select
              value={view.sort}
              options={Object.entries(sortLabels).map(([value, label]) => ({ value, label }))}
              onChange={(event) => onSort(event.currentTarget.value as LeadSort)}
            />
          </Field>
        </div>
      </Dialog>
    </>
  )
}

/** A filter that has no field: a text with a button that removes it. */
function SourceFilter({ onRemove, children }: { onRemove: () => void; children: ReactNode }) {
  return (
    <span className={cn(chip, 'ps-2.5')}>
      <span className="truncate">
        <span className="text-muted">Source:</span> {children}
      </span>
      <ChipCross label="Remove source filter" onClick={onRemove} />
    </span>
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
