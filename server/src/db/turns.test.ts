import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTurns, turnLimits } from './turns.ts'

const WORK = { shape: 'select 1', waitMs: 60_000 }

/** Opens turns for six connections, the default. Tests begin and end work by name. */
function openTurns({ isAnswering = true } = {}) {
  const turns = createTurns(6, async () => isAnswering)
  const running = new Map<string, () => void>()
  return {
    running: () => [...running.keys()],
    async begin(name: string, work: Partial<Parameters<typeof turns.take>[0]> = {}) {
      const taking = turns.take({ ...WORK, workspaceId: name[0] as string, ...work })
      taking.then((end) => running.set(name, end)).catch(() => {})
      await sleep(0)
      return { taking }
    },
    async end(name: string) {
      running.get(name)?.()
      running.delete(name)
      await sleep(0)
    },
  }
}

let now = 0
beforeEach(() => {
  now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Runs the shape once in the workspace, for `ms` milliseconds. */
async function runFor(turns: ReturnType<typeof openTurns>, ms: number, shape: string, workspaceId = 'z') {
  await turns.begin('z', { shape, workspaceId })
  now += ms
  await turns.end('z')
}

/** Stops timers until the test ends. @returns a function that advances them by milliseconds */
function stopTimers() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return async (ms: number) => {
    vi.advanceTimersByTime(ms)
    await sleep(0)
  }
}

describe('turnLimits', () => {
  it('gives a workspace half of the connections, slow work a third, and half of that in its first second', () => {
    expect(turnLimits(6)).toEqual({ workspace: 3, young: 1, slow: 2, unknown: 4, fast: 6 })
    expect(turnLimits(2)).toEqual({ workspace: 1, young: 1, slow: 1, unknown: 1, fast: 2 })
    expect(turnLimits(1)).toEqual({ workspace: 1, young: 1, slow: 1, unknown: 1, fast: 1 })
  })
})

describe('take', () => {
  it('gives a workspace at most three turns at a time, and the next ones in order', async () => {
    const turns = openTurns()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']) await turns.begin(name)
    expect(turns.running()).toEqual(['a1', 'a2', 'a3', 'b1'])
    await turns.end('a2')
    expect(turns.running()).toEqual(['a1', 'a3', 'b1', 'a4'])
  })

  it('lets waiting workspaces take turns', async () => {
    const turns = openTurns()
    await runFor(turns, 1, WORK.shape)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']) await turns.begin(name)
    for (const name of ['a4', 'a5', 'c1', 'c2', 'd1']) await turns.begin(name)
    for (const name of ['a1', 'b1', 'a2', 'b2']) await turns.end(name)
    expect(turns.running().slice(2)).toEqual(['a4', 'c1', 'd1', 'a5'])
  })

  it('prefers the workspace that has held connections for the least time lately', async () => {
    const turns = openTurns()
    await runFor(turns, 1, WORK.shape)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']) await turns.begin(name)
    for (const name of ['a4', 'b4', 'c1', 'c2']) await turns.begin(name)
    now += 1_000
    await turns.end('a1')
    await turns.end('b1')
    expect(turns.running().slice(4)).toEqual(['c1', 'c2'])
    await turns.end('c1')
    await turns.end('c2')
    expect(turns.running().slice(4)).toEqual(['a4', 'b4'])
  })

  it('lets slow work that takes less time go first, even if its workspace used somewhat more', async () => {
    const turns = openTurns()
    await runFor(turns, 600, 'long', 'a')
    await runFor(turns, 600, 'long', 'b')
    await runFor(turns, 150, 'short', 'c')
    await runFor(turns, 900, 'fast', 'c')
    now += 1_000
    for (const name of ['a1', 'b1']) await turns.begin(name, { shape: 'long' })
    await turns.begin('c1', { shape: 'short' })
    await turns.end('a1')
    expect(turns.running()).toEqual(['c1'])
    // A workspace that used much more waits.
    await runFor(turns, 9_000, 'fast', 'c')
    await turns.begin('c2', { shape: 'short' })
    await turns.end('c1')
    expect(turns.running()).toEqual(['b1'])
  })

  it('counts the time for which a workspace has held connections that it still holds', async () => {
    const turns = openTurns()
    await runFor(turns, 1, WORK.shape)
    for (const name of ['a1', 'a2']) await turns.begin(name)
    now += 1_000
    for (const name of ['b1', 'c1', 'c2', 'c3', 'a3', 'b2']) await turns.begin(name)
    await turns.end('c1')
    expect(turns.running().at(-1)).toBe('b2')
  })

  it('gives work that was slow before two connections, the second one after a second, and unknown work four', async () => {
    const turns = openTurns()
    await runFor(turns, 101, 'slow')
    await runFor(turns, 100, 'fast')
    const pass = stopTimers()
    for (const name of ['a1', 'b1', 'c1']) await turns.begin(name, { shape: 'slow' })
    await pass(999)
    expect(turns.running()).toEqual(['a1'])
    await pass(1)
    expect(turns.running()).toEqual(['a1', 'b1'])
    await pass(1_000)
    expect(turns.running()).toEqual(['a1', 'b1'])
    for (const name of ['d1', 'e1', 'f1']) await turns.begin(name, { shape: name })
    expect(turns.running()).toEqual(['a1', 'b1', 'd1', 'e1'])
    for (const name of ['g1', 'h1', 'i1']) await turns.begin(name, { shape: 'fast' })
    expect(turns.running()).toEqual(['a1', 'b1', 'd1', 'e1', 'g1', 'h1'])
    // c waits for slow work to end, f for slow or unknown work, i for any.
    await turns.end('g1')
    expect(turns.running().at(-1)).toBe('i1')
    await turns.end('d1')
    expect(turns.running().at(-1)).toBe('f1')
    await turns.end('a1')
    expect(turns.running().at(-1)).toBe('c1')
  })

  it('judges a workspace by its own work, and by that of others only if it is new', async () => {
    const turns = openTurns()
    await runFor(turns, 5, WORK.shape, 'c')
    await runFor(turns, 3_000, WORK.shape, 'a')
    for (const name of ['a1', 'a2', 'b1', 'c1']) await turns.begin(name)
    expect(turns.running()).toEqual(['a1', 'c1'])
  })

  it('judges work that is new in a workspace by its first runs in others, not by how often it was fast there', async () => {
    const turns = openTurns()
    await runFor(turns, 3_000, WORK.shape, 'a')
    for (let runs = 0; runs < 9; runs += 1) await runFor(turns, 1, WORK.shape, 'c')
    for (const name of ['b1', 'd1', 'c1']) await turns.begin(name)
    expect(turns.running()).toEqual(['b1', 'c1'])
  })

  it('does not judge work by one slow run among fast ones, but by two', async () => {
    const turns = openTurns()
    for (const ms of [5, 900, 5, 900]) await runFor(turns, ms, WORK.shape, 'a')
    for (const name of ['a1', 'a2']) await turns.begin(name)
    expect(turns.running()).toEqual(['a1', 'a2'])
    const slow = openTurns()
    for (const ms of [5, 900, 900]) await runFor(slow, ms, WORK.shape, 'a')
    for (const name of ['a1', 'a2']) await slow.begin(name)
    expect(slow.running()).toEqual(['a1'])
  })

  it('runs one slow read at a time, however long it takes, and a slow change beside it after a second', async () => {
    const pass = stopTimers()
    const turns = openTurns()
    await runFor(turns, 200, WORK.shape)
    for (const name of ['a1', 'b1']) await turns.begin(name, { isRead: true })
    await turns.begin('c1')
    await pass(1_000)
    expect(turns.running()).toEqual(['a1', 'c1'])
    await turns.end('c1')
    expect(turns.running()).toEqual(['a1'])
    await turns.end('a1')
    expect(turns.running()).toEqual(['b1'])
  })

  it('remembers slow work through a few fast runs', async () => {
    const turns = openTurns()
    await runFor(turns, 1_000, WORK.shape, 'a')
    for (let runs = 0; runs < 3; runs += 1) await runFor(turns, 1, WORK.shape, 'a')
    for (const name of ['a1', 'a2', 'a3']) await turns.begin(name)
    expect(turns.running()).toHaveLength(1)
    const fast = openTurns()
    await runFor(fast, 1_000, WORK.shape, 'a')
    for (let runs = 0; runs < 4; runs += 1) await runFor(fast, 1, WORK.shape, 'a')
    for (const name of ['a1', 'a2', 'a3']) await fast.begin(name)
    expect(fast.running()).toHaveLength(3)
  })

  it('refuses with 429 after the longest wait, and leaves no place behind', async () => {
    const turns = openTurns()
    for (const name of ['a1', 'a2', 'a3']) await turns.begin(name)
    const { taking } = await turns.begin('a4', { waitMs: 20 })
    await expect(taking).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 2 })
    await turns.begin('a5')
    await turns.end('a1')
    expect(turns.running()).toEqual(['a2', 'a3', 'a5'])
  })

  it('spreads the retries of a workspace with many requests that wait', async () => {
    const turns = openTurns()
    for (const name of ['a1', 'a2', 'a3']) await turns.begin(name)
    const pass = stopTimers()
    const waiting = []
    for (let n = 0; n < 40; n += 1) waiting.push((await turns.begin('a4', { waitMs: 200 })).taking)
    await pass(200)
    const refused = await Promise.allSettled(waiting)
    const seconds = refused.map((result) => result.status === 'rejected' && result.reason.retryAfterSeconds)
    expect(seconds.slice(0, 11)).toEqual([...Array(10).fill(30), 29])
    expect(seconds.slice(-4)).toEqual([3, 2, 2, 2])
  })

  it('refuses with 503 after the longest wait if the database does not answer', async () => {
    const turns = openTurns({ isAnswering: false })
    for (const name of ['a1', 'a2', 'a3']) await turns.begin(name)
    const { taking } = await turns.begin('a4', { waitMs: 20 })
    await expect(taking).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('neither judges nor limits by pace what something else limits', async () => {
    const turns = openTurns()
    await runFor(turns, 3_000, WORK.shape)
    for (const name of ['a1', 'b1', 'c1']) await turns.begin(name, { isUnjudged: true })
    expect(turns.running()).toEqual(['a1', 'b1', 'c1'])
  })
})
