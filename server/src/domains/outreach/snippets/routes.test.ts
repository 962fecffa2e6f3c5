import { SNIPPETS_MAX } from '@x-automated/contract/outreach/snippets'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

const create = (shortcut: string, text = 'Hello {lead_name}', by = person) =>
  by.call('POST', '/snippets', { shortcut, text })

it('are listed by shortcut for every member of the workspace', async () => {
  const member = await makePerson(app, { in: person, role: 'member' })
  await create('price', 'It costs $50.')
  const { body } = await create('Demo', 'Shall we talk?', member)
  expect(body).toEqual({
    id: expect.any(String),
    shortcut: 'Demo',
    text: 'Shall we talk?',
    authorId: member.id,
    updatedAt: expect.any(String),
  })
  const { snippets: listed } = await person.client.snippets.list()
  expect(listed.map(({ shortcut }) => shortcut)).toEqual(['Demo', 'price'])
  expect(await (await makePerson(app)).client.snippets.list()).toEqual({ snippets: [] })
})

it('return 409 for a shortcut that exists, in any case', async () => {
  const { body } = await create('price')
  expect((await create('PRICE')).body.code).toBe('SNIPPET_EXISTS')
  const other = (await create('demo')).body
  expect((await person.call('PATCH', `/snippets/${other.id}`, { shortcut: 'Price' })).body.code).toBe('SNIPPET_EXISTS')
  expect((await person.call('PATCH', `/snippets/${body.id}`, { shortcut: 'Price' })).status).toBe(200)
})

it('return 409 beyond 100', async () => {
  for (let number = (await person.client.snippets.list()).snippets.length; number < SNIPPETS_MAX; number += 1)
    await create(`s${number}`)
  expect((await create('one-more')).body.code).toBe('TOO_MANY')
})

it('are changed and deleted by their author and admins, not by others', async () => {
  const [author, member, admin, viewer] = await Promise.all(
    (['member', 'member', 'admin', 'viewer'] as const).map((role) => makePerson(app, { in: person, role })),
  )
  const { id } = (await create('price', 'Old', author)).body
  for (const other of [member!, viewer!]) {
    expect((await other.call('PATCH', `/snippets/${id}`, { text: 'Theirs' })).status).toBe(403)
    expect((await other.call('DELETE', `/snippets/${id}`)).status).toBe(403)
  }
  expect((await viewer!.call('GET', '/snippets')).status).toBe(403)
  expect((await create('theirs', 'x', viewer)).status).toBe(403)
  expect(await author!.client.snippets.update({ id, text: 'New' })).toMatchObject({ shortcut: 'price', text: 'New' })
  expect((await admin!.call('DELETE', `/snippets/${id}`)).status).toBe(204)
  expect((await admin!.call('DELETE', `/snippets/${id}`)).body.code).toBe('SNIPPET_NOT_FOUND')
})

it.each([
  { shortcut: '', text: 'x' },
  { shortcut: 'two words', text: 'x' },
  { shortcut: '/price', text: 'x' },
  { shortcut: 'x'.repeat(51), text: 'x' },
  { shortcut: 'price', text: ' ' },
  { shortcut: 'price', text: 'x'.repeat(10_001) },
  { shortcut: 'price' },
])('return 400 for invalid input %#', async (body) => {
  expect((await person.call('POST', '/snippets', body)).status).toBe(400)
  expect(await person.client.snippets.list()).toEqual({ snippets: [] })
})
