import type { Import } from '@x-automated/contract/leads/imports'
import { expect, test } from 'vitest'
import { importToShow } from './use-import'

const one = (id: string, status: Import['status']) => ({ id, status }) as Import

test('shows a running import, even if a newer one has finished, unless the user has left it', () => {
  const known = [one('c', 'completed'), one('b', 'running'), one('a', 'running')]
  expect(importToShow(known, null)?.id).toBe('b')
  expect(importToShow(known, 'b')?.id).toBe('a')
  expect(importToShow(known.slice(0, 1), null)).toBeUndefined()
})
