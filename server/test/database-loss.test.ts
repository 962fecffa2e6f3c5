import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { call, connectX, makePerson, type Person, subscribe } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { arrived, completed, eventually, expectCountsRight, launch, makeList, openHandles } from './outreach.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})

/** Ends every connection to the app's database, as often as it is called, from a connection to another one. */
async function openTerminator(): Promise<() => Promise<number>> {
  const client = new pg.Client({ connectionString: inject('clusterUrl') })
  await client.connect()
  onTestFinished(() => client.end())
  const name = new URL(app.databaseUrl).pathname.slice(1)
  return async () => {
    const { rowCount } = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    )
    return rowCount ?? 0
  }
}

interface Load {
  answers: { status: number; body: { code?: string; success?: boolean }; retryAfter: string | null; ms: number }[]
  stop(): Promise<void>
}

/** Calls the server over and over, several calls at a time: some read, some write, some carry an Idempotency-Key. */
async function putUnderLoad(server: ServerProcess, callers = 8): Promise<Load> {
  // One person may make 600 calls a minute.
  const people = await Promise.all(Array.from({ length: callers }, () => makePerson(app)))
  const answers: Load['answers'] = []
  let isOver = false
  const caller = async (person: Person, number: number) => {
    for (let round = 0; !isOver; round += 1) {
      const [method, path, body] = [
        ['GET', '/lists'] as const,
        ['POST', '/lists', { name: `List ${number} ${round}` }] as const,
        ['GET', '/leads?pageSize=10'] as const,
        ['POST', '/waitlist/position', { email: 'nobody@example.com' }] as const,
      ][round % 4]!
      const headers: Record<string, string> = { authorization: `Bearer ${person.token}` }
      if (round % 8 === 1) headers['idempotency-key'] = `${number} ${round}`
      const since = performance.now()
      const answer = await call({ url: `${server.origin}/api` }, method, path, body, headers)
      answers.push({
        status: answer.status,
        body: answer.body,
        retryAfter: answer.headers.get('retry-after'),
        ms: performance.now() - since,
      })
      await sleep(100)
    }
  }
  const running = Promise.allSettled(people.map(caller))
  onTestFinished(() => {
    isOver = true
  })
  return {
    answers,
    async stop() {
      isOver = true
      for (const one of await running) if (one.status === 'rejected') throw one.reason
    },
  }
}

function expectOnlyUnavailable({ answers }: Load): void {
  const failed = answers.filter(({ status }) => status >= 500)
  expect(failed.filter(({ body }) => body.code !== 'UNAVAILABLE' || body.success !== false)).toEqual([])
  expect(failed.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) >= 1))).toEqual([])
}

const isReady = async ({ origin }: ServerProcess) => (await fetch(`${origin}/readyz`)).status === 200

describe('when all connections to the database are terminated, again and again', () => {
  it('the process survives, answers 503 meanwhile, and sends every message once', async () => {
    const person = await makePerson(app)
    await subscribe(app, person)
    await connectX(app, person)
    const list = await makeList(app, person, openHandles(120))
    const server = await startProcess(app)
    const terminate = await openTerminator()
    const load = await putUnderLoad(server)
    const campaign = await launch(person, list)
    let ended = 0
    for (let round = 0; round < 30 && server.isRunning(); round += 1) {
      await sleep(30 + (round % 5) * 60)
      ended += await terminate()
    }
    expect(server.isRunning(), server.output()).toBe(true)
    expect(ended).toBeGreaterThan(30)
    const since = performance.now()
    await eventually(() => isReady(server), 'the server is ready again')
    expect(performance.now() - since).toBeLessThan(5_000)
    await completed(person, campaign.id, 40_000)
    await load.stop()
    expect(server.isRunning(), server.output()).toBe(true)
    expectOnlyUnavailable(load)
    expect(load.answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    const received = (await arrived(app)).map(({ to }) => to)
    expect(received.toSorted()).toEqual(list.handles.toSorted())
    await expectCountsRight(app)
    expect(await server.end()).toBe(0)
  })
})
