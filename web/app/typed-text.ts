import { DAY_MS } from '@x-automated/contract/time'
import { useMemo } from 'react'
import { type KeyValueStorage, localStorage, sessionStorage } from './browser-storage'
import { session, useSession } from './session'
import type { SessionState } from './session-store'
import type { TypedStorage } from './ui/typed-storage'

/** Prefix of the storage keys of everything that people have typed and not sent. */
const TYPED = 'typed.'
const GUEST = `${TYPED}guest.`
/** The BroadcastChannel on which a tab tells the others who has signed out. */
const SIGN_OUT_CHANNEL = 'x-automated-sign-out'
const KEPT_MS = 90 * DAY_MS

interface Stored<T> {
  /** When it was typed, as an epoch time in milliseconds. */
  at: number
  value: T
}

/** The storage key of what the user has typed into a form, in this workspace; null if nobody is signed in. */
export function typedKey(form: string): string | null {
  const state = session.state()
  return state.status === 'signed-in' ? `${TYPED}${state.user.id}.${session.workspaceId()}.${form}` : null
}

/** Reads what was typed. Null if there is nothing, or if it is older than 90 days. */
export function readTyped<T>(storage: Pick<KeyValueStorage, 'getItem'>, key: string, nowMs = Date.now()): T | null {
  try {
    const stored = JSON.parse(storage.getItem(key) ?? 'null') as Stored<T> | null
    return stored && nowMs - stored.at < KEPT_MS ? stored.value : null
  } catch {
    return null
  }
}

/** Stores what was typed. Null removes it. */
export function writeTyped(storage: Omit<KeyValueStorage, 'getItem'>, key: string, value: unknown): void {
  if (value === null) storage.removeItem(key)
  else storage.setItem(key, JSON.stringify({ at: Date.now(), value } satisfies Stored<unknown>))
}

/** Deletes what a user has typed in this browser when they sign out, and old text of anyone. @returns a cleanup function */
export function attachTypedText(): () => void {
  localStorage.removeAll((key) => key.startsWith(TYPED) && readTyped(localStorage, key) === null)
  const userOf = (state: SessionState) => (state.status === 'signed-in' ? state.user.id : null)
  let userId = userOf(session.state())
  const forget = (signedOutId: string | null) => {
    for (const storage of [localStorage, sessionStorage])
      storage.removeAll((key) => key.startsWith(`${TYPED}${signedOutId}.`) || key.startsWith(GUEST))
  }
  // Each tab has a session storage of its own.
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(SIGN_OUT_CHANNEL)
  channel?.addEventListener('message', ({ data }: MessageEvent<string | null>) => forget(data))
  const stopListening = session.onEvent((event, state) => {
    // If the session has expired, the text waits until the same person logs in again.
    if (event === 'SIGNED_OUT' && state.status === 'signed-out' && state.reason === 'signed-out-here') {
      forget(userId)
      channel?.postMessage(userId)
    }
    userId = userOf(state) ?? userId
  })
  return () => {
    stopListening()
    channel?.close()
  }
}

/** Where the forms of this page store what is typed: guests' forms only in this tab. */
export function useTypedStorage(): TypedStorage {
  const state = useSession()
  const owner = state.status === 'signed-in' ? `${state.user.id} ${session.workspaceId()}` : state.status
  return useMemo(() => {
    if (owner === 'starting') return null
    return (form) => {
      const userKey = typedKey(form)
      const isGuest = userKey === null
      const key = userKey ?? `${GUEST}${form}`
      const storage = isGuest ? sessionStorage : localStorage
      return {
        isGuest,
        read: () => readTyped(storage, key),
        write(values) {
          // After signing out, nothing may be stored.
          if (values === null || typedKey(form) === userKey) writeTyped(storage, key, values)
        },
      }
    }
  }, [owner])
}
