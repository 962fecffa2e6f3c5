import { expect, test, vi } from 'vitest'
import { createDraftSaves } from './use-saved-draft'

test('saves a draft again if its deletion failed', async () => {
  const send = vi.fn(async (_text: string) => {}).mockRejectedValueOnce(new TypeError('offline'))
  const saves = createDraftSaves('Hello', send)
  saves.save('')
  await saves.settled()
  saves.save('')
  saves.save('')
  expect(send.mock.calls).toEqual([[''], ['']])
})
