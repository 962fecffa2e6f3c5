import { errorCode, errorText } from '../../../api'

/** Why the leads to choose from could not be loaded. */
export function fetchProblem(error: unknown): string {
  return `Failed to fetch leads: ${errorCode(error) ? errorText(error, 'Unknown error') : 'Unknown error'}`
}

/** Why a run failed unexpectedly. */
export function runProblem(error: unknown): string {
  return `Failed to send messages: ${errorText(error)}`
}
