import { useQuery } from '@tanstack/react-query'
import type { FieldCondition } from '@x-automated/contract/leads/lead-rules'
import {
  FIELD_OPS,
  FIELD_VALUE_MAX,
  FILTER_TAGS_MAX,
  type FieldOp,
  takesValue,
} from '@x-automated/contract/leads/rule-fields'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { Select } from '../../../ui/select'
import { SeePlans } from '../../platform/billing/usage-notice'
import { dayOf, startOfDay } from './days'
import { opsOfField } from './rule-draft'
import { useTagsToPick } from './tag-badge'

/** Explains why the plan does not include a filter, and links to the plans. */
export function PlanLock({ children }: { children: string }) {
  return (
    <div className="grid justify-items-start gap-2 p-2">
      <p className="text-muted">{children}</p>
      <SeePlans />
    </div>
  )
}

interface TagPickerProps {
  label: string
  ids: readonly string[]
  onChange: (ids: string[]) => void
}

/** Toggle buttons for tags. */
export function TagPicker({ label, ids, onChange }: TagPickerProps) {
  const query = useTagsToPick()
  const tags = query.data?.tags ?? []
  const unknown = query.data ? ids.filter((id) => !tags.some((tag) => tag.id === id)) : []
  const options = [...tags, ...unknown.map((id) => ({ id, name: 'Unknown tag' }))]
  if (query.data && options.length === 0)
    return <p className="px-2 py-3 text-muted">No tags yet. Tag some leads first.</p>
  const isFull = ids.length >= FILTER_TAGS_MAX
  return (
    <fieldset aria-label={label} className="flex max-h-44 flex-wrap gap-1.5 overflow-y-auto overscroll-contain p-1">
      {options.map(({ id, name }) => {
        const isChosen = ids.includes(id)
        return (
          <button
            key={id}
            type="button"
            aria-pressed={isChosen}
            disabled={isFull && !isChosen}
            onClick={() => onChange(isChosen ? ids.filter((other) => other !== id) : [...ids, id])}
            className={cn(
              'inline-flex min-h-8 max-w-full items-center rounded-md border px-2.5 text-ui pointer-coarse:min-h-11',
              isChosen
                ? 'border-ink bg-ink text-canvas'
                : 'border-control bg-surface hover:bg-hover disabled:text-faint',
            )}
          >
            <bdi className="truncate">{name}</bdi>
          </button>
        )
      })}
    </fieldset>
  )
}

interface DayFieldProps {
  label: string
  hideLabel?: boolean
  error?: string | undefined
  /** The start of a day in the user's time zone; '' if the field is empty. */
  moment: string
  onChange: (moment: string) => void
}

/** A date field. Incomplete years such as 0002 stay in the field, but only days that the API accepts take effect. */
export function DayField({ label, hideLabel, error, moment, onChange }: DayFieldProps) {
  const [typed, setTyped] = useState(() => (moment ? dayOf(moment) : ''))
  const [applied, setApplied] = useState(moment)
  if (moment !== applied) {
    setApplied(moment)
    setTyped(moment ? dayOf(moment) : '')
  }
  return (
    <Field label={label} hideLabel={hideLabel ?? false} error={error}>
      <Input
        type="date"
        value={typed}
        onChange={(event) => {
          const day = event.currentTarget.value
          setTyped(day)
          const next = day === '' ? '' : startOfDay(day)
          if (next === null) return
          setApplied(next)
          onChange(next)
        }}
      />
    </Field>
  )
}

/** The names of the custom fields that leads have, and `current`. */
export function useCustomFields(current?: string): { names: string[]; isLoaded: boolean } {
  const { data } = useQuery(api.leads.fields.queryOptions())
  const names = data?.fields.map(({ name }) => name) ?? []
  return { names: current && !names.includes(current) ? [...names, current] : names, isLoaded: data !== undefined }
}

interface ConditionEditorProps {
  /** The condition to edit. Without one, a condition is added. */
  condition?: FieldCondition | undefined
  label: string
  focuses?: boolean
  onApply: (condition: FieldCondition) => void
}

/** Edits a condition on a custom field. Not a form, because it can be part of one. */
export function ConditionEditor({ condition, label, focuses = false, onApply }: ConditionEditorProps) {
  const { names, isLoaded } = useCustomFields(condition?.name)
  const [chosen, setChosen] = useState(condition?.name)
  const [op, setOp] = useState<FieldOp>(condition?.op ?? 'is')
  const [value, setValue] = useState(condition?.value ?? '')
  const [isTried, setIsTried] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focuses && isLoaded) root.current?.querySelector('select')?.focus({ preventScroll: true })
  }, [focuses, isLoaded])
  if (isLoaded && names.length === 0)
    return <p className="px-2 py-3 text-muted">No custom fields yet. Import a CSV file with more columns.</p>
  const name = chosen ?? names[0]
  const length = lengthProps(value, FIELD_VALUE_MAX)
  const missing = takesValue(op) && value.trim() === '' ? 'Enter a value.' : undefined
  const apply = () => {
    setIsTried(true)
    if (name === undefined || missing || length.error) return
    onApply(takesValue(op) ? { name, op, value: value.trim() } : { name, op })
    setValue('')
    setIsTried(false)
  }
  const ops = opsOfField('field:')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in a field applies it, as in a form
    <div
      ref={root}
      className="grid gap-3 p-2"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        apply()
      }}
    >
      <div className="grid grid-cols-2 gap-3">
        <Field label="Custom field">
          <Select
            value={name ?? ''}
            options={names.map((option) => ({ value: option, label: option }))}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        </Field>
        <Field label="Condition">
          <Select
            value={op}
            options={FIELD_OPS.map((option) => ({ value: option, label: ops[option] ?? option }))}
            onChange={(event) => setOp(event.currentTarget.value as FieldOp)}
          />
        </Field>
      </div>
      {takesValue(op) && (
        <Field label="Value" error={length.error ?? (isTried ? missing : undefined)}>
          <Input value={value} onChange={(event) => setValue(event.currentTarget.value)} />
        </Field>
      )}
      <Button size="sm" className="justify-self-end" onClick={apply}>
        {label}
      </Button>
    </div>
  )
}
