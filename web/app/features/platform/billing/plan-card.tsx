import { Check } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { cn } from '../../../ui/cn'

export interface PlanCardProps {
  name: string
  /** '$50'. */
  price: string
  /** After the price: '/month'. */
  period: string
  features: readonly string[]
  /** Next to the name: popular, or current. */
  badge?: ReactNode
  /** Below the price: the saving. */
  note?: ReactNode
  /** Highlighted. */
  featured?: boolean
  heading?: 'h2' | 'h3'
  /** The button; gets the id of the name that describes it. */
  action: (nameId: string) => ReactNode
}

/** A plan's card, used in a list. */
export function PlanCard({
  name,
  price,
  period,
  features,
  badge,
  note,
  featured,
  heading: Heading = 'h2',
  action,
}: PlanCardProps) {
  const nameId = useId()
  return (
    <li
      className={cn(
        'flex min-w-0 flex-col gap-6 rounded-xl border bg-surface p-6',
        featured ? 'border-accent-line shadow-sm' : 'border-line',
      )}
    >
      <div className="grid gap-3">
        <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
          <Heading id={nameId} className="text-lg">
            {name}
          </Heading>
          {badge}
        </div>
        <p className="flex items-baseline gap-1">
          <span className="text-4xl font-strong" data-numeric>
            {price}
          </span>
          <span className="text-base text-muted">{period}</span>
        </p>
        {note && <p className="text-accent-word font-strong">{note}</p>}
      </div>
      <ul className="grid flex-1 content-start gap-2.5">
        {features.map((feature) => (
          <li key={feature} className="flex gap-2.5 text-base">
            <Check aria-hidden className="mt-1 size-4 shrink-0 text-accent-word" />
            {feature}
          </li>
        ))}
      </ul>
      {action(nameId)}
    </li>
  )
}
