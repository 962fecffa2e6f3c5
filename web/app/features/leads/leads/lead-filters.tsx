import { useQuery } from '@tanstack/react-query'
import type { LeadFilter, LeadSort } from '@x-automated/contract/leads/leads'
import { FIELD_CONDITIONS_MAX } from '@x-automated/contract/leads/rule-fields'
import { ListFilter, Plus, Search } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Kbd } from '../../../ui/kbd'
import { Popover } from '../../../ui/popover'
import { Select } from '../../../ui/select'
import { useDialogs } from '../../../ui/use-dialogs'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useKeys } from '../../../ui/use-keys'
import { scrapeTitle } from '../scrapes/scrape-text'
import { ChipCross, chip, FilterChip } from './filter-chip'
import { CRITERIA, type Criterion, criteria, isSet, without } from './filter-criteria'
import { Choices, Editor, type EditorProps } from './filter-editor'
import { draftOf, type FilterDraft, FilterFields, filterOf } from './filter-fields'
import { isFiltered, type LeadsView, sortLabels } from './leads-url'
import { RulesDialog } from './rules-dialog'
import { SavedFilters, type SavedFiltersProps } from './saved-filters'
import { useFilterLocks } from './use-filter-plan'

const DEBOUNCE_MS = 300

/** Fields that users type into. They apply after a pause. All others always match the URL. */
type Typed = Pick<FilterDraft, 'keyword' | 'min' | 'max'>

const typedIn = ({ keyword, min, max }: FilterDraft): Typed => ({ keyword, min, max })
const typedOf = (filter: LeadFilter) => typedIn(draftOf(filter))
const isSame = (a: Typed, b: Typed) => a.keyword.trim() === b.keyword.trim() && a.min === b.min && a.max === b.max

interface LeadFiltersProps {
  view: LeadsView
  /** Applies a saved filter. If it is missing, saved filters are not offered. */
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
  // The URL changed from elsewhere (the back button, a link), so update the fields.
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
  // A chip that is emptied while editing stays until it is closed.
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
  const focusFallback = useFocusFallback<HTMLElement>()
  useKeys({ '/': () => keyword.current?.focus() })

  return (
    <search
      {...focusFallback}
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
                index={index}
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
        visible={visible}
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

interface AddFilterProps extends Omit<EditorProps, 'criterion' | 'index'> {
  visible: readonly Criterion[]
  button: RefObject<HTMLButtonElement | null>
  onRules: () => void
}

/** Adds a criterion. The user first chooses which, then its value. */
function AddFilter({ visible, button, onRules, ...editor }: AddFilterProps) {
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

/** A filter without a field: a text, with a button that removes it. */
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
