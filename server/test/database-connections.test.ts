import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { withAccount } from '../src/domains/platform/x-account/tokens.ts'
import { serve } from '../src/run.ts'
import { call, connectX, makePerson, type Person, subscribe } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { arrived, completed, launch, makeList, openHandles, setFaults } from './outreach.ts'
import { startProcess } from './server-process.ts'
import { expireTokens } from './x-accounts.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})

/**
 * Makes many concurrent calls as several people: reads, and writes inside and outside transactions.
 */
async function callALot(origin: string, people: Person[], rounds: number): Promise<{ status: number; ms: number }[]> {
  const results: { status: number; ms: number }[] = []
  const callOnce = async (person: Person, method: string, path: string, body?: unknown, key?: string) => {
    const since = performance.now()
    const headers = { authorization: `Bearer ${person.token}`, ...(key ? { 'idempotency-key': key } : {}) }
    const { status } = await call({ url: `${origin}/api` }, method, path, body, headers)
    results.push({ status, ms: performance.now() - since })
  }
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      people.flatMap((person, i) => [
        callOnce(person, 'GET', '/leads?pageSize=10'),
        callOnce(person, 'GET', '/campaigns'),
        callOnce(person, 'GET', '/analytics'),
        callOnce(person, 'POST', '/lists', { name: `List ${i} ${round}` }),
        callOnce(person, 'POST', '/lists', { name: `Keyed list ${i} ${round}` }, `${i} ${round}`),
      ]),
    )
  }
  return results
}

describe.each([
  ['15 connections by default', {}, 15],
  ['6 connections', { DATABASE_POOL_MAX: '6' }, 6],
  ['5 connections', { DATABASE_POOL_MAX: '5' }, 5],
])('a process with %s', (_, env, most) => {
  it('opens no more than allowed under load, answers every call and sends every message', async () => {
    const name = `counted ${most}`
    const url = new URL(app.databaseUrl)
    url.searchParams.set('application_name', name)
    const person = await makePerson(app)
    await subscribe(app, person)
    await connectX(app, person)
    const list = await makeList(app, person, openHandles(60))
    const people = await Promise.all(Array.from({ length: 6 }, () => makePerson(app)))
    const before = (await arrived(app)).length
    const server = await startProcess(app, { DATABASE_URL: url.href, ...env })

    const counts: number[] = []
    let isOver = false
    const counting = (async () => {
      while (!isOver) {
        const { rows } = await app.db.execute<{ n: number }>(
          sql`select count(*)::int as n from pg_stat_activity where application_name = ${name}`,
        )
        counts.push(rows[0]?.n ?? 0)
        await sleep(10)
      }
    })()
    const campaign = await launch(person, list)
    const results = await callALot(server.origin, people, 6)
    await completed(person, campaign.id)
    isOver = true
    await counting

    // With few connections, or on a slow machine, some calls wait too long for their turn.
    expect(results.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
    expect(results.filter(({ status }) => status === 200).length).toBeGreaterThan(results.length / 2)
    expect((await arrived(app)).length - before).toBe(60)
    expect(Math.max(...counts)).toBeLessThanOrEqual(most)
    // Enough connections must have been open at the same time, or the count proves nothing.
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(Math.min(most, 6))
  })
})

it('renews few tokens at a time, so that a slow X leaves connections for everything else', async () => {
  const other = await openApp({ x: true, env: { DATABASE_POOL_MAX: '6' } })
  const people = await Promise.all(Array.from({ length: 6 }, () => makePerson(other)))
  const accounts = await Promise.all(people.map((person) => connectX(other, person)))
  await expireTokens(other, {}, new Date())
  await setFaults(other, { method: 'POST', path: '/2/oauth2/token', delayMs: 4_000, times: 20 })
  let renewed = 0
  const renew = async ({ id }: { id: string }) => {
    await withAccount(other.services, id, async () => {})
    renewed += 1
  }
  const renewals = Promise.all(accounts.map(renew))
  await sleep(300)
  expect((await people[0]!.call('GET', '/lists')).status).toBe(200)
  expect(renewed).toBe(0)
  await renewals
  expect(renewed).toBe(6)
})

it('requires DATABASE_URL', async () => {
  await expect(serve({ AUTH_SECRET: app.env.authSecret })).rejects.toThrow('DATABASE_URL is required')
})

it('rejects a pool size that cannot work', async () => {
  await expect(startProcess(app, { DATABASE_POOL_MAX: '4' })).rejects.toThrow(
    /DATABASE_POOL_MAX must be at least 5: the server needs that many connections to its database/,
  )
})
