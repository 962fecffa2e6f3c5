import type { KeyValueStorage } from './browser-storage'

export type AuthEvent =
  | 'INITIAL_SESSION'
  | 'SIGNED_IN'
  | 'SIGNED_OUT'
  | 'TOKEN_REFRESHED'
  | 'USER_UPDATED'
  | 'PASSWORD_RECOVERY'
  | 'MFA_CHALLENGE_VERIFIED'

export interface User {
  id: string
  email: string
}

/** `expired`: a call found that the session has ended. `unanswered`: the server has not confirmed a session in time. */
type SignedOutReason = 'no-session' | 'signed-out-here' | 'signed-out-elsewhere' | 'expired' | 'unanswered'

export type SessionState =
  | { status: 'starting' }
  | { status: 'signed-in'; user: User }
  | { status: 'signed-out'; reason: SignedOutReason }

interface TokenPair {
  token: string
  refreshToken: string
}

// Keys in local storage. They are part of the product's interface.
const TOKEN = 'authToken'
const REFRESH_TOKEN = 'refreshToken'
/** The token's user, stored so that a reload can render before any request. */
const USER = 'authUser'
/** The workspace that the user signed in to or switched to. */
const CHOSEN_WORKSPACE = 'chosenWorkspace'

/** Maximum time that `start` waits for the server. */
export const STARTING_LIMIT_MS = 2000
/** Tokens that expire within this time are renewed. */
const RENEW_BEFORE_MS = 90_000
/** For this long after a renewal, calls with the previous token may get a 401. They reuse the renewal's result. */
const JUST_RENEWED_MS = 3000
/** Delays before retrying a refresh that got no response. */
const BACK_OFF_MS = [200, 400, 800]

/** A new token pair, or why the refresh failed. */
export type RefreshAnswer = TokenPair | 'refused' | 'unreachable' | 'failed'

/** The store's dependencies, which tests replace. */
export interface SessionDeps {
  storage: KeyValueStorage
  /** POST /auth/refresh. `unreachable`: there was no response about the session. */
  refresh(refreshToken: string): Promise<RefreshAnswer>
  /** GET /me, in case the token's user isn't stored. Null if the token is rejected. */
  findUser(token: string): Promise<User | null>
  /** POST /auth/sign-out. */
  revoke(token: string): Promise<void>
  /** Runs `work` under a lock that all tabs share. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Notifies the other tabs. */
  announce(event: AuthEvent): void
  /**
   * Called when the session switches workspaces, because the page shows the previous one's data.
   * @param isLost the user did not choose this, but lost access to the previous workspace
   */
  workspaceChanged(isLost: boolean): void
  now(): number
  wait(ms: number): Promise<void>
}

/** The claims of an access token, or null if it is not a JWT. Not verified here, but by the server. */
function readClaims(
  token: string,
): { userId: string; expiresAtMs: number; workspaceId: string | null; role: string | null } | null {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
    const { sub, exp, wid, role } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
    if (typeof sub !== 'string' || typeof exp !== 'number') return null
    const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
    return { userId: sub, expiresAtMs: exp * 1000, workspaceId: textOrNull(wid), role: textOrNull(role) }
  } catch {
    return null
  }
}

