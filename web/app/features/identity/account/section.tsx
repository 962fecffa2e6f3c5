import type { ReactNode } from 'react'
import { QueryError, type QueryErrorProps } from '../../../query-error'
import { Card } from '../../../ui/card'
import { SkeletonText } from '../../../ui/skeleton'
import { useKeptFocus } from '../../../ui/use-kept-focus'
import { type SectionId, sections } from './sections'

interface SectionProps {
  id: SectionId
  description?: ReactNode
  actions?: ReactNode
  /** Its loading and error states replace the content. */
  query?: QueryErrorProps['query'] & { isPending: boolean; isError: boolean; data: unknown }
  /** Shown while loading; default two lines. */
  skeleton?: ReactNode
  children: ReactNode
}

/** A section of the account page, with an anchor. */
export function Section({ id, description, actions, query, skeleton, children }: SectionProps) {
  const title = sections.find((section) => section.id === id)?.title ?? ''
  // A session that was ended, or a factor that was removed, is gone.
  const keptFocus = useKeptFocus<HTMLElement>()
  const failed = query?.isError && query.data === undefined
  return (
    <Card
      {...keptFocus}
      id={id}
      aria-label={title}
      title={title}
      description={description}
      actions={actions}
      className="scroll-mt-20"
    >
      {failed ? <QueryError query={query} /> : query?.isPending ? (skeleton ?? <SkeletonText lines={2} />) : children}
    </Card>
  )
}
