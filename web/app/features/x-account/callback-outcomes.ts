import type { XCallbackOutcome } from '@x-automated/contract/x-account'

interface Outcome {
  tone: 'good' | 'info' | 'warn' | 'bad'
  words: string
}

/** What to tell somebody who comes back from X's page. */
export const callbackOutcomes: Record<XCallbackOutcome, Outcome> = {
  connected: { tone: 'good', words: 'Twitter account connected successfully!' },
  shared: {
    tone: 'good',
    words:
      'Twitter account connected successfully! Another workspace has connected this account too: its pace and its daily cap hold over both.',
  },
  cancelled: { tone: 'info', words: 'You did not allow it on X, so nothing was connected.' },
  failed: { tone: 'bad', words: 'X did not confirm the connection. Please try again.' },
  unavailable: { tone: 'bad', words: 'X is not answering. Please try again in a moment.' },
  limit: {
    tone: 'warn',
    words: 'Your plan has no place for another X account. Disconnect one first, or upgrade your plan.',
  },
  forbidden: { tone: 'bad', words: 'Your role in this workspace does not allow that.' },
}

/** The outcome that an address names; null for none, and for what is none. */
export function findOutcome(name: string | null): Outcome | null {
  return name !== null && Object.hasOwn(callbackOutcomes, name) ? callbackOutcomes[name as XCallbackOutcome] : null
}
