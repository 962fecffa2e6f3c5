import { ORPCError } from '@orpc/client'
import { useSyncExternalStore } from 'react'
import { localStorage, sessionStorage } from './browser-storage'
import { contractClient } from './contract-client'
import { type AuthEvent, createSessionStore, type SessionState } from './session-store'

export type { User } from './session-store'

/** How often to check whether the token is about to expire. */
const TICK_MS = 30_000
/** If a token is still stored this long after signing out, the page reloads. */
const RELOAD_AFTER_MS = 100
/** Key in session storage. Set until the reloaded page has informed the user. */
const LOST_WORKSPACE = 'lostWorkspace'

const guest = contractClient()
const withToken = (token: string) => contractClient({ current: () => token })
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('x-automated-auth')

/** Runs `work` under a lock that all tabs share, or without it if the browser has no locks or blocks them. */
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

/** This browser's session. In components, use `useSession`. */
export const session = createSessionStore({
  storage: localStorage,
  async refresh(refreshToken) {
    try {
      return await guest.auth.refresh({ refreshToken })
    } catch (error) {
      if (!(error instanceof ORPCError)) return 'unreachable'
      // Rate limits and gateway errors say nothing about the session.
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
  workspaceChanged(isLost) {
    if (isLost) sessionStorage.setItem(LOST_WORKSPACE, 'true')
    location.reload()
  },
  now: () => Date.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
})

/** Starts the session, follows other tabs and renews tokens. @returns a cleanup function */
export function attachSession(): () => void {
  const stop = new AbortController()
  const { signal } = stop

  channel?.addEventListener('message', ({ data }: MessageEvent<AuthEvent>) => void session.syncFromOtherTab(data), {
    signal,
  })
  addEventListener(
    'storage',
    (event) => {
      // All storage was cleared, so nothing on this page can be trusted.
      if (event.key === null) location.reload()
      else if (event.key === 'authToken') void session.syncFromOtherTab()
    },
    { signal },
  )
  const ticking = setInterval(() => document.visibilityState === 'visible' && void session.tick(), TICK_MS)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void session.tick(), {
    signal,
  })
  const stopListening = session.onEvent((event) => {
    const { dataset } = document.documentElement
    if (session.state().status === 'signed-in') dataset.session = 'known'
    else delete dataset.session
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

/** Whether the page was reloaded because the user lost access to a workspace. True only once. */
export function consumeLostWorkspace(): boolean {
  const isLost = sessionStorage.getItem(LOST_WORKSPACE) !== null
  sessionStorage.removeItem(LOST_WORKSPACE)
  return isLost
}

const starting: SessionState = { status: 'starting' }

/** The signed-in user. `starting` until known, and always while prerendering. */
export function useSession(): SessionState {
  return useSyncExternalStore(session.watch, session.state, () => starting)
}

/** A value that outlives its component, but only within the workspace in which it was set. */
export function workspaceValue<T>(initial: T) {
  let current = { workspaceId: session.workspaceId(), value: initial }
  return {
    get: (): T => (current.workspaceId === session.workspaceId() ? current.value : initial),
    set(value: T): void {
      current = { workspaceId: session.workspaceId(), value }
    },
  }
}
