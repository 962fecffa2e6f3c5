import { expect, it } from 'vitest'
import { makePerson } from './makers.ts'
import { openApp } from './open-app.ts'
import { whileWaiting } from './while-waiting.ts'

it('answers a request in progress, and does not wait for its connection', async () => {
  const app = await openApp()
  const person = await makePerson(app)
  const tag = await person.client.tags.create({ name: 'Friends' })
  const server = await app.startAnother()
  let closing: Promise<void> | undefined
  const { status } = await whileWaiting(app, {
    lock: `select from tags where id = '${tag.id}' for update`,
    // `fetch` keeps its connection open for later requests.
    work: () =>
      fetch(`${server.url}/api/tags/${tag.id}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Family' }),
      }),
    others: async () => {
      closing = server.close()
    },
  })
  expect(status).toBe(200)
  const since = performance.now()
  await closing
  expect(performance.now() - since).toBeLessThan(5_000)
})
