import type { XCallbackOutcome } from '@x-automated/contract/platform/x-account'

interface Outcome {
  tone: 'good' | 'info' | 'warn' | 'bad'
  text: string
}

/** Messages after returning from X's authorization page. */
export const callbackOutcomes: Record<XCallbackOutcome, Outcome> = {
  connected: { tone: 'good', text: 'Twitter account connected successfully!' },
  shared: {
    tone: 'good',
    text: 'Twitter account connected successfully! Another workspace uses this account too. Both share its sending limits.',
  },
  cancelled: { tone: 'info', text: "You didn't approve access on X, so nothing was connected." },
  failed: { tone: 'bad', text: 'X did not confirm the connection. Please try again.' },
  unavailable: { tone: 'bad', text: 'X is not responding. Please try again in a moment.' },
  limit: {
    tone: 'warn',
    text: "You've reached your plan's limit of X accounts. Disconnect one or upgrade your plan.",
  },
  forbidden: { tone: 'bad', text: "Your role in this workspace doesn't allow that." },
}

/** The outcome in the URL, or null. */
export function findOutcome(name: string | null): Outcome | null {
  return name !== null && Object.hasOwn(callbackOutcomes, name) ? callbackOutcomes[name as XCallbackOutcome] : null
}
