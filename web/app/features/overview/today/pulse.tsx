import { formatNumber } from '@x-automated/contract/format'
import type { Today } from '@x-automated/contract/overview/today'
import { Link } from 'react-router'
import { paths } from '../../../paths'
import { Ring } from '../../../ui/ring'
import { useSecondsUntil } from '../../../ui/use-seconds-until'
import { waitsForCredits } from '../../platform/x-costs/x-costs-text'
import { isTomorrow, nextSendText } from './next-send'

/** At the bottom of the sidebar: how much of the daily caps is used, and when the next message is sent. */
export default function Pulse({ today }: { today: Today }) {
  const { countedInDay, capNow, nextSendAt } = today
  return (
    <Link
      to={paths.dashboard}
      title={`${formatNumber(countedInDay)} of ${formatNumber(capNow)} in 24 hours`}
      className="flex items-center gap-2.5 rounded-md p-2 text-ui text-muted transition-colors hover:bg-hover hover:text-ink rail:justify-center rail:px-0"
    >
      <Ring share={capNow > 0 ? countedInDay / capNow : 0} className="size-7 shrink-0" />
      <span className="grid min-w-0 rail:sr-only" data-numeric>
        <span className="flex flex-wrap gap-x-1 whitespace-nowrap">
          <span className="font-strong text-ink">
            {formatNumber(countedInDay)} of {formatNumber(capNow)}
          </span>{' '}
          in 24 hours
        </span>
        <span className="text-xs">
          {!nextSendAt ? (
            'Nothing is scheduled'
          ) : waitsForCredits(today) ? (
            'Waiting for X credits'
          ) : (
            <Next at={new Date(nextSendAt)} />
          )}
        </span>
      </span>
    </Link>
  )
}

function Next({ at }: { at: Date }) {
  const seconds = useSecondsUntil(at.getTime())
  if (seconds <= 0) return 'Sending now'
  const text = nextSendText(at, seconds)
  if (seconds < 3_600) return `Next in ${text}`
  if (seconds >= 24 * 3_600) return `Next on ${text}`
  return isTomorrow(at, seconds) ? `Next tomorrow at ${text}` : `Next at ${text}`
}
