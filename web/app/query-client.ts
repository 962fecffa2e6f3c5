import { ORPCError } from '@orpc/client'
import { focusManager, notifyManager, QueryClient } from '@tanstack/react-query'

/** Answers of the server (other than 5xx) do not get better by asking again, nor do calls of a device without a network. */
function isWorthAnotherTry(failures: number, error: Error): boolean {
  if (error instanceof ORPCError && error.status < 500) return false
  return failures < 2 && !(error instanceof TypeError && navigator.onLine === false)
}

/**
 * What the app asks through. Without a network calls fail at once, so that it is told:
 * by TanStack Query's own rule they would wait without a word, and take effect whenever the network is back.
 */
export function createQueryClient(): QueryClient {
  // Told at once, not a timer later: a button is busy before a second press of a double click can reach it.
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    defaultOptions: {
      // Asking again once the network is back is the default only of queries that had waited for it.
      queries: { networkMode: 'always', refetchOnReconnect: true, staleTime: 10_000, retry: isWorthAnotherTry },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Asks again for what may be old when one comes back to the page: to its tab, or to its window beside another. */
export function askAgainOnReturn(): void {
  if (typeof window === 'undefined') return
  focusManager.setEventListener((onFocus) => {
    const back = () => onFocus()
    addEventListener('visibilitychange', back)
    addEventListener('focus', back)
    return () => {
      removeEventListener('visibilitychange', back)
      removeEventListener('focus', back)
    }
  })
}
