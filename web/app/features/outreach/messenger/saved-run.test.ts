import type { Lead } from '@x-automated/contract/leads/leads'
import { afterEach, expect, test, vi } from 'vitest'
import {
  discardRun,
  loadLastMessage,
  loadResults,
  loadRun,
  RESULTS_MAX,
  saveLastMessage,
  saveResults,
  saveRun,
} from './saved-run'

afterEach(() => vi.useRealTimers())

function open(room = 10_000) {
  const stored = new Map<string, string>()
  return {
    stored,
    getItem: (key: string) => stored.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > room) throw new Error('QuotaExceededError')
      stored.set(key, value)
    },
    removeItem: (key: string) => void stored.delete(key),
  }
}

const lead = { id: '1', name: 'Ada', twitterHandle: 'ada', bio: 'Not to be kept.' } as Lead
const ME = 'me workspace'
const run = { runId: 'run', message: 'Hi {{name}}', allowRepeat: false, leads: [lead] }

test('restores a run for its owner, with only the lead fields it needs', () => {
  const storage = open()
  saveRun(storage, ME, 'me', run)
  expect(loadRun(storage, ME)).toMatchObject({
    ...run,
    leads: [{ id: '1', name: 'Ada', twitterHandle: 'ada' }],
  })
  expect([...storage.stored.values()].join()).not.toContain('Not to be kept.')
  expect(loadRun(storage, 'another user')).toBeNull()
  discardRun(storage)
  expect(loadRun(storage, ME)).toBeNull()
})

test('does not restore a run after the server may have expired its idempotency keys', () => {
  vi.useFakeTimers()
  const storage = open()
  saveRun(storage, ME, 'me', run)
  vi.advanceTimersByTime(22 * 3_600_000)
  expect(loadRun(storage, ME)).not.toBeNull()
  vi.advanceTimersByTime(3_600_000)
  expect(loadRun(storage, ME)).toBeNull()
})

test('does not store finished or oversized runs, and ignores foreign values', () => {
  const storage = open()
  saveRun(storage, ME, 'me', run)
  saveRun(storage, ME, 'me', { ...run, leads: [] })
  expect(storage.stored.size).toBe(0)
  const full = open(10)
  full.stored.set('messengerRun', '{}')
  saveRun(full, ME, 'me', run)
  expect(full.stored.size).toBe(0)
  for (const value of ['{', 'null', '7', '{"owner":"me workspace"}']) {
    storage.stored.set('messengerRun', value)
    expect(loadRun(storage, ME)).toBeNull()
  }
})

test('does not store a run whose owner has signed out', () => {
  const storage = open()
  for (const signedInAs of [null, 'm', 'another user']) saveRun(storage, ME, signedInAs, run)
  expect(storage.stored.size).toBe(0)
})

test('restores the last message for its owner', () => {
  const storage = open()
  expect(loadLastMessage(storage, ME)).toBeNull()
  saveLastMessage(storage, ME, 'Hi {{name}}')
  expect([loadLastMessage(storage, ME), loadLastMessage(storage, 'another user')]).toEqual(['Hi {{name}}', null])
})

test('restores the latest results for their owner', () => {
  const storage = open(100_000)
  const results = Array.from({ length: RESULTS_MAX + 1 }, (_, index) => ({
    lead: { id: String(index), name: '', twitterHandle: `lead_${index}` },
    result: { kind: 'sent' as const },
  }))
  saveResults(storage, ME, results)
  expect(loadResults(storage, ME)).toEqual(results.slice(1))
  expect(loadResults(storage, 'another user')).toEqual([])
  for (const value of ['{', 'null', '{"owner":"me workspace"}']) {
    storage.stored.set('messengerResults', value)
    expect(loadResults(storage, ME)).toEqual([])
  }
})
