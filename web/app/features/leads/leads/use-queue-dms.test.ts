import { expect, test } from 'vitest'
import { skippedText } from './use-queue-dms'

test('says how many selected leads get no message', () => {
  const ids = Array.from({ length: 10 }, (_, i) => `lead_${i}`)
  expect(skippedText({ ids }, 3)).toBe('7 skipped: already contacted or not contactable.')
  expect(skippedText({ ids }, 10)).toBeNull()
  expect(skippedText({ matching: {}, count: 2_000 }, 500)).toBe('1,500 skipped: already contacted or not contactable.')
  // More leads match by now.
  expect(skippedText({ matching: {}, count: 5 }, 6)).toBeNull()
})
