import { TwitterHandle } from '@x-automated/contract/fields'
import { handleIn } from '@x-automated/contract/x-handle'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  defaultLeadLimit,
  handleProblem,
  isSessionError,
  lookText,
  needsConnection,
  roughDurationText,
  scrapeFilter,
  scrapeTimeLeftText,
  scrapeTitle,
  usedUpText,
} from './scrape-text'

describe('handleProblem', () => {
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
  ])('reads the handle in %o as %o', (typed, handle) => {
    expect(handleIn(typed)).toBe(handle)
  })

  test('rejects an empty handle', () => {
    for (const typed of ['', '  ', '@', ' @ ']) expect(handleProblem(typed)).toBe('Please enter a X handle to scrape')
  })

  test('rejects a page of X', () => {
    for (const typed of ['home', '@Explore', ' i '])
      expect(handleProblem(typed)).toBe(`“${handleIn(typed)}” is a page on X, not a handle.`)
    expect(handleProblem('homer')).toBeNull()
  })

  test('accepts only handles that the server accepts', () => {
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

test('asks for credentials only after a session error', () => {
  const message = 'X session expired or invalid. Please enter your X credentials.'
  expect(isSessionError({ status: 409, code: 'X_SESSION_EXPIRED', message })).toBe(true)
  expect(isSessionError({ status: 401, code: 'UNAUTHORIZED', message: '' })).toBe(true)
  expect(isSessionError({ message: 'Your Session is over' })).toBe(true)
  expect(isSessionError({ message: "@missing_session doesn't exist on X." })).toBe(false)
  expect(isSessionError({ status: 403, code: 'PLAN_LIMIT', message: 'Your plan allows 100 leads a month.' })).toBe(
    false,
  )
})

test('describes the source and the filter of a scrape', () => {
  const noUrl = { postUrl: null, listUrl: null }
  expect(scrapeTitle({ type: 'followers', twitterHandle: 'ada', ...noUrl })).toBe('Followers of @ada')
  expect(scrapeTitle({ type: 'following', twitterHandle: 'ada', ...noUrl })).toBe('Followed by @ada')
  expect(
    scrapeTitle({ type: 'likers', twitterHandle: null, postUrl: 'https://x.com/ada/status/1?s=20', listUrl: null }),
  ).toBe('Likes of x.com/ada/status/1')
  expect(scrapeFilter({ minFollowers: 100, maxFollowers: 10_000, keywords: [] })).toBe('100 to 10,000 followers')
  expect(scrapeFilter({ minFollowers: 0, maxFollowers: 5_000, keywords: ['founder', 'saas'] })).toBe(
    '0 to 5,000 followers · founder, saas',
  )
})

test.each([
  [0, 'a few seconds'],
  [11, 'about 15 seconds'],
  [54, 'about 55 seconds'],
  [58, 'about 1 min'],
  [130, 'about 2 min'],
  [3_600, 'about 1 h'],
  [5_400, 'about 1 h 30 min'],
])('shows %i seconds left as %o', (seconds, text) => {
  expect(roughDurationText(seconds)).toBe(text)
})

test('shows no time left while a scrape waits for an X account', () => {
  const estimate = { profiles: 1_000, secondsLeft: 58, costCents: null }
  const lost = { status: 'waiting', resumesAt: null, estimate } as const
  expect(needsConnection(lost)).toBe(true)
  expect(scrapeTimeLeftText(lost)).toBeNull()
  const limited = { ...lost, resumesAt: '2026-11-20T18:30:00Z' }
  expect(needsConnection(limited)).toBe(false)
  expect(scrapeTimeLeftText(limited)).toBe('About 1 min')
  expect(needsConnection({ status: 'running', resumesAt: null })).toBe(false)
  expect(scrapeTimeLeftText({ status: 'running', resumesAt: null, estimate: null })).toBe('Estimating…')
  expect(scrapeTimeLeftText({ status: 'queued', resumesAt: null, estimate: null })).toBe('Starting soon')
})

test.each([
  [null, 200],
  [1_000, 200],
  [37, 37],
  [0, 200],
])('preselects, of %s leads left, a limit of %i', (left, limit) => {
  expect(defaultLeadLimit(left)).toBe(limit)
})

test('says when leads can be saved again', () => {
  expect(usedUpText(100, new Date('2026-12-31T23:00:00Z'))).toBe(
    'All 100 leads of this month are saved. You can save more from Jan 1.',
  )
})

test('says what a look costs before it is made', () => {
  expect(lookText('followers', { readPriceCents: 1 }, null)).toBe(
    'A look reads up to 25 profiles and saves nobody. X bills up to $0.26. Your workspace can look 4 times a day.',
  )
  expect(lookText('followers', { readPriceCents: 0 }, 1)).toBe(
    'A look reads up to 25 profiles and saves nobody. 1 look left today.',
  )
  expect(lookText('handles', { readPriceCents: 0 }, 0)).toMatch(/Today's looks are used up\.$/)
})
