import { expect, test } from 'vitest'
import { type WaitDeps, waitUntilDue } from './wait-until-due'

type Seen = Awaited<ReturnType<WaitDeps['look']>>

const active: Exclude<Seen, 'gone' | null> = {
  status: 'active',
  channel: 'extension',
  waiting: false,
  waitingFor: { reason: 'cap', until: '2026-01-02T00:00:00Z' },
  dmsQueuedCount: 3,
}

/** How long it waited for what is due in an hour, where the campaign is read as this, and then as that, and so on. */
async function rest(seen: Seen[], { wakesAfter }: { wakesAfter?: number } = {}) {
  let at = 0
  const slices: number[] = []
  await waitUntilDue(3_600_000, {
    look: async () => (seen.length > 1 ? (seen.shift() as Seen) : (seen[0] as Seen)),
    async sleep(ms) {
      slices.push(ms)
      at += slices.length === 1 ? (wakesAfter ?? ms) : ms
    },
    now: () => at,
  })
  expect(Math.max(0, ...slices)).toBeLessThanOrEqual(5_000)
  return at
}

test('where nothing changes it waits the time out, in slices', async () => {
  expect(await rest([active])).toBe(3_600_000)
  expect(await rest([null])).toBe(3_600_000)
})

test('a campaign that is sent no more is seen within seconds; at once where this page has paused it', async () => {
  for (const gone of [{ status: 'paused' }, { status: 'completed' }, { channel: 'api' }] as const)
    expect(await rest([active, active, null, { ...active, ...gone }])).toBe(15_000)
  expect(await rest([active, { ...active, status: 'paused' }], { wakesAfter: 20 })).toBe(20)
})

test('a campaign that is gone ends the wait at the next look', async () => {
  expect(await rest(['gone'])).toBe(0)
  expect(await rest([active, null, 'gone'])).toBe(10_000)
})

test('so is what it waits for: a raised cap, its turn, or what another sender held', async () => {
  for (const change of [{ waitingFor: null }, { waiting: true }, { dmsQueuedCount: 2 }])
    expect(await rest([active, active, { ...active, ...change }])).toBe(10_000)
  // What could not be read at first is no change.
  expect(await rest([null, active, active, { ...active, waitingFor: null }])).toBe(15_000)
})

test('a short one asks nobody', async () => {
  let at = 0
  await waitUntilDue(2_000, {
    look: () => Promise.reject(new Error('asked')),
    sleep: async (ms) => {
      at += ms
    },
    now: () => at,
  })
  expect(at).toBe(2_000)
})
