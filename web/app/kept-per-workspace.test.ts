import { expect, test, vi } from 'vitest'
import { keptPerWorkspace } from './kept-per-workspace'
import { session } from './session'

test('keeps a value until the workspace changes', () => {
  const current = vi.spyOn(session, 'workspaceId').mockReturnValue('a')
  const kept = keptPerWorkspace('')
  kept.set('draft')
  expect(kept.get()).toBe('draft')
  current.mockReturnValue('b')
  expect(kept.get()).toBe('')
})
