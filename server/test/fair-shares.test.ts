import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { type Answer, call, makePerson, type Person, subscribe } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ env: { DATABASE_POOL_MAX: '15' } })
})

/** Makes all statements on a table wait, until the test releases it or has finished. */
async function hold(table: string, { onTestFinished }: TestContext): Promise<() => Promise<void>> {
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

/** Returns how many of the product's connections wait for the table. */
async function waiting(table: string): Promise<number> {
  const client = new pg.Client(app.databaseUrl)
  await client.connect()
  const { rows } = await client.query(
    `select from pg_locks join pg_database d on d.oid = database and datname = current_database()
     where not granted and relation = $1::regclass`,
    [table],
  )
  await client.end()
  return rows.length
}

const timed = async <T extends { status: number }>(calling: Promise<T>) => {
  const since = performance.now()
  const response = await calling
  return Object.assign(response, { ms: performance.now() - since })
}

/** Sends the calls of others: sign-ins, waitlist joins, the load balancer and members of other workspaces. */
const everybodyElse = (other: Person) => [
  call(app, 'POST', '/auth/sign-in/email', { email: 'nobody@example.com', password: 'wrong password' }),
  call(app, 'POST', '/waitlist/join', { email: `${crypto.randomUUID()}@example.com` }),
  call(app, 'GET', '/waitlist/count'),
  fetch(`${app.origin}/readyz`).then(({ status }) => ({ status })),
  other.call('GET', '/campaigns'),
  other.call('POST', '/lists', { name: crypto.randomUUID() }),
]

describe('a workspace whose requests take long', () => {
  it('holds three connections, gets 429 for what waits 2 seconds, and delays nobody else', async (test) => {
    const [attacker, other] = await Promise.all([makePerson(app), makePerson(app)])
    // Warm up, so that none of these calls is the first of its kind below.
    await Promise.all(everybodyElse(other))
    const release = await hold('leads', test)
    const refused: Answer[] = []
    const attack = Array.from({ length: 30 }, async () => {
      const response = await attacker.call('GET', '/leads?keyword=e&sort=name&page=2000')
      if (response.status === 429) refused.push(response)
    })
    await expect.poll(() => waiting('leads'), { timeout: 10_000 }).toBeGreaterThanOrEqual(2)

    const responses = await Promise.all(everybodyElse(other))
    expect(responses.map(({ status }) => status)).toEqual([400, 200, 200, 200, 200, 200])
    expect(await waiting('leads')).toBeLessThanOrEqual(3)

    await expect.poll(() => refused.at(-1)?.headers.get('retry-after'), { timeout: 5_000 }).toBe('2')
    await release()
    await Promise.all(attack)
    expect(refused.length).toBeGreaterThan(15)
    expect(refused[0]).toMatchObject({ body: { success: false, code: 'RATE_LIMITED' } })
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(15)
  })

  it.concurrent('shares one connection with all other slow reads, however long they take', async (test) => {
    const people = await Promise.all(Array.from({ length: 5 }, () => makePerson(app)))
    const ask = (person: Person) => person.call('GET', '/leads?keyword=founder&sort=name')
    const releaseFirst = await hold('leads', test)
    const first = ask(people[0] as Person)
    await expect.poll(() => waiting('leads')).toBe(2)
    await sleep(150)
    await releaseFirst()
    await first
    const release = await hold('leads', test)
    const slow = people.map(ask)
    await expect.poll(() => waiting('leads')).toBe(1)
    // Unlike these reads, a slow change could start after a second.
    await sleep(1_200)
    expect(await waiting('leads')).toBe(1)
    await release()
    for (const { status } of await Promise.all(slow)) expect(status).toBe(200)
  })

  it.concurrent('gets 400 for a read after 3 seconds, but not for a change', async (test) => {
    const person = await makePerson(app)
    const tag = await person.client.tags.create({ name: 'Held' })
    const release = await hold('tags', test)
    const changing = person.call('PATCH', `/tags/${tag.id}`, { name: 'Renamed' })
    const reading = await timed(person.call('GET', '/tags'))
    expect(reading).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect(reading.body.error).toMatch(/Narrow it down/)
    expect(reading.ms).toBeGreaterThan(2_900)
    await release()
    expect((await changing).status).toBe(200)
  })
})

describe('an export', () => {
  it.for(['/leads/export', '/auth/user/export', '/analytics/breakdown/export?by=campaign'])(
    'of %s is refused while the workspace has another one, and only then',
    async (path, test) => {
      const [person, other] = await Promise.all([makePerson(app), makePerson(app)])
      await subscribe(app, person)
      const release = await hold('lead_tags', test)
      const first = person.call('GET', '/leads/export')
      await expect.poll(() => waiting('lead_tags')).toBeGreaterThan(0)
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
