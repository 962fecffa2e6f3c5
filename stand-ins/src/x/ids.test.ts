import fc from 'fast-check'
import { expect, test } from 'vitest'
import { handleOfId, idOfHandle } from './ids.ts'

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789_']
const handle = (maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength }).map((characters) => characters.join(''))

test('decodes the id of a handle of up to 12 characters', () => {
  fc.assert(fc.property(handle(12), (name) => handleOfId(idOfHandle(name)) === name))
})

test('creates unique decimal ids that fit into 63 bits', () => {
  fc.assert(
    fc.property(fc.uniqueArray(handle(15), { maxLength: 50 }), (names) => {
      const ids = names.map(idOfHandle)
      expect(new Set(ids).size).toBe(names.length)
      for (const id of ids) expect(/^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n).toBe(true)
    }),
  )
})

test('ignores the case of a handle', () => {
  expect(idOfHandle('BigFounder')).toBe(idOfHandle('bigfounder'))
  expect(idOfHandle('Averylonghandle')).toBe(idOfHandle('averylonghandle'))
})

test('returns no handle for an unknown id', () => {
  expect(handleOfId('0')).toBeUndefined()
  expect(handleOfId('9223372036854775807')).toBeUndefined()
})
