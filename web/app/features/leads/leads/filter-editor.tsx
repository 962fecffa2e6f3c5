import { Check } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { NumberInput } from '../../../ui/number-input'
import { ConditionEditor, DayField, PlanLock, TagPicker } from './advanced-filters'
import { ADVANCED, type Choice, CRITERIA, type Criterion } from './filter-criteria'
import { type FilterDraft, rangeProblem, withoutDuplicates } from './filter-fields'
import { LABEL_NAMES } from './history-text'
import { basisLabels, FOLLOWERS_MAX, statusLabels } from './leads-url'
import { rulesTexts } from './rule-text'
import { useTagsToPick } from './tag-badge'
import { useFilterLocks } from './use-filter-plan'

export interface EditorProps {
  criterion: Criterion
  /** The index of the condition on a custom field to edit. Without an index, a condition is added. */
  index?: number
  draft: FilterDraft
  onChange: (draft: FilterDraft, isTyped: boolean) => void
}

/** The fields of one criterion. */
export function Editor({
  criterion,
  index,
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
      <Form name={null} ref={first} className="p-2" onSubmit={onDone}>
        <DayField
          label={CRITERIA[criterion]}
          moment={draft[criterion]}
          onChange={(moment) => onChange({ ...draft, [criterion]: moment }, false)}
        />
        <EnterSubmits />
      </Form>
    )
  if (criterion === 'followers')
    return (
      <Form name={null} ref={first} className="grid-cols-2 gap-3 p-2" onSubmit={onDone}>
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
      </Form>
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

/** A hidden submit button. Without one, Enter does not submit a form with several fields. */
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
  options: readonly { value: string; label: string }[]
  value: string | null
  onChoose: (value: string) => void
}

/** Selects one of several options by pressing it. Arrow keys move between them. */
export function Choices({ label, options, value, onChoose }: ChoicesProps) {
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
          aria-pressed={value === null ? undefined : option.value === value}
          onClick={() => onChoose(option.value)}
          className="flex min-h-8 items-center gap-2 rounded-md px-2 text-start text-ui -outline-offset-2 hover:bg-hover pointer-coarse:min-h-11"
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
