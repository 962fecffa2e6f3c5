import { ADAPTIVE_TEXT } from '@x-automated/contract/outreach/verdict-text'
import { ChevronRight } from 'lucide-react'
import { Checkbox, RadioGroup } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { NumberInput } from '../../../ui/number-input'
import type { StepDraft, VariantDraft } from './sequence-draft'
import { delayText } from './step-text'

const ALLOCATIONS = [
  {
    value: 'weights',
    label: 'Fixed shares',
    hint: 'A fair test. You get a notification when you can trust its result.',
  },
  { value: 'adaptive', label: 'Send more of what works', hint: `Every hour, by the replies so far: ${ADAPTIVE_TEXT}.` },
] as const

interface TestSettingsProps {
  step: StepDraft
  onChange: (change: Partial<StepDraft>) => void
  onVariantChange: (key: string, change: Partial<VariantDraft>) => void
}

/** How a step with several variants is tested. */
export function TestSettings({ step, onChange, onVariantChange }: TestSettingsProps) {
  const { allocation, testWindowDays, switchToWinner, variants } = step
  const isFixed = allocation === 'weights'
  return (
    <details className="group/test">
      <summary className="flex w-fit list-none items-center gap-1.5 rounded-sm py-1 text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open/test:rotate-90" />
        Test: {isFixed ? 'fixed shares' : 'more of what works'}, replies within{' '}
        {delayText({ amount: testWindowDays, unit: 'days' })}
        {isFixed && switchToWinner && ', then the winner'}
      </summary>
      <div className="grid gap-4 py-3 ps-5.5">
        <RadioGroup
          label="Who gets which variant"
          options={ALLOCATIONS}
          value={allocation}
          onChange={(value) => onChange({ allocation: value as StepDraft['allocation'] })}
        />
        {isFixed && (
          <fieldset className="flex flex-wrap gap-3">
            <legend className="sr-only">Shares</legend>
            {variants.map(({ key, name, weight }) => (
              <Field key={key} label={`Share of ${name}`} className="w-28">
                <NumberInput
                  min={1}
                  max={100}
                  value={weight}
                  onChange={(next) => onVariantChange(key, { weight: next })}
                />
              </Field>
            ))}
          </fieldset>
        )}
        <Field
          label="Days to reply"
          hint="A positive reply counts for the test if it comes within this time."
          className="max-w-72"
        >
          <NumberInput
            min={1}
            max={30}
            value={testWindowDays}
            onChange={(next) => onChange({ testWindowDays: next })}
          />
        </Field>
        {isFixed && (
          <Checkbox
            label="Switch to the winner"
            hint="Everyone who hasn't been sent this step gets the winner."
            checked={switchToWinner}
            onChange={(event) => onChange({ switchToWinner: event.currentTarget.checked })}
          />
        )}
      </div>
    </details>
  )
}
