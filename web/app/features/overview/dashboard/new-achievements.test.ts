import { expect, it } from 'vitest'
import { takeNewAchievements } from './new-achievements'

it('returns each achievement once for each account', () => {
  const values = new Map<string, string>()
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  }
  expect(takeNewAchievements(storage, 'ada', [])).toEqual([])
  expect(takeNewAchievements(storage, 'ada', ['pioneer'])).toEqual(['pioneer'])
  expect(takeNewAchievements(storage, 'ada', ['pioneer'])).toEqual([])
  expect(takeNewAchievements(storage, 'ada', ['pioneer', 'bronze', 'viral'])).toEqual(['bronze', 'viral'])
  expect(takeNewAchievements(storage, 'ada', ['pioneer', 'bronze', 'viral'])).toEqual([])
  expect(takeNewAchievements(storage, 'bob', ['pioneer'])).toEqual(['pioneer'])
})
