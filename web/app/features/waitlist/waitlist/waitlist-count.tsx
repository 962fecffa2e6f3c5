import { useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { useEffect } from 'react'
import { api } from '../../../api'
import { useHydrated } from '../../../ui/use-hydrated'
import { joinedText } from './joined-text'

/** The number of members. Empty if unknown; errors are only logged. */
export function WaitlistCount() {
  const count = useQuery({ ...api.waitlist.count.queryOptions(), enabled: useHydrated() })
  useEffect(() => {
    if (count.error) console.warn('Could not count who has joined', count.error)
  }, [count.error])
  return (
    <div className="flex min-h-6 items-center gap-2 text-base has-[p:empty]:invisible">
      <Users aria-hidden className="size-4 shrink-0 text-muted" />
      <p data-numeric>{count.data ? joinedText(count.data.count) : ''}</p>
    </div>
  )
}
