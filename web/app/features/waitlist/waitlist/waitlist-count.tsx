import { useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { useEffect } from 'react'
import { api } from '../../../api'
import { localStorage } from '../../../browser-storage'
import { Button } from '../../../ui/button'
import { useHydrated } from '../../../ui/use-hydrated'
import { COUNT_FAILED, joinedText } from './joined-text'
import { readLastCount, writeLastCount } from './last-count'

/** The number of members or, if the server does not respond, the last number that this browser stored. */
export function WaitlistCount() {
  const count = useQuery({ ...api.waitlist.count.queryOptions(), enabled: useHydrated() })
  useEffect(() => {
    if (count.error) console.warn('Could not count who has joined', count.error)
  }, [count.error])
  useEffect(() => {
    if (count.data) writeLastCount(localStorage, count.data.count)
  }, [count.data])
  const memberCount = count.data?.count ?? (count.error ? readLastCount(localStorage) : null)
  const hasFailed = memberCount === null && count.error !== null
  return (
    <div className="flex min-h-8 items-center gap-2 text-base has-[p:empty]:invisible">
      <Users aria-hidden className="size-4 shrink-0 text-muted" />
      <p data-numeric>{memberCount !== null ? joinedText(memberCount) : hasFailed && COUNT_FAILED}</p>
      {hasFailed && (
        <Button size="sm" variant="ghost" loading={count.isFetching} onClick={() => count.refetch()}>
          Try again
        </Button>
      )}
    </div>
  )
}
