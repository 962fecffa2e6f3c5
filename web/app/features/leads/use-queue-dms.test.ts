import { expect, test } from 'vitest'
import { leftOutWords } from './use-queue-dms'

test('who was picked and gets no message is said', () => {
  const ids = Array.from({ length: 10 }, (_, i) => `lead_${i}`)
  expect(leftOutWords({ ids }, 3)).toBe('7 left out: contacted already or may not be contacted.')
  expect(leftOutWords({ ids }, 10)).toBeNull()
  expect(leftOutWords({ matching: {}, count: 2_000 }, 500)).toBe(
    '1,500 left out: contacted already or may not be contacted.',
  )
  // Leads that came to match meanwhile.
  expect(leftOutWords({ matching: {}, count: 5 }, 6)).toBeNull()
})
