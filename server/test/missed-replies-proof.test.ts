import { createServer } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { connectX, makePerson, subscribe } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { arrived, dmsOf, eventually, launch, letPass, makeList, openHandles, sleep } from './outreach.ts'
import { startProcess } from './server-process.ts'

// Kills real server processes while people reply, until X gives up delivering the replies.

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, unlimitedCalls: true })
})

/** The stand-in X gives up delivering after this time. */
const X_GIVES_UP_MS = 8_500

const STEPS = [
  { variants: [{ messageTemplate: 'Hi {twitter_handle}' }] },
  { variants: [{ messageTemplate: 'Still there?' }], delay: { amount: 2, unit: 'hours' as const } },
]

it('sends no follow-up to people who wrote while the server was killed three times', async () => {
  const person = await makePerson(app)
  const account = await connectX(app, person)
  await subscribe(app, person)
  const people = openHandles(4)
  const [stops, asks, chats, quiet] = people as [string, string, string, string]
  const { id } = await launch(person, await makeList(app, person, people), { messageTemplate: undefined, steps: STEPS })
  const port = await freePort()
  const start = () =>
    startProcess(app, {
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      X_CONSUMER_SECRET: app.x.consumerSecret,
      X_BEARER_TOKEN: app.x.bearerToken,
    })

  let server = await start()
  await eventually(
    async () => (await dmsOf(person, id)).filter(({ status }) => status === 'sent').length === 4,
    'the first messages are sent',
  )
  await eventually(async () => (await person.client.replies.detection()).state === 'live', 'detection is live')
  for (let kills = 0; kills < 3; kills += 1) {
    await server.end('SIGKILL')
    if (kills < 2) server = await start()
  }
  await write(`/_people/${stops}/reply`, { to: account.handle, text: 'Please stop' })
  await write(`/_people/${asks}/reply`, { to: account.handle, text: 'Who are you?' })
  await write(`/_people/${chats}/chat`, { to: account.handle })
  await sleep(X_GIVES_UP_MS)
  await letPass(app, id, 2)

  server = await start()
  await eventually(async () => (await arrived(app, quiet)).length === 2, 'the quiet person gets a follow-up', 90_000)
  await eventually(
    async () => (await person.client.enrollments.list({ id })).enrollments.every(({ state }) => state !== 'active'),
    'everyone else has stopped',
  )
  for (const handle of [stops, asks, chats]) expect(await arrived(app, handle)).toHaveLength(1)
  expect((await person.client.suppressions.list({})).suppressions).toMatchObject([{ twitterHandle: stops }])
  await server.end()
}, 300_000)

async function write(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${app.x.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.status).toBe(201)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
