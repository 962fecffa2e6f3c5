import { errorCode, errorText } from '../../api'

/** Why the leads to choose from cannot be shown (specification §8). */
export function fetchProblem(error: unknown): string {
  return `Failed to fetch leads: ${errorCode(error) ? errorText(error, 'Unknown error') : 'Unknown error'}`
}

/** What is said where a run breaks off without anybody having foreseen it (specification §8). */
export function runProblem(error: unknown): string {
  return `Failed to send messages: ${errorText(error)}`
}
