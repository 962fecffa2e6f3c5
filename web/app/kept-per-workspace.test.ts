import { expect, test, vi } from 'vitest'
import { keptPerWorkspace } from './kept-per-workspace'
import { session } from './session'

test('keeps a value for one workspace', () => {
  const current = vi.spyOn(session, 'workspaceId').mockReturnValue('a')
  const store = keptPerWorkspace('')
  store.set('draft')
  expect(store.get()).toBe('draft')
  current.mockReturnValue('b')
  expect(store.get()).toBe('')
})
