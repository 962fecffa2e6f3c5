import { HISTOGRAM_BOUNDS } from '@x-automated/contract/leads/scrape-limits'
import { X_SOURCES } from '@x-automated/contract/platform/x-account'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addToBins, estimate, FAILURES_MAX, isHidden, isResumable, pageSize, secondsFor, verdict } from './rules.ts'

const progress = fc.record({
  maxResults: fc.integer({ min: 1, max: 1_000_000 }),
  fetched: fc.nat(1_000_000),
  billed: fc.nat(2_000_000),
  matched: fc.nat(1_000_000),
  expected: fc.option(fc.nat(5_000_000)),
  busyMs: fc.nat(10_000_000),
  readPriceCents: fc.nat(3),
  type: fc.constantFrom(...X_SOURCES),
})

it('adds every profile to the bin of its follower count', () => {
  expect(HISTOGRAM_BOUNDS.slice(0, 9)).toEqual([0, 1, 2, 3, 6, 10, 18, 32, 56])
  const bins = addToBins(addToBins([], [0, 1, 99, 100, 177, 178]), [100, 4_200_000, 2_000_000_000])
  const counted = HISTOGRAM_BOUNDS.flatMap((from, index) => (bins[index] ? [[from, bins[index]]] : []))
  expect(counted).toEqual([
    [0, 1],
    [1, 1],
    [56, 1],
    [100, 3],
    [178, 1],
    [3_162_278, 1],
    [10_000_000, 1],
  ])
})

describe('pageSize', () => {
  it("stays within X's bounds", () => {
    fc.assert(
      fc.property(progress, (p) => {
        const size = pageSize({ ...p, matched: Math.min(p.matched, p.fetched, p.maxResults) })
        expect(Number.isInteger(size) && size >= 100 && size <= 1_000).toBe(true)
      }),
    )
  })
  it('requests no more than are likely needed', () => {
    expect(pageSize({ type: 'followers', maxResults: 50, fetched: 0, matched: 0 })).toBe(150)
    expect(pageSize({ type: 'followers', maxResults: 1_000, fetched: 0, matched: 0 })).toBe(1_000)
    expect(pageSize({ type: 'followers', maxResults: 150, fetched: 1_000, matched: 100 })).toBe(500)
    expect(pageSize({ type: 'followers', maxResults: 10, fetched: 1_000, matched: 0 })).toBe(1_000)
    expect(pageSize({ type: 'likers', maxResults: 1_000, fetched: 0, matched: 0 })).toBe(100)
  })
})

