import { errorCode, errorText, failureText } from '../../../api'

const INITIAL_DATA = 'An error occurred while fetching initial data.'

/** Why campaigns could not be loaded. @param hasData whether earlier data is still displayed */
export function campaignsProblem(error: unknown, hasData: boolean): string {
  return hasData
    ? failureText(error, 'Failed to refresh campaigns', 'Error refreshing campaigns.')
    : failureText(error, 'Failed to fetch campaigns', INITIAL_DATA)
}

/** Why the lists to choose from could not be loaded. */
export function listsProblem(error: unknown): string {
  return failureText(error, 'Failed to fetch your lead lists', INITIAL_DATA)
}

/** Why a campaign wasn't created. @param mode the button: Save and Pause, or Launch Campaign */
export function creationProblem(error: unknown, mode: 'pause' | 'launch'): string {
  return mode === 'pause'
    ? `Failed to save campaign: ${errorText(error)}`
    : `Failed to create campaign entry: ${errorText(error, 'Unknown error')}`
}

export type TargetStatus = 'active' | 'paused' | 'archived'

const failures: Record<TargetStatus, string> = {
  active: 'Failed to resume campaign:',
  paused: 'Failed to pause campaign:',
  archived: 'Failed to archive campaign:',
}

/** Why a campaign's status could not be changed. */
export function changeProblem(error: unknown, target: TargetStatus): string {
  return `${failures[target]} ${errorText(error)}`
}

/** Why a campaign could not be launched. */
export function launchProblem(error: unknown): string {
  return `Failed to launch campaign or queue DMs: ${errorText(error)}`
}

/** Why a launch could not be undone. */
export function undoProblem(error: unknown): string {
  return failureText(error, 'Failed to undo the launch', 'An unexpected error occurred.')
}

/** Why a campaign's messages could not be loaded. */
export function dmsProblem(error: unknown): string {
  return errorCode(error) ? errorText(error) : 'An unexpected error occurred.'
}

/** Why a campaign's messages could not be refreshed. Earlier data is still displayed. */
export function staleDmsProblem(error: unknown): string {
  return failureText(error, 'Failed to fetch DMs for campaign', 'An unexpected error occurred.')
}

/** Why the queue cannot be processed, or null if the user is signed in. */
export function queueRefusal(isSignedIn: boolean): string | null {
  return isSignedIn ? null : 'Please log in to process the queue.'
}
