import type { Import } from '@x-automated/contract/leads/imports'
import { expect, test } from 'vitest'
import { importToShow } from './use-import'

const importWith = (id: string, status: Import['status']) => ({ id, status }) as Import

test('shows a running import, even if a newer one has finished, unless the user has left it', () => {
  const imports = [importWith('c', 'completed'), importWith('b', 'running'), importWith('a', 'running')]
  expect(importToShow(imports, null)?.id).toBe('b')
  expect(importToShow(imports, 'b')?.id).toBe('a')
  expect(importToShow(imports.slice(0, 1), null)).toBeUndefined()
})
