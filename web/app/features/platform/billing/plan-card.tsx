import { Check } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { cn } from '../../../ui/cn'

interface PlanCardProps {
  name: string
  /** '$50'. */
  price: string
  /** The text after the price: '/month'. */
  period: string
  features: readonly string[]
  /** The plan's limits, as pairs of name and value. */
  limits?: readonly (readonly [name: string, value: string])[]
  /** Next to the name: popular, or current. */
  badge?: ReactNode
  /** Below the price: the saving, or the price per month. */
  note?: ReactNode
  /** Whether the card is highlighted. */
  featured?: boolean
  /** The card shares a box with others, instead of having its own. */
  isPart?: boolean
  /** Below the name: whom the plan is for. */
  audience?: string
  heading?: 'h2' | 'h3'
  /** Renders the button. Its description should reference the name by this id. */
  action: (nameId: string) => ReactNode
}

/** A plan's card, for a list. */
export function PlanCard({
  name,
  price,
  period,
  features,
  limits = [],
  badge,
  note,
  featured,
  isPart,
  audience,
  heading: Heading = 'h2',
  action,
}: PlanCardProps) {
  const nameId = useId()
  return (
    <li
      className={cn(
        'flex min-w-0 flex-col gap-6 p-6',
        isPart && 'border-line not-first:max-lg:border-t not-first:lg:border-s md:p-8',
        isPart &&
          featured &&
          'relative bg-sunken before:absolute before:inset-x-0 before:-top-px before:h-0.5 before:bg-ink',
        !isPart && ['rounded-xl border bg-surface', featured ? 'border-accent-line shadow-sm' : 'border-line'],
      )}
    >
      <div className="grid gap-3">
        <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
          <Heading id={nameId} className="text-lg">
            {name}
          </Heading>
          {badge}
        </div>
        {audience && <p className="-mt-2 text-muted">{audience}</p>}
        <p className="flex items-baseline gap-1">
          <span className="text-4xl font-strong" data-numeric>
            {price}
          </span>
          <span className="text-base text-muted">{period}</span>
        </p>
        <p className="min-h-5 text-muted max-lg:empty:hidden">{note}</p>
      </div>
      {action(nameId)}
      {limits.length > 0 && (
        <dl className="grid gap-2 border-y border-line py-4">
          {limits.map(([name, value]) => (
            <div key={name} className="flex items-baseline justify-between gap-4">
              <dt className="text-muted">{name}</dt>
              <dd className="font-strong" data-numeric>
                {value}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <ul className="grid flex-1 content-start gap-2.5">
        {features.map((feature) => (
          <li key={feature} className="flex gap-2.5">
            <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-accent-word" />
            {feature}
          </li>
        ))}
      </ul>
    </li>
  )
}
