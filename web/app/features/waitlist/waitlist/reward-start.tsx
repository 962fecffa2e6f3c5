import { formatNumber } from '@x-automated/contract/format'
import type { Rewards } from '@x-automated/contract/platform/billing'
import { REWARD_HOURS } from '@x-automated/contract/waitlist/waitlist'
import { DateTime } from '../../../ui/date-time'

/** What a held reward waits for: more confirmed friends, or its date. */
export function RewardStart({ reward }: { reward: Rewards['rewards'][number] }) {
  const { confirmed, needed, startsAt } = reward
  return (
    <span className="ms-auto text-muted">
      {startsAt ? (
        <>
          Starts on <DateTime value={startsAt} precision="day" />
        </>
      ) : (
        `${formatNumber(confirmed)} of ${formatNumber(needed)} confirmed`
      )}
    </span>
  )
}

export const HELD_TEXT = `Rewards start ${REWARD_HOURS} hours after enough of the friends you referred have confirmed their email addresses.`
