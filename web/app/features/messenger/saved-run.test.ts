import type { Lead } from '@x-automated/contract/leads'
import { afterEach, expect, test, vi } from 'vitest'
import { discardRun, loadRun, saveRun } from './saved-run'

afterEach(() => vi.useRealTimers())

function open(room = 10_000) {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > room) throw new Error('QuotaExceededError')
      kept.set(key, value)
    },
    removeItem: (key: string) => void kept.delete(key),
  }
}

const lead = { id: '1', name: 'Ada', twitterHandle: 'ada', bio: 'Not to be kept.' } as Lead
const ME = 'me workspace'
const run = { runId: 'run', message: 'Hi {{name}}', allowRepeat: false, leads: [lead] }

test('what is left of a run is there again for who began it, with no more of its leads than it needs', () => {
  const storage = open()
  saveRun(storage, ME, 'me', run)
  expect(loadRun(storage, ME)).toMatchObject({
    ...run,
    leads: [{ id: '1', name: 'Ada', twitterHandle: 'ada' }],
  })
  expect([...storage.kept.values()].join()).not.toContain('Not to be kept.')
  expect(loadRun(storage, 'somebody else')).toBeNull()
  discardRun(storage)
  expect(loadRun(storage, ME)).toBeNull()
})

test('it is not gone on with once the server may have forgotten what it was asked', () => {
  vi.useFakeTimers()
  const storage = open()
  saveRun(storage, ME, 'me', run)
  vi.advanceTimersByTime(22 * 3_600_000)
  expect(loadRun(storage, ME)).not.toBeNull()
  vi.advanceTimersByTime(3_600_000)
  expect(loadRun(storage, ME)).toBeNull()
})

test('nothing is kept of one that is done, that has no room, or that was not written by us', () => {
  const storage = open()
  saveRun(storage, ME, 'me', run)
  saveRun(storage, ME, 'me', { ...run, leads: [] })
  expect(storage.kept.size).toBe(0)
  const full = open(10)
  full.kept.set('messengerRun', '{}')
  saveRun(full, ME, 'me', run)
  expect(full.kept.size).toBe(0)
  for (const value of ['{', 'null', '7', '{"owner":"me workspace"}']) {
    storage.kept.set('messengerRun', value)
    expect(loadRun(storage, ME)).toBeNull()
  }
})

test('nothing is kept of whom was signed out while it ran', () => {
  const storage = open()
  for (const signedInAs of [null, 'm', 'somebody else']) saveRun(storage, ME, signedInAs, run)
  expect(storage.kept.size).toBe(0)
})
