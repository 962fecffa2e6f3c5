import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { client } from '../../../api'
import { toast } from '../../../ui/toast'
import { undoJobs } from './use-start-job'

vi.mock('../../../api', async (load) => ({
  ...(await load<typeof import('../../../api')>()),
  client: { jobs: { undo: vi.fn(), find: vi.fn() } },
}))

test('follows the undos that began if another one is refused, also while calls are limited', async () => {
  const undoing = { id: 'u', kind: 'tag', status: 'running', changed: 0, undoes: 'b', undoUntil: null, undoneBy: null }
  vi.mocked(client.jobs.undo)
    .mockRejectedValueOnce(new Error('This job has already been undone.'))
    .mockResolvedValueOnce(undoing as never)
  vi.mocked(client.jobs.find)
    .mockRejectedValueOnce({ status: 429 })
    .mockResolvedValueOnce({ ...undoing, status: 'completed', changed: 3 } as never)
  const [success, error] = [vi.spyOn(toast, 'success'), vi.spyOn(toast, 'error')]
  await undoJobs(new QueryClient(), [{ id: 'a' }, { id: 'b' }])
  expect(success.mock.calls.map(([text]) => text)).toEqual(['Undone for 3 leads'])
  expect(error.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('Failed to undo')])
})
