import { expect, test } from 'vitest'
import { skippedText } from './use-queue-dms'

test('who was picked and gets no message is said', () => {
  const ids = Array.from({ length: 10 }, (_, i) => `lead_${i}`)
  expect(skippedText({ ids }, 3)).toBe('7 left out: contacted already or may not be contacted.')
  expect(skippedText({ ids }, 10)).toBeNull()
  expect(skippedText({ matching: {}, count: 2_000 }, 500)).toBe(
    '1,500 left out: contacted already or may not be contacted.',
  )
  // Leads that came to match meanwhile.
  expect(skippedText({ matching: {}, count: 5 }, 6)).toBeNull()
})
