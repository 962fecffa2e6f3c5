import { expect, test } from 'vitest'
import { openX } from '../../test/open-x.ts'
import { openReceiver } from '../../test/x-receiver.ts'

test('charges reads, messages and deliveries, each resource once a day, until the credits are used up', async () => {
  const x = await openX()
  const me = await x.signIn('sender')
  const receiver = await openReceiver(x)
  await receiver.subscribe(me, 'dm.received', 'dm.sent')
  const [ada, big] = [await me.idOf('open_ada'), await me.idOf('bigfounder')]
  expect((await x.json('PUT', '/_credits', { cents: 10 })).body).toEqual({ cents: 10, spentCents: 0, charged: {} })
  await me.get(`/2/users/${big}/followers?max_results=2`)
  await me.get(`/2/users/${big}/followers?max_results=3`)
  await me.send(ada, 'Hello')
  await me.get('/2/dm_events')
  await me.get('/2/dm_events')
  await x.json('POST', '/_people/open_ada/reply', { to: 'sender', text: 'Hi' })
  expect((await x.call('/_credits')).body).toEqual({
    cents: 4.5 - 1,
    spentCents: 6.5,
    charged: { user: 3, send: 1, dmEvent: 1, 'dm.received': 1 },
  })

  await me.get(`/2/users/${await me.idOf('f9_x')}/followers`)
  expect((await x.call('/_credits')).body.cents).toBe(0)
  const refused = {
    status: 402,
    body: { title: 'CreditsDepleted', type: 'https://api.x.com/2/problems/credits', status: 402 },
  }
  for (const path of ['/2/users/me', '/2/dm_events', `/2/users/${big}/followers`])
    expect(await me.get(path)).toMatchObject(refused)
  expect(await me.send(ada, 'Hello')).toMatchObject(refused)
  expect(await x.log('?to=open_ada')).toHaveLength(1)
  x.wait(86_400_000)
  await x.json('PUT', '/_credits', { cents: null })
  const later = await x.signIn('sender')
  expect((await later.send(ada, 'Hello')).status).toBe(201)
  expect((await x.call('/_credits')).body).toMatchObject({ cents: null, spentCents: 1.5 })
})

test('returns 400 for credits that are no number', async () => {
  const x = await openX()
  for (const cents of [-1, 'ten', undefined]) expect((await x.json('PUT', '/_credits', { cents })).status).toBe(400)
})
