/** What happens to a session, by the names of the specification (§4). */
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

/**
 * Why nobody is signed in: `nobody` was, the person signed out here (`chosen`) or in another tab (`elsewhere`),
 * or a call found the session at its end (`expired`).
 */
export type SignedOutReason = 'nobody' | 'chosen' | 'elsewhere' | 'expired'

export type SessionState =
  | { status: 'starting' }
  | { status: 'signed-in'; user: User }
  | { status: 'signed-out'; reason: SignedOutReason }

export interface TokenPair {
  token: string
  refreshToken: string
}

/** Where tokens are kept: local storage, under exactly these names. */
const TOKEN = 'authToken'
const REFRESH_TOKEN = 'refreshToken'

/** From here on, starting says that it takes long (specification §9). */
export const STARTING_IS_SLOW_MS = 2000
/** Here it ends, with what is known by then. */
export const STARTING_LIMIT_MS = 10_000
/** A token this near its end is renewed before it is used. */
const RENEW_BEFORE_MS = 90_000
/** A renewal this fresh answers a second 401 of calls that were sent with the token before it. */
const JUST_RENEWED_MS = 3000
/** Waits before trying a refresh again that could not be answered (specification §9: exponentially from 200 ms). */
const BACK_OFF_MS = [200, 400, 800]

/** The server's answer to a refresh: a new pair, or why there is none. */
export type RefreshAnswer = TokenPair | 'refused' | 'unreachable' | 'failed'

/** What the store needs from the world, so that it runs in tests too. */
export interface SessionWorld {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** POST /auth/refresh. `refused`: the session is over. `failed`: an error answer. `unreachable`: no answer about the session at all. */
  refresh(refreshToken: string): Promise<RefreshAnswer>
  /** GET /me with this token; null when it is not accepted. Asked only where the token itself does not say whose it is. */
  findUser(token: string): Promise<User | null>
  /** POST /auth/sign-out with this token. */
  revoke(token: string): Promise<void>
  /** Runs one at a time over all tabs. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Tells the other tabs. */
  announce(event: AuthEvent): void
  now(): number
  wait(ms: number): Promise<void>
}

/** The claims of an access token, unverified (the server verifies; the screen only shows), or null where it is no JWT. */
export function readClaims(token: string): { user: User | null; expiresAtMs: number } | null {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof claims !== 'object' || claims === null || !('exp' in claims) || typeof claims.exp !== 'number')
      return null
    const named =
      'sub' in claims && typeof claims.sub === 'string' && 'email' in claims && typeof claims.email === 'string'
        ? { id: claims.sub, email: claims.email }
        : null
    return { user: named, expiresAtMs: claims.exp * 1000 }
  } catch {
    return null
  }
}

/**
 * The session of this browser: who is signed in, with which tokens, and what changes about it, here or in another tab.
 * Knows nothing of React or of the page.
 */
