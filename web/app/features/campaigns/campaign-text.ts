import { errorCode, errorText, failureText } from '../../api'

const INITIAL_DATA = 'An error occurred while fetching initial data.'

/**
 * Why campaigns cannot be shown, or not as they are now.
 * @param shown an earlier answer is still on the screen
 */
export function campaignsProblem(error: unknown, shown: boolean): string {
  return shown
    ? failureText(error, 'Failed to refresh campaigns', 'Error refreshing campaigns.')
    : failureText(error, 'Failed to fetch campaigns', INITIAL_DATA)
}

/** Why the lists to pick from cannot be shown. */
export function listsProblem(error: unknown): string {
  return failureText(error, 'Failed to fetch your lead lists', INITIAL_DATA)
}

/** Why a campaign was not made. @param way what was pressed: Save and Pause, or Launch Campaign */
export function creationProblem(error: unknown, way: 'pause' | 'launch'): string {
  return way === 'pause'
    ? `Failed to save campaign: ${errorText(error)}`
    : `Failed to create campaign entry: ${errorText(error, 'Unknown error')}`
}

/** What somebody wants a campaign to become. */
export type TargetStatus = 'active' | 'paused' | 'archived'

const failures: Record<TargetStatus, string> = {
  active: 'Failed to resume campaign:',
  paused: 'Failed to pause campaign:',
  archived: 'Failed to archive campaign:',
}

/** Why a campaign stays as it is. */
export function changeProblem(error: unknown, wish: TargetStatus): string {
  return `${failures[wish]} ${errorText(error)}`
}

/** Why a campaign that is there was not launched. */
export function launchProblem(error: unknown): string {
  return `Failed to launch campaign or queue DMs: ${errorText(error)}`
}

/** Why a campaign's messages cannot be shown. */
export function dmsProblem(error: unknown): string {
  return errorCode(error) ? errorText(error) : 'An unexpected error occurred.'
}

/** The same while an earlier answer is still on the screen. */
export function staleDmsProblem(error: unknown): string {
  return failureText(error, 'Failed to fetch DMs for campaign', 'An unexpected error occurred.')
}

/** What is said to somebody who processes the queue without a session; null: they have one. */
export function queueRefusal(isSignedIn: boolean): string | null {
  return isSignedIn ? null : 'Please log in to process the queue.'
}
