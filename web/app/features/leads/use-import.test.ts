import { ORPCError } from '@orpc/client'
import type { Import } from '@x-automated/contract/imports'
import { expect, test } from 'vitest'
import { looksAgain, toShow } from './use-import'

const one = (id: string, status: Import['status']) => ({ id, status }) as Import

test('an import that is under way shows itself, also behind one that has ended, unless it was left', () => {
  const known = [one('c', 'completed'), one('b', 'running'), one('a', 'running')]
  expect(toShow(known, null)?.id).toBe('b')
  expect(toShow(known, 'b')?.id).toBe('a')
  expect(toShow(known.slice(0, 1), null)).toBeUndefined()
})

test('it is looked at again while it is under way, and where it could not be asked for', () => {
  const answered = (data: Import) => looksAgain({ data, error: null })
  expect([answered(one('a', 'running')), answered(one('a', 'failed'))]).toEqual([1_000, false])
  const failed = (code: string) => looksAgain({ data: undefined, error: new ORPCError(code, { status: 503 }) })
  expect([failed('UNAVAILABLE'), failed('IMPORT_NOT_FOUND')]).toEqual([1_000, false])
  expect(looksAgain({ data: undefined, error: null })).toBe(false)
})
