import { useQuery } from '@tanstack/react-query'
import { UNREAD_MAX } from '@x-automated/contract/platform/notification-limits'
import { Bell as BellIcon } from 'lucide-react'
import { api } from '../../../api'
import { IconButton } from '../../../ui/button'
import { useDialogOnDemand } from '../../../ui/use-dialog-on-demand'
import { NOTIFICATIONS_POLL_MS } from './refresh-interval'

const loadSheet = () => import('./notifications-sheet')

/** A button that shows the number of unread notifications and opens the list. */
export default function Bell() {
  const sheet = useDialogOnDemand(loadSheet, 'The list of notifications')
  const count = useQuery(api.notifications.countUnread.queryOptions({ refetchInterval: NOTIFICATIONS_POLL_MS }))
  const unread = count.data?.unread ?? 0
  const countText = unread >= UNREAD_MAX ? `${UNREAD_MAX - 1}+` : String(unread)
  return (
    <div className="relative">
      <IconButton
        icon={<BellIcon className="size-5!" />}
        label={unread > 0 ? `Notifications, ${countText} unread` : 'Notifications'}
        {...sheet.button}
      />
      {unread > 0 && (
        <span
          aria-hidden
          data-numeric
          className="pointer-events-none absolute start-1/2 top-0.5 min-w-4 rounded-full bg-ink px-1 text-center text-2xs font-strong text-inverse ring-2 ring-canvas"
        >
          {countText}
        </span>
      )}
      {sheet.render({})}
    </div>
  )
}
