import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { expect, test, vi } from 'vitest'
import { beginAnswer, leaveQueued, nextWaiting, nextWaitingAfter, queueAnswer, queuedAnswer } from './answers-under-way'

const row = (id: string, change: Partial<Conversation> & { isOurs?: boolean } = {}) => ({
  id,
  status: 'open' as const,
  label: 'interested' as const,
  suppression: 'none' as const,
  lastMessage: { isOurs: change.isOurs ?? false },
  ...change,
})

test('opens the next person below the open one, then starts again at the top', () => {
  const rows = [row('a'), row('b'), row('c')]
  expect(nextWaiting(rows, 'a')?.id).toBe('b')
  expect(nextWaiting(rows, 'c')?.id).toBe('a')
  expect(nextWaiting(rows, null)?.id).toBe('a')
  expect(nextWaiting(rows, 'elsewhere')?.id).toBe('a')
})

test('skips people who do not wait, and those who are being answered', () => {
  const rows = [
    row('open'),
    row('ours', { isOurs: true }),
    row('refused', { label: 'not_interested' }),
    row('booked', { label: 'booked' }),
    row('done', { status: 'done' }),
    row('suppressed', { suppression: 'suppressed' }),
    row('answering'),
    row('unlabeled', { label: null }),
  ]
  const endAnswer = beginAnswer('answering')
  expect(nextWaiting(rows, 'open')?.id).toBe('unlabeled')
  expect(nextWaiting(rows.slice(0, -1), 'open')).toBeUndefined()
  endAnswer()
  expect(nextWaiting(rows, 'open')?.id).toBe('answering')
})

test('a queued answer is not sent after its conversation was left, but waits for the box that replaces the first', () => {
  queueAnswer('ann', 'Yes')
  expect(leaveQueued('ann', true)).toBe(false)
  expect(queuedAnswer('ann')).toBe('Yes')
  expect(leaveQueued('ann', false)).toBe(true)
  expect(queuedAnswer('ann')).toBeNull()
  expect(leaveQueued('ann', false)).toBe(false)
})

test('looks for the next person page by page, until the user opens someone else', async () => {
  const pages: Record<string, { conversations: ReturnType<typeof row>[]; cursor: string | null }> = {
    2: { conversations: [row('ours', { isOurs: true })], cursor: '3' },
    3: { conversations: [row('open'), row('waits')], cursor: '4' },
  }
  const load = vi.fn(async (cursor: string) => pages[cursor]!)
  expect((await nextWaitingAfter('2', 'open', load, () => false))?.id).toBe('waits')
  expect(load.mock.calls).toEqual([['2'], ['3']])
  expect(await nextWaitingAfter('2', 'open', load, () => load.mock.calls.length > 2)).toBeUndefined()
  expect(load).toHaveBeenCalledTimes(3)
  expect(await nextWaitingAfter(null, 'open', load, () => false)).toBeUndefined()
})
