import type { ReactNode } from 'react'
import { api, errorCode } from '../../../api'
import { QueryError, type QueryErrorProps } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { SkeletonText } from '../../../ui/skeleton'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { type SectionId, sections } from './sections'

interface SectionQuery extends Omit<QueryErrorProps['query'], 'refetch'> {
  refetch: () => Promise<{ error: unknown }>
  isPending: boolean
  isError: boolean
  data: unknown
}

interface SectionProps {
  id: SectionId
  description?: ReactNode
  actions?: ReactNode
  /** The content's query, whose loading and error states replace the content. */
  query?: SectionQuery
  /** Shown while loading. Defaults to two lines of text. */
  skeleton?: ReactNode
  children: ReactNode
}

/** A section of the account page, with an anchor. */
export function Section({ id, description, actions, query, skeleton, children }: SectionProps) {
  const title = sections.find((section) => section.id === id)?.title ?? ''
  // The focused row may be removed, such as that of an ended session.
  const focusFallback = useFocusFallback<HTMLElement>()
  const failed = query?.isError && query.data === undefined
  return (
    <Card
      {...focusFallback}
      id={id}
      aria-label={title}
      title={title}
      description={description}
      actions={actions}
      className="scroll-mt-20"
    >
      {failed ? <SectionError query={query} /> : query?.isPending ? (skeleton ?? <SkeletonText lines={2} />) : children}
    </Card>
  )
}

/** Says why a section did not load. In a single sign-on session, users must reauthenticate first. */
function SectionError({ query }: { query: SectionQuery }) {
  const confirm = useAction(
    async () => {
      const { error } = await query.refetch()
      if (error) throw error
    },
    { refetches: [api.account, api.identities, api.secondFactors] },
  )
  if (errorCode(query.error) !== 'REAUTHENTICATION_NEEDED') return <QueryError query={query} />
  return (
    <Callout
      action={
        <Button size="sm" loading={confirm.isPending} onClick={() => confirm.run()}>
          Confirm it's you
        </Button>
      }
    >
      Single sign-on signed you in to one workspace. To see this part of your account, confirm it's you.
    </Callout>
  )
}
