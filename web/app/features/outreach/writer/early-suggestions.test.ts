import type { DraftsDone } from '@x-automated/contract/outreach/writer'
import { beforeEach, expect, test, vi } from 'vitest'
import { storedTexts, storeTexts, suggest } from './early-suggestions'

const { readDrafts } = vi.hoisted(() => ({ readDrafts: vi.fn() }))
vi.mock('./use-drafts', () => ({ readDrafts }))
vi.mock('../../../typed-text', () => ({ typedKey: () => 'typed.suggestions.me.workspace' }))
beforeEach(() => void readDrafts.mockReset())

const done = (...texts: string[]) =>
  ({ drafts: texts.map((text) => ({ text, factsUsed: [] })) }) as unknown as DraftsDone

test('asks once per message, and again once the lead has written more', async () => {
  readDrafts.mockResolvedValueOnce(done('First', 'Second')).mockResolvedValueOnce(done('Third'))
  expect(await suggest('ann', 'm1')).toEqual(['First', 'Second'])
  expect(await suggest('ann', 'm1')).toEqual(['First', 'Second'])
  expect(await suggest('ann', 'm2')).toEqual(['Third'])
  expect(storedTexts('ann', 'm1')).toBeUndefined()
  expect(readDrafts).toHaveBeenCalledTimes(2)
})

test('shows nothing after an error, such as a used budget, and does not ask again', async () => {
  readDrafts.mockRejectedValueOnce(new Error('BUDGET_EXCEEDED'))
  expect(await suggest('bob', 'm1')).toEqual([])
  expect(await suggest('bob', 'm1')).toEqual([])
  expect(readDrafts).toHaveBeenCalledTimes(1)
})

test('does not ask again after a reload while the model was writing', async () => {
  readDrafts.mockReturnValueOnce(new Promise(() => {}))
  void suggest('cy', 'm1')
  expect(storedTexts('cy', 'm1')).toEqual([])
})

test('suggestions dropped while the model was writing do not return', async () => {
  const { promise, resolve } = Promise.withResolvers<DraftsDone>()
  readDrafts.mockReturnValueOnce(promise)
  const suggested = suggest('dee', 'm1')
  storeTexts({ conversationId: 'dee', messageId: 'm1', texts: [] })
  resolve(done('Late'))
  expect(await suggested).toEqual([])
  expect(storedTexts('dee', 'm1')).toEqual([])
})

test('late suggestions do not replace those for a newer message', async () => {
  const { promise, resolve } = Promise.withResolvers<DraftsDone>()
  readDrafts.mockReturnValueOnce(promise).mockResolvedValueOnce(done('New'))
  const late = suggest('eve', 'm1')
  await suggest('eve', 'm2')
  resolve(done('Old'))
  expect(await late).toEqual([])
  expect(storedTexts('eve', 'm2')).toEqual(['New'])
})