describe('estimate', () => {
  const base = {
    maxResults: 1_000_000,
    fetched: 1_000,
    billed: 1_000,
    matched: 500,
    expected: 10_000,
    busyMs: 2_000,
    readPriceCents: 0,
    type: 'followers' as const,
  }
  it('is null before X has returned a count', () => {
    expect(estimate({ ...base, expected: null }, 'running', 0)).toBeNull()
    expect(estimate({ ...base, fetched: 0, matched: 0 }, 'running', 0)).toEqual({
      profiles: 10_000,
      secondsLeft: null,
      costCents: null,
    })
    expect(estimate(base, 'completed', 0)).toEqual({ profiles: 10_000, secondsLeft: null, costCents: null })
  })
  it('extrapolates the pace so far and adds the wait', () => {
    expect(estimate(base, 'running', 0)).toEqual({ profiles: 10_000, secondsLeft: 18, costCents: null })
    expect(estimate({ ...base, maxResults: 1_000 }, 'running', 0)).toEqual({
      profiles: 10_000,
      secondsLeft: 2,
      costCents: null,
    })
    expect(estimate(base, 'waiting', 60)).toEqual({ profiles: 10_000, secondsLeft: 78, costCents: null })
  })
  it("includes X's cost of the likely pages", () => {
    const billed = { ...base, readPriceCents: 1 }
    expect(estimate({ ...billed, fetched: 0, billed: 0, matched: 0 }, 'running', 0)?.costCents).toBe(10_000)
    expect(estimate(billed, 'running', 0)?.costCents).toBe(10_000)
    expect(estimate({ ...billed, maxResults: 1_000 }, 'running', 0)?.costCents).toBe(2_000)
    expect(estimate(billed, 'canceled', 0)?.costCents).toBe(1_000)
    // A page that was read twice is billed twice.
    expect(estimate({ ...billed, billed: 1_300 }, 'running', 0)?.costCents).toBe(10_300)
  })
  it("includes X's remaining rate limit windows once", () => {
    const long = { ...base, maxResults: 5_000_000, expected: 900_000, readPriceCents: 1, busyMs: 100 }
    const at = (fetched: number, waitSeconds = 0) =>
      estimate({ ...long, fetched, billed: fetched, matched: fetched, busyMs: fetched }, 'running', waitSeconds)
        ?.secondsLeft
    expect(at(1_000)).toBe(899 + 2 * 900)
    expect(at(300_000, 500)).toBe(600 + 500 + 900)
    expect(at(700_000)).toBe(200)
    expect(at(900_000)).toBe(0)
  })
  it('is never negative', () => {
    fc.assert(
      fc.property(progress, (p) => {
        const estimated = estimate({ ...p, matched: Math.min(p.matched, p.maxResults) }, 'running', 0)
        expect(estimated?.secondsLeft ?? 0).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

describe('secondsFor', () => {
  it("uses the pace of earlier scrapes and X's rate limit windows", () => {
    expect(secondsFor(100_000, null, { type: 'followers', readPriceCents: 0 })).toBe(100)
    expect(secondsFor(100_000, 0.2, { type: 'followers', readPriceCents: 0 })).toBe(20)
    expect(secondsFor(300_000, 0.2, { type: 'followers', readPriceCents: 1 })).toBe(60)
    expect(secondsFor(300_001, 0.2, { type: 'followers', readPriceCents: 1 })).toBe(61 + 900)
  })
})

describe('verdict', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  const scrape = { failures: 0, twitterHandle: 'ana', type: 'followers' as const }
  const of = (kind: string, failures = 0, retryAt: Date | null = null) =>
    verdict({ kind, message: 'X said so.', retryAt }, { ...scrape, failures }, now)

  it('waits out a rate limit, at most a day', () => {
    const retryAt = new Date('2026-01-01T00:10:00Z')
    expect(of('rate-limit', 3, retryAt)).toMatchObject({ status: 'waiting', resumesAt: retryAt, failures: 0 })
    expect(of('rate-limit', 0, new Date(0))).toMatchObject({ resumesAt: new Date('2026-01-01T00:00:01Z') })
    expect(of('rate-limit', 0, new Date('2030-01-01'))).toMatchObject({ resumesAt: new Date('2026-01-02T00:00:00Z') })
  })
  it.each(['unauthorized', 'credentials', 'account'])('waits for a connection after %s', (kind) => {
    expect(of(kind)).toEqual({ status: 'waiting', resumesAt: null, failures: 0, error: 'X said so.' })
  })
  it.each(['unknown', 'unavailable', 'fault'])('retries with growing delays after %s, then gives up', (kind) => {
    const waits = Array.from({ length: FAILURES_MAX - 1 }, (_, failures) => {
      const next = of(kind, failures)
      expect(next).toMatchObject({ status: 'waiting', failures: failures + 1, error: 'X said so. Trying again.' })
      return next.status === 'waiting' ? (next.resumesAt as Date).getTime() - now.getTime() : 0
    })
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000])
    expect(of(kind, FAILURES_MAX - 1)).toEqual({
      status: 'failed',
      failures: FAILURES_MAX,
      error: 'Failed to scrape X followers. X said so. We kept the leads found so far. Resume the scrape later.',
    })
  })
  it.each([
    ['not-found', "@ana doesn't exist on X."],
    ['forbidden', "X doesn't show the followers of @ana: X said so."],
    ['invalid', 'Failed to scrape X followers: X said so.'],
  ])('fails after %s', (kind, error) => {
    expect(of(kind, 3)).toEqual({ status: 'failed', failures: 0, error })
  })
  it('says that a person was suspended meanwhile', () => {
    const failure = { kind: 'not-found', message: 'X said so.', retryAt: null, isSuspended: true }
    expect(verdict(failure, { type: 'followers', twitterHandle: 'ana', failures: 0 }, now).error).toBe(
      '@ana is suspended on X.',
    )
  })
  it('says that handles, not lists of people, could not be read', () => {
    const failure = { kind: 'invalid', message: 'X said so.', retryAt: null }
    expect(verdict(failure, { type: 'handles', twitterHandle: '', failures: 0 }, now).error).toBe(
      'Failed to read these handles: X said so.',
    )
  })
})

it('isHidden is true for protected accounts that have not approved the reader', () => {
  const of = (isFollowed: boolean | null, id = '1') => isHidden({ id, protected: true, isFollowed }, { xUserId: '7' })
  expect([of(false), of(true), of(null), of(false, '7')]).toEqual([true, false, false, false])
  expect(isHidden({ id: '1', protected: false, isFollowed: false }, { xUserId: '7' })).toBe(false)
})

it("isResumable is true unless X's answer was final", () => {
  const isSo = (
    status: 'canceled' | 'failed' | 'completed' | 'running',
    failures = 0,
    stoppedBy: 'PLAN_LIMIT' | null = null,
  ) => isResumable({ status, failures, stoppedBy })
  expect([isSo('canceled'), isSo('failed', 8), isSo('completed', 0, 'PLAN_LIMIT')]).toEqual([true, true, true])
  expect([isSo('failed', 0), isSo('completed'), isSo('running', 3)]).toEqual([false, false, false])
})
