import { FOLLOWER_SLIDERS } from '@x-automated/contract/leads/scrape-limits'
import type { UseFormReturn } from 'react-hook-form'
import { NumberInput } from '../../../ui/number-input'
import { Slider } from '../../../ui/slider'
import type { Values } from './source-field'

const sliders = [
  { name: 'minFollowers', label: 'Min followers', range: FOLLOWER_SLIDERS.min, move: withMin },
  { name: 'maxFollowers', label: 'Max followers', range: FOLLOWER_SLIDERS.max, move: withMax },
] as const

/** The range of follower counts. Moving one bound past the other moves both. */
export function FollowerRange({ form }: { form: UseFormReturn<Values> }) {
  return sliders.map(({ name, label, range: { from, to, step }, move }) => {
    const set = (value: number) => {
      const { minFollowers, maxFollowers } = move(form.getValues(), value)
      form.setValue('minFollowers', minFollowers)
      form.setValue('maxFollowers', maxFollowers)
    }
    return (
      <div key={name} className="flex items-end gap-4">
        <div className="min-w-0 flex-1">
          <Slider hideValue label={label} value={form.watch(name)} onChange={set} min={from} max={to} step={step} />
        </div>
        <NumberInput
          aria-label={`${label}, as a number`}
          className="w-28! text-end"
          value={form.watch(name)}
          onChange={(value) => value !== null && set(value)}
          min={from}
          max={to}
        />
      </div>
    )
  })
}

/** A range of follower counts, inclusive. */
interface FollowerBounds {
  minFollowers: number
  maxFollowers: number
}

/** Moves the lower bound. Raises the upper one with it if needed, to a step of its slider. */
export function withMin({ maxFollowers }: FollowerBounds, minFollowers: number): FollowerBounds {
  const { step, to } = FOLLOWER_SLIDERS.max
  const pulled = Math.min(to, Math.ceil(minFollowers / step) * step)
  return { minFollowers, maxFollowers: minFollowers > maxFollowers ? pulled : maxFollowers }
}

/** Moves the upper bound. Lowers the lower one with it if needed. */
export function withMax({ minFollowers }: FollowerBounds, maxFollowers: number): FollowerBounds {
  return { minFollowers: Math.min(minFollowers, maxFollowers), maxFollowers }
}
