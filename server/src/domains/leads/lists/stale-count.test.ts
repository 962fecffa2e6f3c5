import { expect, it } from 'vitest'
import { isStale } from './lists.ts'

const now = new Date('2026-01-01T00:01:00Z')
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000)

it.each([
  ['if it was never counted', null, 500, true],
  ['if counting is cheap', secondsAgo(0), 50, true],
  ['if counting is slow and the count is younger than 20 times its duration', secondsAgo(9), 500, false],
  ['if counting is slow and the count is older than that', secondsAgo(11), 500, true],
])('isStale decides %s', (_, countedAt, countMs, stale) => {
  expect(isStale({ countedAt, countMs }, now)).toBe(stale)
})
