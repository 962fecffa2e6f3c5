import type { KeyValueStorage } from './browser-storage'

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
 * a call found the session at its end (`expired`), or whose stored session this is has not been answered yet (`unanswered`).
 */
export type SignedOutReason = 'nobody' | 'chosen' | 'elsewhere' | 'expired' | 'unanswered'

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
/** Whose they are, so that a reload need not ask before it shows anything. */
const USER = 'authUser'

/** Starting ends here at the latest, with what is known by then (specification §4). */
export const STARTING_LIMIT_MS = 2000
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
  storage: KeyValueStorage
  /** POST /auth/refresh. `refused`: the session is over. `failed`: an error answer. `unreachable`: no answer about the session at all. */
  refresh(refreshToken: string): Promise<RefreshAnswer>
  /** GET /me with this token; null when it is not accepted. Asked only where this browser does not remember whose it is. */
  findUser(token: string): Promise<User | null>
  /** POST /auth/sign-out with this token. */
  revoke(token: string): Promise<void>
  /** Runs one at a time over all tabs. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Tells the other tabs. */
  announce(event: AuthEvent): void
  /** The session works in another workspace now: whatever the page shows is of the one before. */
  moved(): void
  now(): number
  wait(ms: number): Promise<void>
}

/** What an access token says, unverified (the server verifies; the screen only shows), or null where it is no JWT. */
export function readClaims(
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

  /** Whose token this is, as far as this browser remembers. */
  function remembered(token: string | null): User | null {
    const claims = token ? readClaims(token) : null
    const kept = world.storage.getItem(USER)
    if (!claims || !kept) return null
    try {
      const { id, email } = JSON.parse(kept) as Partial<User>
      return id === claims.userId && typeof email === 'string' ? { id, email } : null
    } catch {
      return null
    }
  }

  function remember(user: User): void {
    world.storage.setItem(USER, JSON.stringify({ id: user.id, email: user.email }))
  }

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

  /** Takes a token in the place of the one before. */
  function learn(token: string): void {
    const former = knownToken
    knownToken = token
    compare(former, token)
  }

  /** Tells this tab where the same person works elsewhere now, or in another role: tokens say so from their renewal on. */
  function compare(former: string | null, token: string): void {
    const before = former ? readClaims(former) : null
    const now = readClaims(token)
    if (!before || !now || before.userId !== now.userId) return
    if (before.workspaceId !== now.workspaceId) world.moved()
    else if (before.role !== now.role) tell('USER_UPDATED', 'this tab')
  }

  function leave(reason: SignedOutReason): void {
    world.storage.removeItem(TOKEN)
    world.storage.removeItem(REFRESH_TOKEN)
    world.storage.removeItem(USER)
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
        learn(stored.token)
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
      const former = knownToken
      store(answer)
      compare(former, answer.token)
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
    const known = remembered(token)
    if (known) return known
    const found = await world.findUser(token)
    if (found) remember(found)
    return found
  }

  async function settleStart(): Promise<void> {
    const { token, refreshToken } = read()
    if (!token && !refreshToken) return finishStart(null)
    const claims = token ? readClaims(token) : null
    const usable = token !== null && (claims === null || claims.expiresAtMs > world.now())
    knownToken = token
    const known = remembered(token)
    if (usable && known) return finishStart(known)

    const fresh = usable ? token : await refresh('nobody')
    if (fresh === null) return finishStart(read().refreshToken ? known : null)
    const user = await userOf(fresh)
    if (user) return finishStart(user)
    // The token is not a token of ours, or not any more.
    const again = usable ? await refresh('nobody') : null
    finishStart(again ? await userOf(again) : null)
  }

  /** The answer has come; after the limit it still counts, unless something else has happened meanwhile. */
  function finishStart(user: User | null): void {
    const late = state.status !== 'starting'
    if (late && !(state.status === 'signed-out' && (user || state.reason === 'unanswered'))) return
    become(user ? { status: 'signed-in', user } : { status: 'signed-out', reason: 'nobody' })
    if (!late) tell('INITIAL_SESSION', 'this tab')
    else if (user) tell('SIGNED_IN', 'this tab')
  }

  /** The limit has come before the answer: whoever this browser remembers is taken for who they were. */
  function cutStart(): void {
    if (state.status !== 'starting') return
    const user = remembered(read().token)
    become(user ? { status: 'signed-in', user } : { status: 'signed-out', reason: 'unanswered' })
    tell('INITIAL_SESSION', 'this tab')
  }

  return {
    state: () => state,

    /** The workspace that the next call would be about; null where nobody is signed in. */
    workspaceId: (): string | null => readClaims(read().token ?? '')?.workspaceId ?? null,

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

    /** Finds out who is signed in; ends after 2 seconds with what is known by then. A later answer still counts. */
    start(): Promise<void> {
      starting ??= Promise.race([
        settleStart().catch(() => finishStart(remembered(read().token))),
        world.wait(STARTING_LIMIT_MS).then(cutStart),
      ])
      return starting
    },

    /** After a sign-in, an exchange or a second factor. */
    signIn(session: TokenPair & { user: User }): void {
      store(session)
      remember(session.user)
      become({ status: 'signed-in', user: session.user })
      tell('SIGNED_IN')
    },

    /** Goes on with tokens of the same session for another workspace; the page is to be loaded anew. The other tabs see it in the storage. */
    move(pair: TokenPair): void {
      store(pair)
    },

    /** Ends the session here at once, whatever the server says to it. */
    async signOut(): Promise<void> {
      const { token } = read()
      leave('chosen')
      if (token) await world.revoke(token).catch(() => {})
    },

    /** The session is over at the server, by what was done here (signed out everywhere, account deleted): forgets it. */
    forget(): void {
      leave('chosen')
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
      remember(user)
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
      learn(token)
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
