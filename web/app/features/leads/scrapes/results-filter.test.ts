import { expect, test } from 'vitest'
import { everyoneIn, isInFilter, queryOf, type ResultsFilter, withPressed } from './results-filter'

const bounds = { minFollowers: 100, maxFollowers: 10_000 }
const everyone = everyoneIn(bounds)

test('keeps people whose follower count is unknown', () => {
  const filter: ResultsFilter = { ...everyone, min: 5, max: 9 }
  expect([null, 4, 5, 9, 10].map((followerCount) => isInFilter({ followerCount, bio: null }, filter))).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
})

test('means people by the words of their bio', () => {
  const filter = { ...everyone, required: ['founder'], excluded: ['crypto'] }
  const fits = (bio: string | null) => isInFilter({ followerCount: 200, bio }, filter)
  expect([fits('Founder'), fits('Cofounder'), fits('Crypto founder'), fits(null)]).toEqual([true, false, false, false])
})

test('asks only for bounds narrower than those of the scrape, and for words', () => {
  expect(queryOf(everyone, bounds)).toEqual({})
  expect(queryOf({ ...everyone, min: 10, max: null }, bounds)).toEqual({})
  expect(queryOf({ ...everyone, min: 200, max: 9_000 }, bounds)).toEqual({ minFollowers: 200, maxFollowers: 9_000 })
  expect(queryOf({ ...everyone, required: ['founder'], excluded: ['crypto'] }, bounds)).toEqual({
    bioWords: 'founder -crypto',
  })
})

test('requires a word by the first press, excludes it by the second, and drops it by the third', () => {
  const once = withPressed(everyone, 'ai')
  const twice = withPressed(once, 'ai')
  expect([once, twice, withPressed(twice, 'ai')]).toEqual([
    { required: ['ai'], excluded: [] },
    { required: [], excluded: ['ai'] },
    { required: [], excluded: [] },
  ])
  expect(withPressed({ required: ['ai'], excluded: [] }, 'saas')).toEqual({ required: ['ai', 'saas'], excluded: [] })
})
