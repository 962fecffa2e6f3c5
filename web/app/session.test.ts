import { expect, test, vi } from 'vitest'
import { session, workspaceValue } from './session'

test('keeps a value for one workspace', () => {
  const current = vi.spyOn(session, 'workspaceId').mockReturnValue('a')
  const store = workspaceValue('')
  store.set('draft')
  expect(store.get()).toBe('draft')
  current.mockReturnValue('b')
  expect(store.get()).toBe('')
})
