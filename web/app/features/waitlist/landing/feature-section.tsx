import type { ReactNode } from 'react'
import { cn } from '../../../ui/cn'

interface FeatureSectionProps {
  title: string
  text: string
  points: readonly (readonly [name: string, text: string])[]
  /** Decorative. */
  picture: ReactNode
  /** Puts the picture first on wide screens. */
  isMirrored?: boolean
}

/** A feature: text and picture side by side. */
export function FeatureSection({ title, text, points, picture, isMirrored = false }: FeatureSectionProps) {
  return (
    <section>
      <div className="page-width grid grid-cols-1 items-center gap-10 py-12 md:py-16 lg:grid-cols-2 lg:gap-20">
        <div className="grid gap-6">
          <div className="grid gap-3">
            <h2 className="text-3xl">{title}</h2>
            <p className="max-w-lg text-lg text-muted">{text}</p>
          </div>
          <dl className="grid max-w-lg gap-4 text-base">
            {points.map(([name, what]) => (
              <div key={name}>
                <dt className="font-strong">{name}</dt>
                <dd className="text-muted">{what}</dd>
              </div>
            ))}
          </dl>
        </div>
        <div aria-hidden className={cn('min-w-0', isMirrored && 'lg:order-first')}>
          {picture}
        </div>
      </div>
    </section>
  )
}
