import { X_APP_DAILY_LIMIT } from '@x-automated/contract/platform/x-apps'

/** Nobody sends as many messages a day, so a higher limit is none. */
const LIMIT_MAX = 100_000

/**
 * How many messages an app may send in 24 hours; null: X limits only its accounts.
 * @param fromHeaders what X's headers named last; null: nothing yet
 */
export function dailyLimitOf(fromHeaders: number | null, isRealX: boolean): number | null {
  const limit = fromHeaders ?? (isRealX ? X_APP_DAILY_LIMIT : null)
  return limit !== null && limit < LIMIT_MAX ? limit : null
}

/** An app's last 24 hours. */
export interface AppDay {
  limit: number
  /** Messages that count. */
  used: number
  /** When it may send the next one, if the limit is reached or X's headers say so; null: now. */
  until: Date | null
  /** The accounts that have something to send. */
  accounts: number
}

/**
 * What one account may send: of what the app has left today, and of each whole day. Accounts take
 * turns, so each gets the same.
 */
export function shareOf({ limit, used, until, accounts }: AppDay): { now: number; perDay: number } {
  const left = until ? 0 : Math.max(0, limit - used)
  return { now: Math.floor(left / accounts), perDay: Math.max(1, Math.floor(limit / accounts)) }
}
