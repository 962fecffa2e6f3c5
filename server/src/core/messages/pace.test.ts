import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffSeconds, withJitter } from './pace.ts'

describe('intervals', () => {
  it('are lengthened by jitter, never shortened', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 86_400, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (interval, random) => {
          const seconds = withJitter(interval, random)
          expect(seconds).toBeGreaterThanOrEqual(interval)
          expect(seconds).toBeLessThanOrEqual(interval * 1.2 + 1e-9)
        },
      ),
    )
    expect(withJitter(0, 0.7)).toBe(0)
  })

  it('double with every failure, up to five minutes', () => {
    expect([0, 1, 2, 3, 4, 99].map(backoffSeconds)).toEqual([5, 5, 10, 20, 40, 300])
  })
})
