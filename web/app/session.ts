import { ORPCError } from '@orpc/client'
import { useSyncExternalStore } from 'react'
import { localStorage } from './browser-storage'
import { contractClient } from './contract-client'
import { type AuthEvent, createSessionStore, type SessionState } from './session-store'

export type { AuthEvent, SessionState, User } from './session-store'

/** How often a token that is about to end is looked for (specification §9). */
const TICK_MS = 30_000
/** A page on which a session remains after signing out is loaded anew after this (specification §9). */
const RELOAD_AFTER_MS = 100

const guest = contractClient()
const withToken = (token: string) => contractClient({ current: () => token })
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('x-automated-auth')

/** One after the other over all tabs; where the browser forbids storage, which tabs share, it refuses locks too. */
async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  if (typeof navigator === 'undefined' || !navigator.locks) return work()
  let begun: Promise<T> | undefined
  try {
    return await navigator.locks.request('x-automated-refresh', () => {
      begun = work()
      return begun
    })
  } catch (error) {
    if (begun) throw error
    return work()
  }
}

/** The session of this browser. In components use `useSession`. */
export const session = createSessionStore({
  storage: localStorage,
  async refresh(refreshToken) {
    try {
      return await guest.auth.refresh({ refreshToken })
    } catch (error) {
      if (!(error instanceof ORPCError)) return 'unreachable'
      // Too busy, or something in between is down: that says nothing about this session.
      if ([429, 502, 503, 504].includes(error.status)) return 'unreachable'
      return error.status < 500 ? 'refused' : 'failed'
    }
  },
  async findUser(token) {
    try {
      const { id, email } = await withToken(token).auth.me()
      return { id, email }
    } catch (error) {
      if (error instanceof ORPCError && error.status === 401) return null
      throw error
    }
  },
  async revoke(token) {
    await withToken(token).auth.signOut({ scope: 'local' })
  },
  exclusively,
  announce: (event) => channel?.postMessage(event),
  moved: () => location.reload(),
  now: () => Date.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
})

/**
 * Ties the session to this page: starts it, listens to the other tabs, renews tokens in time. Called once, in root.tsx.
 * @returns the way to stop
 */
export function attachSession(): () => void {
  const stop = new AbortController()
  const { signal } = stop

  channel?.addEventListener('message', ({ data }: MessageEvent<AuthEvent>) => void session.heard(data), { signal })
  addEventListener(
    'storage',
    (event) => {
      // The storage was cleared as a whole: nothing that this page holds can be relied on (specification §2).
      if (event.key === null) location.reload()
      else if (event.key === 'authToken') void session.heard()
    },
    { signal },
  )
  const ticking = setInterval(() => document.visibilityState === 'visible' && void session.tick(), TICK_MS)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void session.tick(), {
    signal,
  })
  const stopListening = session.onEvent((event) => {
    delete document.documentElement.dataset.session
    if (event !== 'SIGNED_OUT') return
    setTimeout(
      () => session.state().status === 'signed-out' && session.hasStoredToken() && location.reload(),
      RELOAD_AFTER_MS,
    )
  })
  void session.start()

  return () => {
    stop.abort()
    clearInterval(ticking)
    stopListening()
  }
}

const starting: SessionState = { status: 'starting' }

/** Who is signed in. `starting` until it is known, and while prerendering. */
export function useSession(): SessionState {
  return useSyncExternalStore(session.watch, session.state, () => starting)
}