export function createSessionStore(world: SessionWorld) {
  let state: SessionState = { status: 'starting' }
  let knownToken: string | null = null
  let starting: Promise<void> | null = null
  let renewing: Promise<string | null> | null = null
  let renewedAtMs = Number.NEGATIVE_INFINITY
  const watchers = new Set<() => void>()
  const listeners = new Set<(event: AuthEvent, state: SessionState) => void>()

  const read = () => ({
    token: world.storage.getItem(TOKEN),
    refreshToken: world.storage.getItem(REFRESH_TOKEN),
  })

  function become(next: SessionState): void {
    state = next
    for (const watch of watchers) watch()
  }

  function tell(event: AuthEvent, tabs: 'this tab' | 'all tabs' = 'all tabs'): void {
    for (const listen of listeners) listen(event, state)
    if (tabs === 'all tabs') world.announce(event)
  }

  function store(pair: TokenPair): void {
    world.storage.setItem(TOKEN, pair.token)
    world.storage.setItem(REFRESH_TOKEN, pair.refreshToken)
    knownToken = pair.token
  }

  function leave(reason: SignedOutReason): void {
    world.storage.removeItem(TOKEN)
    world.storage.removeItem(REFRESH_TOKEN)
    knownToken = null
    // While starting, finishStart says so.
    if (state.status !== 'signed-in') return
    become({ status: 'signed-out', reason })
    tell('SIGNED_OUT')
  }

  async function renewOnce(before: string | null, reason: SignedOutReason): Promise<string | null> {
    return world.exclusively(async () => {
      const stored = read()
      // Another tab was first.
      if (stored.token && stored.token !== before) {
        knownToken = stored.token
        return stored.token
      }
      if (!stored.refreshToken) {
        leave(reason)
        return null
      }
      let answer: RefreshAnswer = await world.refresh(stored.refreshToken)
      for (const ms of BACK_OFF_MS) {
        if (answer !== 'unreachable' && answer !== 'failed') break
        await world.wait(ms)
        answer = await world.refresh(stored.refreshToken)
      }
      // Signed out meanwhile: what came too late is not kept.
      if (read().refreshToken !== stored.refreshToken) return read().token
      // No answer says nothing about the session: it is kept, and the call fails as any call without a network.
      if (answer === 'unreachable') return null
      if (answer === 'refused' || answer === 'failed') {
        leave(reason)
        return null
      }
      store(answer)
      renewedAtMs = world.now()
      if (state.status === 'signed-in') tell('TOKEN_REFRESHED')
      return answer.token
    })
  }

  /** A new access token, or null (then the session is over, or nobody answered). One refresh at a time, over all tabs. */
  function refresh(reason: SignedOutReason = 'expired'): Promise<string | null> {
    const { token } = read()
    if (token && world.now() - renewedAtMs < JUST_RENEWED_MS) return Promise.resolve(token)
    renewing ??= renewOnce(token, reason).finally(() => {
      renewing = null
    })
    return renewing
  }

  async function userOf(token: string): Promise<User | null> {
    return readClaims(token)?.user ?? (await world.findUser(token))
  }

  async function settleStart(): Promise<void> {
    const { token, refreshToken } = read()
    if (!token && !refreshToken) return finishStart(null)
    const claims = token ? readClaims(token) : null
    const usable = token !== null && (claims === null || claims.expiresAtMs > world.now())
    knownToken = token
    if (usable && claims?.user) return finishStart(claims.user)

    const fresh = usable ? token : await refresh('nobody')
    if (fresh === null) return finishStart(read().refreshToken ? (claims?.user ?? null) : null)
    const user = await userOf(fresh)
    if (user) return finishStart(user)
    // The token is not a token of ours, or not any more.
    const again = usable ? await refresh('nobody') : null
    finishStart(again ? await userOf(again) : null)
  }

  function finishStart(user: User | null): void {
    const late = state.status !== 'starting'
    if (late && (state.status === 'signed-in' || user === null)) return
    become(user ? { status: 'signed-in', user } : { status: 'signed-out', reason: 'nobody' })
    tell(late ? 'SIGNED_IN' : 'INITIAL_SESSION', 'this tab')
  }

  return {
    state: () => state,

    /** For React: called after every change of state. Returns the way to stop. */
    watch(onChange: () => void): () => void {
      watchers.add(onChange)
      return () => void watchers.delete(onChange)
    },

    /** Hears every auth event, of this tab and of the others. Returns the way to stop. */
    onEvent(listen: (event: AuthEvent, state: SessionState) => void): () => void {
      listeners.add(listen)
      return () => void listeners.delete(listen)
    },

    /** Finds out who is signed in; ends at the latest after 10 seconds with what is known by then. */
    start(): Promise<void> {
      starting ??= (async () => {
        const limit = world.wait(STARTING_LIMIT_MS).then(() => {
          if (state.status !== 'starting') return
          const { token } = read()
          finishStart((token && readClaims(token)?.user) || null)
        })
        await Promise.race([
          settleStart().catch(() => {
            if (state.status !== 'starting') return
            const { token } = read()
            finishStart((token && readClaims(token)?.user) || null)
          }),
          limit,
        ])
      })()
      return starting
    },

    /** After a sign-in, an exchange or a second factor. */
    signIn(session: TokenPair & { user: User }): void {
      store(session)
      become({ status: 'signed-in', user: session.user })
      tell('SIGNED_IN')
    },

    /** Ends the session here at once, whatever the server says to it. */
    async signOut(): Promise<void> {
      const { token } = read()
      leave('chosen')
      if (token) await world.revoke(token).catch(() => {})
    },

    /** The access token for the next call, renewed first where it is about to end. */
    async currentToken(): Promise<string | null> {
      const { token, refreshToken } = read()
      if (!token) return refreshToken ? refresh() : null
      const claims = readClaims(token)
      if (refreshToken && claims && claims.expiresAtMs <= world.now()) return (await refresh()) ?? read().token
      return token
    },

    refresh: () => refresh(),

    /** Called every 30 seconds: renews a token that is about to end. */
    async tick(): Promise<void> {
      const { token, refreshToken } = read()
      const claims = token ? readClaims(token) : null
      if (!refreshToken || !claims || claims.expiresAtMs - world.now() > RENEW_BEFORE_MS) return
      await refresh()
    },

    /** The user changed their address or name, by a call that answered with it. */
    updateUser(user: User): void {
      if (state.status !== 'signed-in') return
      become({ status: 'signed-in', user })
      tell('USER_UPDATED')
    },

    /** For events that change no token here: a password being recovered, a second factor passed. */
    announce(event: 'PASSWORD_RECOVERY' | 'MFA_CHALLENGE_VERIFIED'): void {
      tell(event)
    },

    /**
     * Another tab said that something happened, or changed what is stored. Reads anew and tells this tab, once:
     * a change that is already known makes no second event.
     */
    async heard(event?: AuthEvent): Promise<void> {
      const { token } = read()
      if (event === 'PASSWORD_RECOVERY' || event === 'MFA_CHALLENGE_VERIFIED') return tell(event, 'this tab')
      if (token === null) {
        if (state.status !== 'signed-in') return
        knownToken = null
        become({ status: 'signed-out', reason: 'elsewhere' })
        return tell('SIGNED_OUT', 'this tab')
      }
      if (token === knownToken && event !== 'USER_UPDATED') return
      knownToken = token
      const user = event === 'USER_UPDATED' ? await world.findUser(token).catch(() => null) : await userOf(token)
      if (!user || read().token !== token) return
      const before = state
      become({ status: 'signed-in', user })
      if (event === 'USER_UPDATED') return tell('USER_UPDATED', 'this tab')
      const same = before.status === 'signed-in' && before.user.id === user.id
      tell(same ? 'TOKEN_REFRESHED' : 'SIGNED_IN', 'this tab')
    },

    /** Is a token still stored? */
    hasStoredToken: () => read().token !== null,
  }
}

export type SessionStore = ReturnType<typeof createSessionStore>
