import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCursor, writeCursor } from './rules.ts'

describe('cursors', () => {
  it('survive a round trip', () => {
    const position = fc.record({ referralCount: fc.nat(), lastCredit: fc.maxSafeNat(), rank: fc.nat() })
    fc.assert(
      fc.property(position, (p) => {
        expect(readCursor(writeCursor(p))).toEqual(p)
      }),
    )
  })

  it('rejects malformed cursors', () => {
    fc.assert(fc.property(fc.string(), (text) => readCursor(text) === null))
    for (const value of ['[1,2]', '[1,2,"3"]', '[-1,2,3]', '[3000000000,2,3]', '{}'])
      expect(readCursor(Buffer.from(value).toString('base64url'))).toBeNull()
  })
})
