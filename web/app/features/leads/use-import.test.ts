import type { Import } from '@x-automated/contract/imports'
import { expect, test } from 'vitest'
import { toShow } from './use-import'

const one = (id: string, status: Import['status']) => ({ id, status }) as Import

test('an import that is under way shows itself, also behind one that has ended, unless it was left', () => {
  const known = [one('c', 'completed'), one('b', 'running'), one('a', 'running')]
  expect(toShow(known, null)?.id).toBe('b')
  expect(toShow(known, 'b')?.id).toBe('a')
  expect(toShow(known.slice(0, 1), null)).toBeUndefined()
})
