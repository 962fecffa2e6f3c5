import { expect, test, vi } from 'vitest'
import { keptPerWorkspace } from './kept-per-workspace'
import { session } from './session'

test('keeps a value for one workspace', () => {
  const current = vi.spyOn(session, 'workspaceId').mockReturnValue('a')
  const kept = keptPerWorkspace('')
  kept.set('draft')
  expect(kept.get()).toBe('draft')
  current.mockReturnValue('b')
  expect(kept.get()).toBe('')
})
