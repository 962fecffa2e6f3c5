import { expect, test } from 'vitest'
import { type WaitDeps, waitUntilDue } from './wait-until-due'

type Snapshot = Awaited<ReturnType<WaitDeps['read']>>

const active: Exclude<Snapshot, 'gone' | null> = {
  status: 'active',
  channel: 'extension',
  waiting: false,
  waitingFor: { reason: 'cap', until: '2026-01-02T00:00:00Z' },
  dmsQueuedCount: 3,
}

/**
 * Waits for up to an hour. Each read of the campaign returns the next of these values.
 * @returns how long it waited, in milliseconds
 */
async function wait(seen: Snapshot[], { wakesAfter }: { wakesAfter?: number } = {}) {
  let at = 0
  const slices: number[] = []
  await waitUntilDue(3_600_000, {
    read: async () => (seen.length > 1 ? (seen.shift() as Snapshot) : (seen[0] as Snapshot)),
    async sleep(ms) {
      slices.push(ms)
      at += slices.length === 1 ? (wakesAfter ?? ms) : ms
    },
    now: () => at,
  })
  expect(Math.max(0, ...slices)).toBeLessThanOrEqual(5_000)
  return at
}

test('waits the whole time, with checks in between, if nothing changes', async () => {
  expect(await wait([active])).toBe(3_600_000)
  expect(await wait([null])).toBe(3_600_000)
})

test('ends within seconds after the campaign is stopped, or immediately if this page did it', async () => {
  for (const change of [{ status: 'paused' }, { status: 'completed' }, { channel: 'api' }] as const)
    expect(await wait([active, active, null, { ...active, ...change }])).toBe(15_000)
  expect(await wait([active, { ...active, status: 'paused' }], { wakesAfter: 20 })).toBe(20)
})

test('ends at the next check if the campaign is gone', async () => {
  expect(await wait(['gone'])).toBe(0)
  expect(await wait([active, null, 'gone'])).toBe(10_000)
})

test('ends when the reason to wait changes: a raised cap, its turn or another sender', async () => {
  for (const change of [{ waitingFor: null }, { waiting: true }, { dmsQueuedCount: 2 }])
    expect(await wait([active, active, { ...active, ...change }])).toBe(10_000)
  // A failed first read is not a change.
  expect(await wait([null, active, active, { ...active, waitingFor: null }])).toBe(15_000)
})

test('does not poll during a short wait', async () => {
  let at = 0
  await waitUntilDue(2_000, {
    read: () => Promise.reject(new Error('asked')),
    sleep: async (ms) => {
      at += ms
    },
    now: () => at,
  })
  expect(at).toBe(2_000)
})
