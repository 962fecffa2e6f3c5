import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type pg from 'pg'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { createLimits, type Limits } from './limits.ts'
import { callCounts } from './tables.ts'

let app: TestApp
let limits: Limits
let userId: string
/** Queries of the database that wait to be let through, or to fail. */
let waiting: { pass(): void; fail(): void }[]
beforeAll(async () => {
  app = await openApp()
})
beforeEach(() => {
  // All within one minute.
  vi.useFakeTimers({ toFake: ['Date'] })
  userId = randomUUID()
  waiting = []
  const { besides } = app.services.database
  const held = {
    query: (text: string, values: unknown[]) =>
      new Promise((resolve, reject) => {
        waiting.push({
          pass: () => resolve(besides.query(text, values)),
          fail: () => reject(new Error('the connection broke')),
        })
      }),
  }
  limits = createLimits(held as unknown as pg.Pool, { callsAMinute: 10 })
})
afterEach(async () => {
  vi.useRealTimers()
  for (const query of waiting) query.pass()
  await limits.close()
})

const call = (times: number) => {
  let refused = 0
  for (let i = 0; i < times; i += 1) {
    try {
      limits.spendCall(userId)
    } catch {
      refused += 1
    }
  }
  return refused
}
const counted = async () => (await app.db.select().from(callCounts).where(eq(callCounts.userId, userId)))[0]?.calls
const isAsked = (times: number) => vi.waitUntil(() => waiting.length === times, 5_000)

it('calls count while the database is slow to hear of them, which is told once at a time', async () => {
  expect(call(6)).toBe(0)
  await isAsked(1)
  expect(call(6)).toBe(2)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(waiting).toHaveLength(1)
  waiting[0]?.pass()
  await isAsked(2)
  expect(call(1)).toBe(1)
  waiting[1]?.pass()
  await vi.waitUntil(async () => (await counted()) === 10, 5_000)
  expect(call(1)).toBe(1)
})

it('calls count though the database did not hear of them, and it hears of them later', async () => {
  expect(call(10)).toBe(0)
  await isAsked(1)
  waiting[0]?.fail()
  await isAsked(2)
  expect(call(1)).toBe(1)
  waiting[1]?.pass()
  await vi.waitUntil(async () => (await counted()) === 10, 5_000)
})

it('calls of other processes count', async () => {
  const minute = Math.floor(Date.now() / 60_000)
  await app.db.insert(callCounts).values({ userId, minute, calls: 7 })
  expect(call(2)).toBe(0)
  await isAsked(1)
  waiting[0]?.pass()
  await vi.waitUntil(async () => (await counted()) === 9, 5_000)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(call(3)).toBe(2)
})
