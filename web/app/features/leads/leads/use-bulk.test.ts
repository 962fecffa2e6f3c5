import { expect, test } from 'vitest'
import { oppositeOf } from './use-bulk'

test('undoes a change of tags only if every tag was changed', () => {
  expect(oppositeOf({ add: ['a', 'b'], remove: [] }, 2)).toEqual({ add: [], remove: ['a', 'b'] })
  expect(oppositeOf({ add: ['a'], remove: ['b'] }, 2)).toEqual({ add: ['b'], remove: ['a'] })
  expect(oppositeOf({ add: ['a', 'b'], remove: [] }, 1)).toBeNull()
})
