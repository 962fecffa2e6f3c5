import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Notification, NotificationKind } from '@x-automated/contract/platform/notifications'
import {
  Bell as BellIcon,
  CircleCheck,
  Coins,
  CreditCard,
  FlaskConical,
  Gauge,
  Hourglass,
  KeyRound,
  MessageCircle,
  Pause,
  Radio,
  Unplug,
} from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { api, client } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { DateTime } from '../../../ui/date-time'
import { Sheet } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { SkeletonText } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { NOTIFICATIONS_POLL_MS } from './refresh-interval'

const PAGE_SIZE = 20

const ICONS: Record<NotificationKind, typeof Pause> = {
  x_disconnected: Unplug,
  campaign_paused: Pause,
  campaign_completed: CircleCheck,
  test_decided: FlaskConical,
  lead_replied: MessageCircle,
  detection_failing: Radio,
  x_app_problem: KeyRound,
  usage_high: Gauge,
  payment_failed: CreditCard,
  trial_ending: Hourglass,
  plan_ended: CreditCard,
  funds: Coins,
  spending: Coins,
  api_key_created: KeyRound,
  api_key_suspended: KeyRound,
}

/** Notifications, newest first. */
export default function NotificationsSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const queries = useQueryClient()
  const [page, setPage] = useState(1)
  const query = useQuery({
    ...api.notifications.list.queryOptions({ input: { page, pageSize: PAGE_SIZE }, placeholderData: keepPreviousData }),
    staleTime: 0,
    enabled: open,
    refetchInterval: open ? NOTIFICATIONS_POLL_MS : false,
  })
  const markRead = useAction(client.notifications.markRead, {
    onSuccess: ({ unread }) => queries.setQueryData(api.notifications.countUnread.queryKey(), { unread }),
    failed: 'Failed to mark as read. Please try again.',
    refetches: [api.notifications.list],
  })
  const { data } = query
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title="Notifications"
      description={
        <Link to={`${paths.settings}?tab=notifications`} onClick={onClose} className="underline">
          Notification settings
        </Link>
      }
      footer={
        data && data.unread > 0 ? (
          <Button loading={markRead.isPending} onClick={() => markRead.run({})}>
            Mark all as read
          </Button>
        ) : undefined
      }
    >
      {query.isError && !data ? (
        <QueryError query={query} fallback="Failed to load your notifications. Please try again." />
      ) : !data ? (
        <SkeletonText lines={6} />
      ) : data.total === 0 ? (
        <EmptyState icon={<BellIcon aria-hidden />} title="No notifications yet">
          You'll be notified when an X account is disconnected, when a campaign is paused automatically or completes,
          and when something changes with your plan.
        </EmptyState>
      ) : (
        <>
          <ul className="-mx-3 grid gap-1">
            {data.notifications.map((notification) => (
              <NotificationRow
                key={notification.id}
                notification={notification}
                onOpen={() => {
                  if (!notification.readAt) markRead.run({ ids: [notification.id] })
                  onClose()
                }}
              />
            ))}
          </ul>
          <Pager page={page} pageSize={PAGE_SIZE} query={query} onChange={setPage} noun="notifications" />
        </>
      )}
    </Sheet>
  )
}

function NotificationRow({ notification, onOpen }: { notification: Notification; onOpen: () => void }) {
  const Icon = ICONS[notification.kind]
  return (
    <li>
      <Link to={notification.path} onClick={onOpen} className="flex gap-3 rounded-md px-3 py-3 hover:bg-hover">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
        <span className="grid min-w-0 gap-0.5">
          <span className={cn('wrap-anywhere', !notification.readAt && 'font-strong')}>
            {notification.title}
            {!notification.readAt && <span className="sr-only"> (unread)</span>}
          </span>
          {notification.text && <span className="wrap-anywhere">{notification.text}</span>}
          <DateTime value={notification.createdAt} className="text-xs text-muted" />
        </span>
        {!notification.readAt && <i aria-hidden className="ms-auto mt-1.5 size-2 shrink-0 rounded-full bg-ink" />}
      </Link>
    </li>
  )
}
