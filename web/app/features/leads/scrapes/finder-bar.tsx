import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { ReactNode } from 'react'
import { api } from '../../../api'

/** A usage of scraped leads; undefined while loading. */
export function useLeadsUsage() {
  return useQuery(api.billing.overview.queryOptions()).data?.usage.find(({ what }) => what === 'scrapedLeads')
}

interface FinderBarProps {
  label: string
  /** Figures before what the plan still allows. */
  figures: readonly (readonly [name: string, value: ReactNode])[]
  /** The actions. */
  children: ReactNode
}

/** The bar at the bottom of the finder: figures, what the plan still allows, and what to do with the people. */
export function FinderBar({ label, figures, children }: FinderBarProps) {
  const usage = useLeadsUsage()
  return (
    <section
      aria-label={label}
      className="sticky bottom-0 z-10 col-span-full -mx-1 flex flex-wrap items-center justify-between gap-x-8 gap-y-3 border-t border-line bg-canvas px-1 py-3 max-md:bottom-(--spacing-tab-bar)"
    >
      <dl className="flex flex-wrap gap-x-8 gap-y-2" data-numeric>
        {figures.map(([name, value]) => (
          <Figure key={name} name={name}>
            {value}
          </Figure>
        ))}
        {usage && usage.limit !== null && (
          <Figure name="Leads left">
            {formatNumber(Math.max(0, usage.limit - usage.used))}
            <Small> of {formatNumber(usage.limit)}</Small>
          </Figure>
        )}
      </dl>
      {children}
    </section>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-lg font-strong">{children}</dd>
    </div>
  )
}

/** What follows a figure: 'of 100'. */
export const Small = ({ children }: { children: ReactNode }) => (
  <small className="text-xs font-normal text-muted">{children}</small>
)
