import fc from 'fast-check'
import { expect, test } from 'vitest'
import { handleOfId, idOfHandle } from './ids.ts'

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789_']
const handle = (maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength }).map((characters) => characters.join(''))

test('the id of a handle of up to 12 characters leads back to it', () => {
  fc.assert(fc.property(handle(12), (name) => handleOfId(idOfHandle(name)) === name))
})

test('an id is a decimal that fits into 63 bits, and two handles never share one', () => {
  fc.assert(
    fc.property(fc.uniqueArray(handle(15), { maxLength: 50 }), (names) => {
      const ids = names.map(idOfHandle)
      expect(new Set(ids).size).toBe(names.length)
      for (const id of ids) expect(/^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n).toBe(true)
    }),
  )
})

test('the case of a handle does not change its id', () => {
  expect(idOfHandle('BigFounder')).toBe(idOfHandle('bigfounder'))
  expect(idOfHandle('Averylonghandle')).toBe(idOfHandle('averylonghandle'))
})

test('an id of nobody leads to no handle', () => {
  expect(handleOfId('0')).toBeUndefined()
  expect(handleOfId('9223372036854775807')).toBeUndefined()
})
