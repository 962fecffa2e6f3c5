import { TwitterHandle } from '@x-automated/contract/fields'
import { handleIn } from '@x-automated/contract/x-handle'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  handleProblem,
  isSessionError,
  moneyWords,
  needsConnection,
  scrapeFilter,
  scrapeTitle,
  timeLeftOf,
  timeLeftText,
} from './scrape-text'

describe('the handle to scrape', () => {
  test.each([
    ['@paulg', 'paulg'],
    ['  paulg ', 'paulg'],
    ['https://x.com/paulg', 'paulg'],
    ['x.com/paulg/followers?lang=en', 'paulg'],
    ['https://mobile.twitter.com/@paulg', 'paulg'],
    ['https://twitter.com/paulg/status/1?s=20', 'paulg'],
    ['twitter.com/#!/paulg', 'paulg'],
    ['xcom', 'xcom'],
    ['https://x.com/i/lists/1', 'https://x.com/i/lists/1'],
    ['x.com/', 'x.com/'],
  ])('of %o is %o', (typed, handle) => {
    expect(handleIn(typed)).toBe(handle)
  })

  test('is needed', () => {
    for (const typed of ['', '  ', '@', ' @ ']) expect(handleProblem(typed)).toBe('Please enter a X handle to scrape')
  })

  test('is nobody’s that is a page of X', () => {
    for (const typed of ['home', '@Explore', ' i '])
      expect(handleProblem(typed)).toBe(`“${handleIn(typed)}” is a page of X, nobody’s handle.`)
    expect(handleProblem('homer')).toBeNull()
  })

  test('whatever the form takes, the server takes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'Z', 'i', '_', '9', ' ', '@', 'é', '.'), maxLength: 18 }),
        (typed) => {
          if (handleProblem(typed) === null) expect(TwitterHandle.safeParse(handleIn(typed)).success).toBe(true)
        },
      ),
    )
  })
})

test('a failure asks for credentials where it is about the session with X, and only there', () => {
  const words = 'X session expired or invalid. Please enter your X credentials.'
  expect(isSessionError({ status: 409, code: 'X_SESSION_EXPIRED', words })).toBe(true)
  expect(isSessionError({ status: 401, code: 'UNAUTHORIZED', words: '' })).toBe(true)
  expect(isSessionError({ words: 'Your Session is over' })).toBe(true)
  expect(isSessionError({ status: 403, code: 'PLAN_LIMIT', words: 'Your plan allows 100 leads a month.' })).toBe(false)
})

test('a scrape says whom it looks for', () => {
  expect(scrapeTitle({ type: 'followers', twitterHandle: 'ada' })).toBe('Followers of @ada')
  expect(scrapeTitle({ type: 'following', twitterHandle: 'ada' })).toBe('Followed by @ada')
  expect(scrapeFilter({ minFollowers: 100, maxFollowers: 10_000, keywords: [] })).toBe('100 to 10,000 followers')
  expect(scrapeFilter({ minFollowers: 0, maxFollowers: 5_000, keywords: ['founder', 'saas'] })).toBe(
    '0 to 5,000 followers · founder, saas',
  )
})

test.each([
  [0, 'a few seconds'],
  [11, 'about 15 sec'],
  [54, 'about 55 sec'],
  [58, 'about 1 min'],
  [130, 'about 2 min'],
  [3_600, 'about 1 h'],
  [5_400, 'about 1 h 30 min'],
])('%i seconds left are %o', (seconds, words) => {
  expect(timeLeftText(seconds)).toBe(words)
})

test('a scrape whose X connection was lost waits for somebody, not for a time', () => {
  const estimate = { profiles: 1_000, secondsLeft: 58, costCents: null }
  const lost = { status: 'waiting', resumesAt: null, estimate } as const
  expect(needsConnection(lost)).toBe(true)
  expect(timeLeftOf(lost)).toBeNull()
  const limited = { ...lost, resumesAt: '2026-11-20T18:30:00Z' }
  expect(needsConnection(limited)).toBe(false)
  expect(timeLeftOf(limited)).toBe('About 1 min')
  expect(needsConnection({ status: 'running', resumesAt: null })).toBe(false)
  expect(timeLeftOf({ status: 'running', resumesAt: null, estimate: null })).toBe('Working it out')
  expect(timeLeftOf({ status: 'queued', resumesAt: null, estimate: null })).toBe('Starting soon')
})

test('what X bills is said in dollars', () => {
  expect([0, 1, 1_000_000].map(moneyWords)).toEqual(['$0.00', '$0.01', '$10,000.00'])
})
