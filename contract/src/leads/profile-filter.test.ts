import { describe, expect, it } from 'vitest'
import { isWanted } from './profile-filter.ts'

describe('isWanted', () => {
  const all = { minFollowers: 0, maxFollowers: 1_000_000, keywords: [] }
  it.each([
    [100, 100, 100, true],
    [99, 100, 200, false],
    [200, 100, 200, true],
    [201, 100, 200, false],
  ])('matches %i followers against %i to %i: %s', (followerCount, minFollowers, maxFollowers, wanted) => {
    expect(isWanted({ bio: '', followerCount }, { minFollowers, maxFollowers, keywords: [] })).toBe(wanted)
  })
  it.each([
    ['Founder of things', ['FOUNDER'], true],
    ['cofounders', ['founder'], true],
    ['Designer', ['founder', 'sign'], true],
    ['Designer', ['founder'], false],
    ['100% growth', ['0% g'], true],
    ['100 growth', ['0% g'], false],
    ['مؤسس شركة', ['شركة'], true],
    ['', ['x'], false],
  ])('searches the bio %j for the keywords %j: %s', (bio, keywords, wanted) => {
    expect(isWanted({ bio, followerCount: 1 }, { ...all, keywords })).toBe(wanted)
  })
})
