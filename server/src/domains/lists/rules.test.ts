import { expect, it } from 'vitest'
import { isStale, nameOfCopy } from './rules.ts'

const now = new Date('2026-01-01T00:01:00Z')
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000)

it.each([
  ['never counted', null, 500, true],
  ['cheap to count', secondsAgo(0), 50, true],
  ['dear, and counted within twenty times its cost', secondsAgo(9), 500, false],
  ['dear, and older than that', secondsAgo(11), 500, true],
])('%s', (_, countedAt, countMs, stale) => {
  expect(isStale({ countedAt, countMs }, now)).toBe(stale)
})

it('a copy is named within the length of a name', () => {
  expect(nameOfCopy('Founders', 200)).toBe('Founders (copy)')
  expect(nameOfCopy('x'.repeat(200), 200)).toHaveLength(200)
})
