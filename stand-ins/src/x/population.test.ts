import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shuffle } from './hash.ts'
import { HANDLE } from './ids.ts'
import { handleOf, memberOf, POPULATION, peopleOf } from './population.ts'
import { FIRST_NAMES, HANDLE_ENDS } from './vocabulary.ts'

test('permutes every number exactly once and inverts the permutation', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer(), (size, key) => {
      const order = shuffle(size, key)
      const values = Array.from({ length: size }, (_, index) => order.at(index))
      expect(new Set(values).size).toBe(size)
      expect(Math.max(...values)).toBe(size - 1)
      expect(values.every((value, index) => order.indexOf(value) === index)).toBe(true)
    }),
  )
})

test('gives everyone a unique handle, whichever way names and endings are joined', () => {
  const joined = FIRST_NAMES.flatMap((name) => HANDLE_ENDS.map((end) => name + end))
  expect(new Set(joined).size).toBe(FIRST_NAMES.length * HANDLE_ENDS.length)
})

test('finds everyone by their handle, which is valid on X and decodable from its id', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: POPULATION - 1 }), (person) => {
      const handle = handleOf(person)
      expect(memberOf(handle)?.person).toBe(person)
      expect(HANDLE.test(handle) && handle.length <= 12).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('returns undefined for handles outside the population', () => {
  for (const handle of ['bigfounder', 'lena', 'lena_dev0', 'lena_dev7', 'lenadev42', 'open_00a7', '_', '42']) {
    expect(memberOf(handle), handle).toBeUndefined()
  }
})

test('includes exactly the members of a list', () => {
  for (const trait of [undefined, 'open']) {
    const people = peopleOf('followers:somebody', 500, trait)
    const handles = Array.from({ length: 500 }, (_, index) => people.handleAt(index))
    expect(new Set(handles.map((handle) => handle.toLowerCase())).size).toBe(500)
    expect(handles.every((handle) => people.includes(handle))).toBe(true)
    expect(people.includes(peopleOf('followers:another', 1, trait).handleAt(0))).toBe(false)
    expect(people.includes('bigfounder')).toBe(false)
  }
})
