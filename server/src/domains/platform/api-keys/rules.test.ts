import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isKey, keyOf } from './rules.ts'

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((array) => Buffer.from(array))

it('writes keys of one length, each different, that it recognizes', () => {
  fc.assert(
    fc.property(bytes, bytes, (first, other) => {
      expect(keyOf(first)).toMatch(/^xa_live_[0-9A-Za-z]{49}$/)
      expect(isKey(keyOf(first))).toBe(true)
      expect(keyOf(first) === keyOf(other)).toBe(first.equals(other))
    }),
  )
  expect(keyOf(Buffer.alloc(32))).toMatch(/^xa_live_0{43}/)
  expect(keyOf(Buffer.alloc(32, 255)).slice(8, 51)).not.toMatch(/^0/)
})

it('does not recognize a key with a typing error', () => {
  fc.assert(
    fc.property(bytes, fc.integer({ min: 8, max: 56 }), (random, index) => {
      const key = keyOf(random)
      const typed = key[index] === 'a' ? 'b' : 'a'
      expect(isKey(key.slice(0, index) + typed + key.slice(index + 1))).toBe(false)
    }),
  )
  for (const text of [
    '',
    'xa_live_',
    `${keyOf(Buffer.alloc(32))}0`,
    keyOf(Buffer.alloc(32)).replace('xa_live', 'xa_test'),
  ])
    expect(isKey(text)).toBe(false)
})
