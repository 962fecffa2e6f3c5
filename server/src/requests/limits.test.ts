import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type pg from 'pg'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { countCalls } from '../../test/jobs.ts'
import { openApp, type TestApp } from '../../test/open-app.ts'
import { createLimits, type Limits } from './limits.ts'
import { callCounts } from './tables.ts'

/** Calls before each test: 10 are left of 600 in the minute. */
const EARLIER = 590

let app: TestApp
let limits: Limits
let userId: string
/** Database queries that wait until the test lets them pass or fail. */
let waiting: { pass(): void; fail(): void }[]
beforeAll(async () => {
  app = await openApp()
})
beforeEach(() => {
  // Keep all calls within one minute: waiting moves the fake clock too.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 60_000) * 60_000 })
  userId = randomUUID()
  waiting = []
  const { sidePool } = app.services.database
  const held = {
    query: (text: string, values: unknown[]) =>
      new Promise((resolve, reject) => {
        waiting.push({
          pass: () => resolve(sidePool.query(text, values)),
          fail: () => reject(new Error('the connection broke')),
        })
      }),
  }
  limits = createLimits(held as unknown as pg.Pool)
  limits.countCall(userId, EARLIER)
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
      limits.countCall(userId)
    } catch {
      refused += 1
    }
  }
  return refused
}
const counted = async () => (await app.db.select().from(callCounts).where(eq(callCounts.userId, userId)))[0]?.calls
const isAsked = (times: number) => vi.waitUntil(() => waiting.length === times, 60_000)

it('counts calls while the database is slow, with one write at a time', async () => {
  expect(call(6)).toBe(0)
  await isAsked(1)
  expect(call(6)).toBe(2)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(waiting).toHaveLength(1)
  waiting[0]?.pass()
  await isAsked(2)
  expect(call(1)).toBe(1)
  waiting[1]?.pass()
  await vi.waitUntil(async () => (await counted()) === EARLIER + 10, 60_000)
  expect(call(1)).toBe(1)
})

it('counts calls if a write fails, and writes them later', async () => {
  expect(call(10)).toBe(0)
  await isAsked(1)
  waiting[0]?.fail()
  await isAsked(2)
  expect(call(1)).toBe(1)
  waiting[1]?.pass()
  await vi.waitUntil(async () => (await counted()) === EARLIER + 10, 60_000)
})

it('counts calls of other processes', async () => {
  await countCalls(app, userId, 7)
  expect(call(2)).toBe(0)
  await isAsked(1)
  waiting[0]?.pass()
  await vi.waitUntil(async () => (await counted()) === EARLIER + 9, 60_000)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(call(3)).toBe(2)
})
