import { DELAY_MAX } from '@x-automated/contract/outreach/sequence-limits'
import { STEP_CONDITIONS, type StepCondition } from '@x-automated/contract/outreach/steps'
import { Clock } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { FieldError } from '../../../ui/field'
import { NumberInput } from '../../../ui/number-input'
import { Select } from '../../../ui/select'
import type { StepDraft } from './sequence-draft'
import { CONDITIONS, UNITS } from './step-text'

interface WaitRowProps {
  step: StepDraft
  /** 'Follow-up 2', for the labels of the fields. */
  name: string
  problem: string | undefined
  /** Whether X currently reports reads. */
  knowsReads: boolean
  onChange: (change: Partial<Pick<StepDraft, 'delay' | 'condition'>>) => void
}

/** A follow-up's delay and condition, as a sentence. */
export function WaitRow({ step, name, problem, knowsReads, onChange }: WaitRowProps) {
  const { delay, condition } = step
  const errorId = useId()
  const conditions = STEP_CONDITIONS.filter((option) => knowsReads || option === 'no_reply' || option === condition)
  return (
    <Wait problem={problem} errorId={errorId}>
      <NumberInput
        aria-label={`Delay before ${name.toLowerCase()}`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? errorId : undefined}
        className="w-14! text-center"
        min={1}
        max={DELAY_MAX[delay.unit]}
        value={delay.amount}
        onChange={(amount) => onChange({ delay: { ...delay, amount } })}
      />
      <Select
        aria-label={`Unit of the delay before ${name.toLowerCase()}`}
        className="w-28"
        options={UNITS.map(({ value, one: singular }) => ({ value, label: delay.amount === 1 ? singular : value }))}
        value={delay.unit}
        onChange={({ currentTarget }) => {
          const unit = currentTarget.value as typeof delay.unit
          onChange({ delay: { unit, amount: delay.amount && Math.min(delay.amount, DELAY_MAX[unit]) } })
        }}
      />
      {conditions.length === 1 ? (
        `then send if ${CONDITIONS[condition]}`
      ) : (
        <>
          then send if
          <Select
            aria-label={`Condition of ${name.toLowerCase()}`}
            className="w-40"
            options={conditions.map((value) => ({ value, label: CONDITIONS[value] }))}
            value={condition}
            onChange={({ currentTarget }) => onChange({ condition: currentTarget.value as StepCondition })}
          />
        </>
      )}
    </Wait>
  )
}

interface WaitProps {
  problem?: string | undefined
  errorId?: string
  children: ReactNode
}

/** The delay between two messages, on the line that connects them. */
export function Wait({ problem, errorId = '', children }: WaitProps) {
  return (
    <div className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3">
      <div aria-hidden className="flex flex-col items-center gap-1 pb-1 text-muted">
        <span className="h-6 w-px bg-line pointer-coarse:h-7" />
        <Clock className="size-4" />
        <span className="w-px flex-1 bg-line" />
      </div>
      <div className="grid gap-1.5 py-4">
        <div className="flex flex-wrap items-center gap-2 text-muted">
          <span>Wait</span>
          {children}
        </div>
        {problem && <FieldError id={errorId}>{problem}</FieldError>}
      </div>
    </div>
  )
}
