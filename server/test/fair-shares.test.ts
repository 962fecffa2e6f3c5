import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { call, makePerson, type Person, subscribe } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ env: { DATABASE_POOL_MAX: '15' } })
})

/** Makes all statements on a table wait, until the test releases it. */
async function hold(table: string): Promise<() => Promise<void>> {
  const client = new pg.Client(app.databaseUrl)
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  let isHeld = true
  const release = async () => {
    if (isHeld) await client.end()
    isHeld = false
  }
  onTestFinished(release)
  return release
}

/** How many connections of the product wait for a lock. */
async function waiting(): Promise<number> {
  const client = new pg.Client(app.databaseUrl)
  await client.connect()
  const { rows } = await client.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  await client.end()
  return rows.length
}

const timed = async <T extends { status: number }>(calling: Promise<T>) => {
  const since = performance.now()
  const answer = await calling
  return Object.assign(answer, { ms: performance.now() - since })
}

/** What others do meanwhile: sign-ins, joins, the load balancer and members of other workspaces. */
const everybodyElse = (other: Person) => [
  call(app, 'POST', '/auth/sign-in/email', { email: 'nobody@example.com', password: 'wrong password' }),
  call(app, 'POST', '/waitlist/join', { email: `${crypto.randomUUID()}@example.com` }),
  call(app, 'GET', '/waitlist/count'),
  fetch(`${app.origin}/readyz`).then(({ status }) => ({ status })),
  other.call('GET', '/campaigns'),
  other.call('POST', '/lists', { name: crypto.randomUUID() }),
]

describe('a workspace whose requests take long', () => {
  it('holds three connections, gets 429 for what waits 2 seconds, and delays nobody else', async () => {
    const [attacker, other] = await Promise.all([makePerson(app), makePerson(app)])
    // Prepared, so that none of these is new.
    await Promise.all(everybodyElse(other))
    const release = await hold('leads')
    const attack = Array.from({ length: 30 }, () => timed(attacker.call('GET', '/leads?keyword=e&sort=name&page=2000')))
    await expect.poll(waiting, { timeout: 10_000 }).toBeGreaterThanOrEqual(2)

    const answers = await Promise.all(everybodyElse(other).map((calling) => timed<{ status: number }>(calling)))
    expect(answers.map(({ status }) => status)).toEqual([400, 200, 200, 200, 200, 200])
    expect(await waiting()).toBeLessThanOrEqual(3)

    const refused = (await Promise.all(attack)).filter(({ status }) => status === 429)
    await release()
    expect(refused.length).toBeGreaterThan(15)
    expect(refused[0]).toMatchObject({ body: { success: false, code: 'RATE_LIMITED' } })
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(15)
    expect(refused.at(-1)?.headers.get('retry-after')).toBe('2')
  })

  it('shares one connection with all other slow statements, and a second one after a second', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => makePerson(app)))
    const ask = (person: Person) => person.call('GET', '/leads?keyword=founder&sort=name')
    const releaseFirst = await hold('leads')
    const first = ask(people[0] as Person)
    await sleep(150)
    await releaseFirst()
    await first
    const release = await hold('leads')
    const slow = people.map(ask)
    await sleep(400)
    expect(await waiting()).toBe(1)
    await expect.poll(waiting).toBe(2)
    await sleep(200)
    expect(await waiting()).toBe(2)
    await release()
    for (const { status } of await Promise.all(slow)) expect(status).toBe(200)
  })

  it('gets 400 for a read after 3 seconds, but not for a change', async () => {
    const person = await makePerson(app)
    const list = await person.client.lists.create({ name: 'Held' })
    const release = await hold('lead_lists')
    const changing = person.call('PATCH', `/lists/${list.id}`, { name: 'Renamed' })
    const reading = await timed(person.call('GET', '/lists'))
    expect(reading).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect(reading.body.error).toMatch(/Narrow it down/)
    expect(reading.ms).toBeGreaterThan(2_900)
    await release()
    expect((await changing).status).toBe(200)
  })
})

describe('an export', () => {
  it.each(['/leads/export', '/auth/user/export', '/analytics/breakdown/export?by=campaign'])(
    'of %s is refused while the workspace has another one, and only then',
    async (path) => {
      const [person, other] = await Promise.all([makePerson(app), makePerson(app)])
      await subscribe(app, person)
      const release = await hold('lead_tags')
      const first = person.call('GET', '/leads/export')
      await expect.poll(waiting).toBeGreaterThan(0)
      expect(await person.call('GET', path)).toMatchObject({
        status: 429,
        body: {
          code: 'RATE_LIMITED',
          error: 'Another export of this workspace is running. Try again when it is done.',
        },
      })
      await release()
      expect((await first).status).toBe(200)
      expect((await other.call('GET', path)).status).not.toBe(429)
      await expect.poll(async () => (await person.call('GET', path)).status).not.toBe(429)
    },
  )
})