/** Creates the browser's session, which all tabs share. Independent of React and the page. */
export function createSessionStore(deps: SessionDeps) {
  let state: SessionState = { status: 'starting' }
  let knownToken: string | null = null
  let starting: Promise<void> | null = null
  let renewing: Promise<string | null> | null = null
  let renewedAtMs = Number.NEGATIVE_INFINITY
  const watchers = new Set<() => void>()
  const listeners = new Set<(event: AuthEvent, state: SessionState) => void>()

  const read = () => ({
    token: deps.storage.getItem(TOKEN),
    refreshToken: deps.storage.getItem(REFRESH_TOKEN),
  })

  /** The token's user, if this browser stored it. */
  function remembered(token: string | null): User | null {
    const claims = token ? readClaims(token) : null
    const stored = deps.storage.getItem(USER)
    if (!claims || !stored) return null
    try {
      const { id, email } = JSON.parse(stored) as Partial<User>
      return id === claims.userId && typeof email === 'string' ? { id, email } : null
    } catch {
      return null
    }
  }

  function remember(user: User): void {
    deps.storage.setItem(USER, JSON.stringify({ id: user.id, email: user.email }))
  }

  function setState(next: SessionState): void {
    state = next
    for (const watch of watchers) watch()
  }

  function emit(event: AuthEvent, tabs: 'this tab' | 'all tabs' = 'all tabs'): void {
    for (const listen of listeners) listen(event, state)
    if (tabs === 'all tabs') deps.announce(event)
  }

  function store(pair: TokenPair): void {
    deps.storage.setItem(TOKEN, pair.token)
    deps.storage.setItem(REFRESH_TOKEN, pair.refreshToken)
    knownToken = pair.token
  }

  /** Stores tokens for the workspace that the user has chosen. */
  function storeChosen(pair: TokenPair): void {
    deps.storage.setItem(CHOSEN_WORKSPACE, readClaims(pair.token)?.workspaceId ?? '')
    store(pair)
  }

  function adoptToken(token: string): void {
    const former = knownToken
    knownToken = token
    compare(former, token)
  }

  /** Detects that renewed tokens are for another workspace or role. */
  function compare(former: string | null, token: string): void {
    const before = former ? readClaims(former) : null
    const now = readClaims(token)
    if (!before || !now || before.userId !== now.userId) return
    if (before.workspaceId !== now.workspaceId)
      deps.workspaceChanged(deps.storage.getItem(CHOSEN_WORKSPACE) !== now.workspaceId)
    else if (before.role !== now.role) emit('USER_UPDATED', 'this tab')
  }

  function endSession(reason: SignedOutReason): void {
    deps.storage.removeItem(TOKEN)
    deps.storage.removeItem(REFRESH_TOKEN)
    deps.storage.removeItem(USER)
    deps.storage.removeItem(CHOSEN_WORKSPACE)
    knownToken = null
    // While starting, finishStart emits the event.
    if (state.status !== 'signed-in') return
    setState({ status: 'signed-out', reason })
    emit('SIGNED_OUT')
  }

  async function renewOnce(before: string | null, reason: SignedOutReason): Promise<string | null> {
    return deps.exclusively(async () => {
      const stored = read()
      // Another tab has renewed the token.
      if (stored.token && stored.token !== before) {
        adoptToken(stored.token)
        return stored.token
      }
      if (!stored.refreshToken) {
        endSession(reason)
        return null
      }
      let result: RefreshAnswer = await deps.refresh(stored.refreshToken)
      for (const ms of BACK_OFF_MS) {
        if (result !== 'unreachable' && result !== 'failed') break
        await deps.wait(ms)
        result = await deps.refresh(stored.refreshToken)
      }
      // The session has changed in the meantime (a sign-out, for example), so discard the response.
      if (read().refreshToken !== stored.refreshToken) return read().token
      // The session may still be valid, so keep it, but let the call fail.
      if (result === 'unreachable') return null
      if (result === 'refused' || result === 'failed') {
        endSession(reason)
        return null
      }
      const former = knownToken
      store(result)
      compare(former, result.token)
      renewedAtMs = deps.now()
      if (state.status === 'signed-in') emit('TOKEN_REFRESHED')
      return result.token
    })
  }

  /**
   * Renews the access token. Null if the session has ended or the server did not respond.
   * Concurrent calls share a renewal.
   */
  function refresh(reason: SignedOutReason = 'expired'): Promise<string | null> {
    const { token } = read()
    if (token && deps.now() - renewedAtMs < JUST_RENEWED_MS) return Promise.resolve(token)
    renewing ??= renewOnce(token, reason).finally(() => {
      renewing = null
    })
    return renewing
  }

  async function userOf(token: string): Promise<User | null> {
    const storedUser = remembered(token)
    if (storedUser) return storedUser
    const user = await deps.findUser(token)
    if (user) remember(user)
    return user
  }

  async function resolveStart(): Promise<void> {
    const { token, refreshToken } = read()
    if (!token && !refreshToken) return finishStart(null)
    const claims = token ? readClaims(token) : null
    const usable = token !== null && (claims === null || claims.expiresAtMs > deps.now())
    knownToken = token
    const storedUser = remembered(token)
    if (usable && storedUser) return finishStart(storedUser)

    const fresh = usable ? token : await refresh('no-session')
    if (fresh === null) return finishStart(read().refreshToken ? storedUser : null)
    const user = await userOf(fresh)
    if (user) return finishStart(user)
    // The token was rejected.
    const again = usable ? await refresh('no-session') : null
    finishStart(again ? await userOf(again) : null)
  }

  /** Applies the response, even after the time limit, unless the session has changed in the meantime. */
  function finishStart(user: User | null): void {
    const late = state.status !== 'starting'
    if (late && !(state.status === 'signed-out' && (user || state.reason === 'unanswered'))) return
    setState(user ? { status: 'signed-in', user } : { status: 'signed-out', reason: 'no-session' })
    if (!late) emit('INITIAL_SESSION', 'this tab')
    else if (user) emit('SIGNED_IN', 'this tab')
  }

  /** At the time limit, assumes the user that this browser has stored. */
  function finishStartEarly(): void {
    if (state.status !== 'starting') return
    const user = remembered(read().token)
    setState(user ? { status: 'signed-in', user } : { status: 'signed-out', reason: 'unanswered' })
    emit('INITIAL_SESSION', 'this tab')
  }

  return {
    state: () => state,

    /** The current workspace, or null if signed out. */
    workspaceId: (): string | null => readClaims(read().token ?? '')?.workspaceId ?? null,

    /** For React: called after every state change. Returns an unsubscribe function. */
    watch(onChange: () => void): () => void {
      watchers.add(onChange)
      return () => void watchers.delete(onChange)
    },

    /** Subscribes to auth events of all tabs. Returns an unsubscribe function. */
    onEvent(listen: (event: AuthEvent, state: SessionState) => void): () => void {
      listeners.add(listen)
      return () => void listeners.delete(listen)
    },

    /** Determines who is signed in, within 2 seconds. Later responses are still applied. */
    start(): Promise<void> {
      starting ??= Promise.race([
        resolveStart().catch(() => finishStart(remembered(read().token))),
        deps.wait(STARTING_LIMIT_MS).then(finishStartEarly),
      ])
      return starting
    },

    /** Stores the session after a sign-in, a code exchange or a second factor. */
    signIn(session: TokenPair & { user: User }): void {
      storeChosen(session)
      remember(session.user)
      setState({ status: 'signed-in', user: session.user })
      emit('SIGNED_IN')
    },

    /** Stores tokens for another workspace. Reload the page afterwards; other tabs follow. */
    move(pair: TokenPair): void {
      storeChosen(pair)
    },

    /** Immediately ends the session in this browser, even if the server fails. */
    async signOut(): Promise<void> {
      const { token } = read()
      endSession('signed-out-here')
      if (token) await deps.revoke(token).catch(() => {})
    },

    /** Clears a session that a call has ended on the server, such as deleting the account. */
    clear(): void {
      endSession('signed-out-here')
    },

    /** The access token for the next call. If it has expired, it is renewed first. */
    async currentToken(): Promise<string | null> {
      const { token, refreshToken } = read()
      if (!token) return refreshToken ? refresh() : null
      const claims = readClaims(token)
      if (refreshToken && claims && claims.expiresAtMs <= deps.now()) return (await refresh()) ?? read().token
      return token
    },

    refresh: () => refresh(),

    /** Call it every 30 seconds. Renews a token that is about to expire. */
    async tick(): Promise<void> {
      const { token, refreshToken } = read()
      const claims = token ? readClaims(token) : null
      if (!refreshToken || !claims || claims.expiresAtMs - deps.now() > RENEW_BEFORE_MS) return
      await refresh()
    },

    /** Call it after the user has changed their email address or name. */
    updateUser(user: User): void {
      if (state.status !== 'signed-in') return
      remember(user)
      setState({ status: 'signed-in', user })
      emit('USER_UPDATED')
    },

    /** For events that don't change tokens: password recovery, or passing a second factor. */
    announce(event: 'PASSWORD_RECOVERY' | 'MFA_CHALLENGE_VERIFIED'): void {
      emit(event)
    },

    /** Call it when another tab sent an event or changed storage. Emits at most one event per change. */
    async syncFromOtherTab(event?: AuthEvent): Promise<void> {
      const { token } = read()
      if (event === 'PASSWORD_RECOVERY' || event === 'MFA_CHALLENGE_VERIFIED') return emit(event, 'this tab')
      if (token === null) {
        if (state.status !== 'signed-in') return
        knownToken = null
        setState({ status: 'signed-out', reason: 'signed-out-elsewhere' })
        return emit('SIGNED_OUT', 'this tab')
      }
      if (token === knownToken && event !== 'USER_UPDATED') return
      adoptToken(token)
      const user = event === 'USER_UPDATED' ? await deps.findUser(token).catch(() => null) : await userOf(token)
      if (!user || read().token !== token) return
      const before = state
      setState({ status: 'signed-in', user })
      if (event === 'USER_UPDATED') return emit('USER_UPDATED', 'this tab')
      const same = before.status === 'signed-in' && before.user.id === user.id
      emit(same ? 'TOKEN_REFRESHED' : 'SIGNED_IN', 'this tab')
    },

    hasStoredToken: () => read().token !== null,
  }
}
