import { useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { useEffect } from 'react'
import { api } from '../../api'
import { Skeleton } from '../../ui/skeleton'
import { useHydrated } from '../../ui/use-hydrated'

/** How many have joined. Where that cannot be known its room stays empty (specification §8: only logged). */
export function WaitlistCount() {
  const count = useQuery({ ...api.waitlist.count.queryOptions(), enabled: useHydrated() })
  useEffect(() => {
    if (count.error) console.warn('Could not count who has joined', count.error)
  }, [count.error])
  return (
    <div className="flex min-h-6 items-center gap-2 text-base">
      {count.isPending && <Skeleton className="h-5 w-64" />}
      {count.data && (
        <>
          <Users aria-hidden className="size-4 shrink-0 text-muted" />
          <p data-numeric>{count.data.count.toLocaleString('en-US')}+ people have already joined</p>
        </>
      )}
    </div>
  )
}
