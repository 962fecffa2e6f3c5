import { MINUTE_MS } from '@x-automated/contract/time'
import { describe, expect, test, vi } from 'vitest'
import {
  type AuthEvent,
  createSessionStore,
  type RefreshAnswer,
  type SessionDeps,
  STARTING_LIMIT_MS,
  type User,
} from './session-store'

const ada: User = { id: 'u1', email: 'ada@lovelace.example' }
const bob: User = { id: 'u2', email: 'bob@example.org' }

let serial = 0

/** An access token like the server's, valid for the given time. */
function jwt(user: User, goodForMs: number, nowMs = 0, work: { wid?: string; role?: string } = {}): string {
  serial += 1
  const claims = { sub: user.id, exp: (nowMs + goodForMs) / 1000, jti: String(serial), ...work }
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`
}

/** A browser with one storage, one lock, any number of tabs and a manual clock. */
function browser(stored: { authToken?: string; refreshToken?: string } = {}, rememberedUser: User | null = ada) {
  const storage = new Map<string, string>(Object.entries(stored))
  if (stored.authToken && rememberedUser) storage.set('authUser', JSON.stringify(rememberedUser))
  let now = 0
  let queue: Promise<unknown> = Promise.resolve()
  const refresh = vi.fn<(token: string) => Promise<RefreshAnswer>>(async (token) => ({
    token: jwt(ada, 15 * MINUTE_MS, now),
    refreshToken: `${token}+`,
  }))
  const revoke = vi.fn(async () => {})
  const workspaceChanged = vi.fn()
  const findUser = vi.fn<(token: string) => Promise<User | null>>(async () => null)
  const waits: number[] = []
  const tabs: ReturnType<typeof createSessionStore>[] = []

  function tab() {
    const events: AuthEvent[] = []
    const world: SessionDeps = {
      storage: {
        getItem: (key) => storage.get(key) ?? null,
        setItem: (key, value) => void storage.set(key, value),
        removeItem: (key) => void storage.delete(key),
      },
      refresh,
      findUser,
      revoke,
      exclusively(work) {
        const mine = queue.then(work)
        queue = mine.catch(() => {})
        return mine
      },
      announce: (event) => {
        for (const other of tabs) if (other !== store) void other.syncFromOtherTab(event)
      },
      workspaceChanged,
      now: () => now,
      // Skips back-off delays. The start limit is only reached if a test calls reachLimit.
      wait(ms) {
        if (ms === STARTING_LIMIT_MS) return new Promise((resolve) => limits.push(resolve))
        waits.push(ms)
        return Promise.resolve()
      },
    }
    const limits: (() => void)[] = []
    const store = createSessionStore(world)
    store.onEvent((event) => events.push(event))
    tabs.push(store)
    return { store, events, reachLimit: () => limits.splice(0).map((resolve) => resolve()) }
  }
  return {
    tab,
    storage,
    refresh,
    revoke,
    workspaceChanged,
    findUser,
    waits,
    passTime: (ms: number) => {
      now += ms
    },
  }
}

describe('starting', () => {
  test('signs out immediately without a request if nothing is stored', async () => {
    const b = browser()
    const { store, events } = b.tab()
    await store.start()
    expect(store.state()).toEqual({ status: 'signed-out', reason: 'no-session' })
    expect(events).toEqual(['INITIAL_SESSION'])
    expect(b.refresh).not.toHaveBeenCalled()
  })

  test('is signed in synchronously if the stored token is valid and its owner known', () => {
    const b = browser({ authToken: jwt(ada, MINUTE_MS), refreshToken: 'r' })
    const { store } = b.tab()
    void store.start()
    expect(store.state()).toEqual({ status: 'signed-in', user: ada })
    expect(b.refresh).not.toHaveBeenCalled()
    expect(b.findUser).not.toHaveBeenCalled()
  })

  test('requests the user once if the stored owner is missing or does not match the token', async () => {
    const b = browser({ authToken: jwt(bob, MINUTE_MS), refreshToken: 'r' }, ada)
    b.findUser.mockResolvedValue(bob)
    const { store } = b.tab()
    await store.start()
    expect(store.state()).toEqual({ status: 'signed-in', user: bob })
    const reloaded = b.tab()
    void reloaded.store.start()
    expect(reloaded.store.state()).toEqual({ status: 'signed-in', user: bob })
    expect(b.findUser).toHaveBeenCalledTimes(1)
  })

  test('renews an expired token first', async () => {
    const b = browser({ authToken: jwt(ada, -MINUTE_MS), refreshToken: 'r' })
    const { store, events } = b.tab()
    await store.start()
    expect(store.state()).toEqual({ status: 'signed-in', user: ada })
    expect(b.storage.get('refreshToken')).toBe('r+')
    expect(events).toEqual(['INITIAL_SESSION'])
  })

  test('clears storage if the session has ended', async () => {
    const b = browser({ authToken: jwt(ada, -MINUTE_MS), refreshToken: 'r' })
    b.refresh.mockResolvedValue('refused')
    const { store, events } = b.tab()
    await store.start()
    expect(store.state()).toEqual({ status: 'signed-out', reason: 'no-session' })
    expect(b.storage.size).toBe(0)
    expect(events).toEqual(['INITIAL_SESSION'])
  })

  test('drops a rejected token without a refresh token', async () => {
    const b = browser({ authToken: 'rubbish' })
    const { store } = b.tab()
    await store.start()
    expect(b.findUser).toHaveBeenCalledWith('rubbish')
    expect(store.state().status).toBe('signed-out')
    expect(b.storage.size).toBe(0)
  })

  test('requests the user of an opaque token', async () => {
    const b = browser({ authToken: 'opaque', refreshToken: 'r' })
    b.findUser.mockResolvedValue(bob)
    const { store } = b.tab()
    await store.start()
    expect(store.state()).toEqual({ status: 'signed-in', user: bob })
  })

  test('keeps the stored user while offline', async () => {
    const b = browser({ authToken: jwt(ada, -MINUTE_MS), refreshToken: 'r' })
    b.refresh.mockResolvedValue('unreachable')
    const { store } = b.tab()
    await store.start()
    expect(store.state()).toEqual({ status: 'signed-in', user: ada })
    expect(b.storage.get('refreshToken')).toBe('r')
  })

  test.each([
    ['returns the user', bob, { status: 'signed-in', user: bob }, ['INITIAL_SESSION', 'SIGNED_IN']],
    ['rejects the token', null, { status: 'signed-out', reason: 'no-session' }, ['INITIAL_SESSION']],
  ] as const)(
    'ends after 2 seconds without an answer, but applies a late one that %s',
    async (_, user, state, expectedEvents) => {
      const b = browser({ authToken: 'opaque', refreshToken: 'r' })
      b.refresh.mockResolvedValue('refused')
      const pending = Promise.withResolvers<User | null>()
      b.findUser.mockReturnValue(pending.promise)
      const { store, events, reachLimit } = b.tab()
      const started = store.start()
      expect(store.state().status).toBe('starting')
      expect(STARTING_LIMIT_MS).toBe(2000)
      reachLimit()
      await started
      expect(store.state()).toEqual({ status: 'signed-out', reason: 'unanswered' })
      pending.resolve(user)
      await vi.waitFor(() => expect(store.state()).toEqual(state), 10_000)
      expect(events).toEqual(expectedEvents)
    },
  )

  test('ends after 2 seconds with the remembered user if the token is still being renewed', async () => {
    const b = browser({ authToken: jwt(ada, -MINUTE_MS), refreshToken: 'r' })
    const pending = Promise.withResolvers<RefreshAnswer>()
    b.refresh.mockReturnValue(pending.promise)
    const { store, events, reachLimit } = b.tab()
    const started = store.start()
    reachLimit()
    await started
    expect(store.state()).toEqual({ status: 'signed-in', user: ada })
    pending.resolve('refused')
    await vi.waitFor(() => expect(store.state()).toEqual({ status: 'signed-out', reason: 'no-session' }), 10_000)
    expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_OUT'])
  })
})

describe('refreshing', () => {
  async function signedIn() {
    const b = browser({ authToken: jwt(ada, MINUTE_MS), refreshToken: 'r' })
    const first = b.tab()
    await first.store.start()
    first.events.length = 0
    return { b, ...first }
  }

  test('shares one refresh between calls that fail together', async () => {
    const { b, store, events } = await signedIn()
    const tokens = await Promise.all([store.refresh(), store.refresh(), store.refresh()])
    expect(b.refresh).toHaveBeenCalledTimes(1)
    expect(new Set(tokens)).toEqual(new Set([b.storage.get('authToken')]))
    expect(events).toEqual(['TOKEN_REFRESHED'])
  })

  test('reuses a recent refresh for a 401 of an earlier call', async () => {
    const { b, store } = await signedIn()
    const fresh = await store.refresh()
    expect(await store.refresh()).toBe(fresh)
    expect(b.refresh).toHaveBeenCalledTimes(1)
    b.passTime(MINUTE_MS)
    expect(await store.refresh()).not.toBe(fresh)
    expect(b.refresh).toHaveBeenCalledTimes(2)
  })

  test('uses the refresh token once if two tabs refresh together', async () => {
    const { b, store, events } = await signedIn()
    const other = b.tab()
    await other.store.start()
    other.events.length = 0
    const [first, second] = await Promise.all([store.refresh(), other.store.refresh()])
    expect(b.refresh).toHaveBeenCalledTimes(1)
    expect(first).toBe(second)
    expect(events).toEqual(['TOKEN_REFRESHED'])
    expect(other.store.state()).toEqual({ status: 'signed-in', user: ada })
  })

  test.each(['refused', 'failed'] as const)(
    'clears the stored tokens and ends the session if the refresh is %s',
    async (outcome) => {
      const { b, store, events } = await signedIn()
      b.refresh.mockResolvedValue(outcome)
      expect(await store.refresh()).toBeNull()
      expect(b.storage.size).toBe(0)
      expect(store.state()).toEqual({ status: 'signed-out', reason: 'expired' })
      expect(events).toEqual(['SIGNED_OUT'])
      expect(b.refresh).toHaveBeenCalledTimes(outcome === 'failed' ? 4 : 1)
    },
  )

  test('ends the session without a request if there is no refresh token', async () => {
    const { b, store } = await signedIn()
    b.storage.delete('refreshToken')
    expect(await store.refresh()).toBeNull()
    expect(b.refresh).not.toHaveBeenCalled()
    expect(store.state()).toEqual({ status: 'signed-out', reason: 'expired' })
  })

  test('retries if the server does not answer, then fails the call and keeps the session', async () => {
    const { b, store, events } = await signedIn()
    b.refresh.mockResolvedValue('unreachable')
    expect(await store.refresh()).toBeNull()
    expect(b.refresh).toHaveBeenCalledTimes(4)
    expect(b.waits).toEqual([200, 400, 800])
    expect(b.storage.get('refreshToken')).toBe('r')
    expect(store.state().status).toBe('signed-in')
    expect(events).toEqual([])
  })

  test('discards a refresh that completes after signing out', async () => {
    const { b, store } = await signedIn()
    let resolveRefresh: (pair: RefreshAnswer) => void = () => {}
    b.refresh.mockReturnValue(
      new Promise((resolve) => {
        resolveRefresh = resolve
      }),
    )
    const refreshing = store.refresh()
    await vi.waitFor(() => expect(b.refresh).toHaveBeenCalled(), 10_000)
    await store.signOut()
    resolveRefresh({ token: jwt(ada, MINUTE_MS), refreshToken: 'late' })
    expect(await refreshing).toBeNull()
    expect(b.storage.size).toBe(0)
    expect(store.state()).toEqual({ status: 'signed-out', reason: 'signed-out-here' })
  })

  test('renews an expired token before sending it, and an expiring one on tick', async () => {
    const { b, store } = await signedIn()
    await store.tick()
    expect(b.refresh).toHaveBeenCalledTimes(1)
    await store.tick()
    expect(b.refresh).toHaveBeenCalledTimes(1)
    b.passTime(20 * MINUTE_MS)
    expect(await store.currentToken()).toBe(b.storage.get('authToken'))
    expect(b.refresh).toHaveBeenCalledTimes(2)
  })
})

describe('across tabs', () => {
  test('emits sign-in, refresh and sign-out once in the other tab', async () => {
    const b = browser()
    const here = b.tab()
    const there = b.tab()
    await Promise.all([here.store.start(), there.store.start()])
    there.events.length = 0

    here.store.signIn({ token: jwt(ada, MINUTE_MS), refreshToken: 'r', user: ada })
    await vi.waitFor(() => expect(there.store.state()).toEqual({ status: 'signed-in', user: ada }), 10_000)
    // The browser's storage event for the same change.
    await there.store.syncFromOtherTab()

    await here.store.refresh()
    await vi.waitFor(() => expect(there.events).toContain('TOKEN_REFRESHED'), 10_000)
    await there.store.syncFromOtherTab()

    await here.store.signOut()
    await there.store.syncFromOtherTab()
    expect(there.store.state()).toEqual({ status: 'signed-out', reason: 'signed-out-elsewhere' })
    expect(there.events).toEqual(['SIGNED_IN', 'TOKEN_REFRESHED', 'SIGNED_OUT'])
  })

  test('switches to the user who signed in in the other tab', async () => {
    const b = browser({ authToken: jwt(ada, MINUTE_MS), refreshToken: 'r' })
    const here = b.tab()
    const there = b.tab()
    await Promise.all([here.store.start(), there.store.start()])
    there.events.length = 0
    here.store.signIn({ token: jwt(bob, MINUTE_MS), refreshToken: 'b', user: bob })
    await vi.waitFor(() => expect(there.store.state()).toEqual({ status: 'signed-in', user: bob }), 10_000)
    expect(there.events).toEqual(['SIGNED_IN'])
  })

  test.each(['PASSWORD_RECOVERY', 'MFA_CHALLENGE_VERIFIED'] as const)('emits %s in both tabs', async (event) => {
    const b = browser()
    const here = b.tab()
    const there = b.tab()
    here.store.announce(event)
    expect(here.events).toEqual([event])
    expect(there.events).toEqual([event])
  })

  test('updates a changed email address in both tabs and after a reload', async () => {
    const b = browser({ authToken: jwt(ada, MINUTE_MS), refreshToken: 'r' })
    const [here, there] = [b.tab(), b.tab()]
    await Promise.all([here.store.start(), there.store.start()])
    const moved = { ...ada, email: 'countess@lovelace.example' }
    b.findUser.mockResolvedValue(moved)
    here.store.updateUser(moved)
    await vi.waitFor(() => expect(there.store.state()).toEqual({ status: 'signed-in', user: moved }), 10_000)
    expect([here.events.at(-1), there.events.at(-1)]).toEqual(['USER_UPDATED', 'USER_UPDATED'])
    const reloaded = b.tab()
    await reloaded.store.start()
    expect(reloaded.store.state()).toEqual({ status: 'signed-in', user: moved })
  })

  test('ends in both tabs when the server refuses a refresh', async () => {
    const b = browser({ authToken: jwt(ada, MINUTE_MS), refreshToken: 'r' })
    const [here, there] = [b.tab(), b.tab()]
    await Promise.all([here.store.start(), there.store.start()])
    b.refresh.mockResolvedValue('refused')
    await here.store.refresh()
    expect(here.store.state()).toEqual({ status: 'signed-out', reason: 'expired' })
    await vi.waitFor(
      () => expect(there.store.state()).toEqual({ status: 'signed-out', reason: 'signed-out-elsewhere' }),
      10_000,
    )
    expect([here.events.at(-1), there.events.at(-1)]).toEqual(['SIGNED_OUT', 'SIGNED_OUT'])
  })

  test('clears a session ended at the server in both tabs without a call', async () => {
    const b = browser({ authToken: jwt(ada, MINUTE_MS), refreshToken: 'r' })
    const [here, there] = [b.tab(), b.tab()]
    await Promise.all([here.store.start(), there.store.start()])
    here.store.clear()
    expect(b.storage.size).toBe(0)
    expect(here.store.state()).toEqual({ status: 'signed-out', reason: 'signed-out-here' })
    await vi.waitFor(() => expect(there.events.at(-1)).toBe('SIGNED_OUT'), 10_000)
    expect(b.revoke).not.toHaveBeenCalled()
  })
})

test('signOut ends the session here even if the server fails', async () => {
  const token = jwt(ada, MINUTE_MS)
  const b = browser({ authToken: token, refreshToken: 'r' })
  b.revoke.mockRejectedValue(new Error('403'))
  const { store, events } = b.tab()
  await store.start()
  await store.signOut()
  expect(b.revoke).toHaveBeenCalledWith(token)
  expect(b.storage.size).toBe(0)
  expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_OUT'])
})

describe('the current workspace', () => {
  const inWork = (wid: string, role: string, goodForMs = 15 * MINUTE_MS) => jwt(ada, goodForMs, 0, { wid, role })
  async function working(token = inWork('w1', 'admin')) {
    const b = browser({ authToken: token, refreshToken: 'r' })
    const { store, events } = b.tab()
    await store.start()
    events.length = 0
    return { b, store, events }
  }

  test('triggers one reload if the user was removed from it', async () => {
    const { b, store } = await working()
    b.refresh.mockResolvedValueOnce({ token: inWork('own', 'owner'), refreshToken: 's' })
    await store.refresh()
    await store.syncFromOtherTab()
    expect(b.workspaceChanged.mock.calls).toEqual([[true]])
    expect(b.storage.get('refreshToken')).toBe('s')
  })

  test('emits USER_UPDATED if the role changed', async () => {
    const { b, store, events } = await working()
    b.refresh.mockResolvedValueOnce({ token: inWork('w1', 'viewer'), refreshToken: 's' })
    await store.refresh()
    expect(events).toEqual(['USER_UPDATED', 'TOKEN_REFRESHED'])
    expect(b.workspaceChanged).not.toHaveBeenCalled()
  })

  test('triggers a reload here if it changed in another tab', async () => {
    const { b, store } = await working()
    const there = b.tab()
    await there.store.start()
    there.store.move({ token: inWork('w2', 'member'), refreshToken: 's' })
    expect(b.workspaceChanged).not.toHaveBeenCalled()
    await store.syncFromOtherTab()
    expect(b.workspaceChanged.mock.calls).toEqual([[false]])
    expect(store.state()).toEqual({ status: 'signed-in', user: ada })
  })

  test('triggers no reload if a renewal keeps it', async () => {
    const { b, store, events } = await working()
    b.refresh.mockResolvedValueOnce({ token: inWork('w1', 'admin'), refreshToken: 's' })
    await store.refresh()
    expect(events).toEqual(['TOKEN_REFRESHED'])
    expect(b.workspaceChanged).not.toHaveBeenCalled()
  })
})
