import { formatCount, formatMoney, formatNumber } from '@x-automated/contract/format'
import { isWanted } from '@x-automated/contract/leads/profile-filter'
import { LOOK_PEOPLE_MAX } from '@x-automated/contract/leads/scrape-limits'
import { SearchX, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from '../../../ui/button'
import { EmptyState } from '../../../ui/empty-state'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { FinderBar, Small } from './finder-bar'
import { emptyText, ResultCard } from './result-leads'
import { sourceTitle } from './scrape-text'
import type { Look } from './use-look'

interface LookPanelProps {
  look: Look
  /** The form's filters, which a scrape of this source would use. */
  filter: Parameters<typeof isWanted>[1]
  /** Saves the people of this source. */
  action: ReactNode
  onClose: () => void
}

/** The first people of a source, none of whom is saved, and which of them match the filters. */
export function LookPanel({ look, filter, action, onClose }: LookPanelProps) {
  const { people, source, costCents } = look
  const matching = people.filter((person) => isWanted(person, filter))
  const title = `A look at ${sourceTitle(source)}`
  const panel = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each look scrolls once
  useEffect(() => {
    // On phones, the form fills the screen.
    if (matchMedia('(width < 40rem)').matches) panel.current?.scrollIntoView({ block: 'start' })
  }, [look])
  return (
    <section
      ref={panel}
      aria-label={title}
      className="grid min-w-0 scroll-mt-(--spacing-header) grid-cols-1 gap-4 border-t border-line pt-6"
    >
      <div className="flex items-start justify-between gap-3">
        <div className="grid min-w-0 gap-1">
          <h2 className="text-base wrap-anywhere">{title}</h2>
          <p role="status" className="text-muted" data-numeric>
            {people.length > 0 &&
              `The first ${formatCount(people.length, 'profile')}. ${formatNumber(matching.length)} of them ${matching.length === 1 ? 'matches' : 'match'} your filters. Nobody is saved yet.`}
          </p>
        </div>
        <IconButton icon={<X />} label="Close this look" size="sm" onClick={onClose} />
      </div>
      {people.length === 0 ? (
        <EmptyState icon={<SearchX />} title="No accounts to read">
          {emptyText(source)}
        </EmptyState>
      ) : (
        <>
          <ul className="grid grid-cols-1 gap-x-10 sm:grid-cols-2">
            {people.map((person) => (
              <li key={person.twitterHandle} className="border-t border-hair py-4">
                <ResultCard
                  person={{ ...person, isSample: false }}
                  outside={!matching.includes(person) && 'outside your filters'}
                />
              </li>
            ))}
          </ul>
          <FinderBar
            label="Save these people"
            figures={[
              [
                'Match',
                <>
                  {formatNumber(matching.length)}
                  <Small> of {formatNumber(people.length)}</Small>
                </>,
              ],
              ...(costCents === null ? [] : [['X bills', formatMoney(costCents)] as const]),
            ]}
          >
            {action}
          </FinderBar>
        </>
      )}
    </section>
  )
}

/** Placeholder of a look until X has answered. */
export function LookSkeleton() {
  return (
    <div className="grid gap-4 border-t border-line pt-6">
      <LoadingText>{`Reading the first ${LOOK_PEOPLE_MAX} profiles…`}</LoadingText>
      <div className="grid grid-cols-1 gap-x-10 gap-y-4 sm:grid-cols-2">
        {[1, 2, 3, 4, 5, 6].map((card) => (
          <Skeleton key={card} className="h-32" />
        ))}
      </div>
    </div>
  )
}
