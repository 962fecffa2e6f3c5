import { DateTime } from './date-time'

/** 'Nov 27 by Ada'. @param by null if their account was deleted */
export function CreatedBy({ at, by }: { at: string; by: { name: string } | null }) {
  return (
    <span>
      <DateTime value={at} precision="day" className="whitespace-nowrap" />
      {by && <span className="text-muted wrap-anywhere"> by {by.name}</span>}
    </span>
  )
}
