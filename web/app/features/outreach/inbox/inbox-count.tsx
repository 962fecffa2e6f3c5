import { useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { api } from '../../../api'
import { cn } from '../../../ui/cn'
import { useHasRole } from '../../identity/people/use-role'

const COUNT_MAX = 99
/** Poll interval, in case a live event gets lost. */
const POLL_MS = 30_000

/**
 * The number of unread conversations. Empty if it is 0.
 * @param labelClass hides “unread” where there is no room for it
 */
export function InboxCount({ className, labelClass }: { className?: string; labelClass: string }) {
  const mayRead = useHasRole('member') === true
  const unread = useQuery(
    api.conversations.list.queryOptions({
      input: { pageSize: 1 },
      enabled: mayRead,
      select: ({ counts }) => counts.unread,
      refetchInterval: POLL_MS,
    }),
  ).data
  if (!unread) return null
  return (
    <span
      data-numeric
      title={formatCount(unread, 'unread conversation')}
      className={cn('min-w-4.5 rounded-sm bg-ink px-1 text-center text-2xs font-strong text-inverse', className)}
    >
      {unread > COUNT_MAX ? `${COUNT_MAX}+` : formatNumber(unread)}
      <span className={labelClass}> unread</span>
    </span>
  )
}
