import { useQuery } from '@tanstack/react-query'
import { UNREAD_MAX } from '@x-automated/contract/platform/notification-limits'
import { Bell as BellIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api } from '../../../api'
import { IconButton } from '../../../ui/button'
import { NOTIFICATIONS_POLL_MS } from './refresh-interval'

// Loaded on hover or focus.
const loadSheet = () => import('./notifications-sheet')
const NotificationsSheet = lazy(loadSheet)

/** The number of unread notifications; opens the list. */
export default function Bell() {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const count = useQuery(api.notifications.countUnread.queryOptions({ refetchInterval: NOTIFICATIONS_POLL_MS }))
  const unread = count.data?.unread ?? 0
  const shown = unread >= UNREAD_MAX ? `${UNREAD_MAX - 1}+` : String(unread)
  return (
    <div className="relative">
      <IconButton
        icon={<BellIcon className="size-5!" />}
        label={unread > 0 ? `Notifications, ${shown} unread` : 'Notifications'}
        onPointerEnter={loadSheet}
        onFocus={loadSheet}
        onClick={() => {
          setWanted(true)
          setOpen(true)
        }}
      />
      {unread > 0 && (
        <span
          aria-hidden
          data-numeric
          className="pointer-events-none absolute start-1/2 top-0.5 min-w-4 rounded-full bg-ink px-1 text-center text-2xs font-strong text-inverse ring-2 ring-canvas"
        >
          {shown}
        </span>
      )}
      {wanted && (
        <Suspense>
          <NotificationsSheet open={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
