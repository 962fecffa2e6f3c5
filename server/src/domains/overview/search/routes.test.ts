import { beforeAll, expect, it } from 'vitest'
import { messaged, say } from '../../../../test/conversations.ts'
import { editProfiles, insertLeads } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeCampaign, makeList, openSenders } from '../../../../test/outreach.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { connected } = openSenders(() => app)

async function addLeads(person: Person, people: { handle: string; name: string; bio?: string }[]): Promise<void> {
  await insertLeads(
    app,
    people.map(({ handle, name, bio = null }) => ({
      workspaceId: person.workspaceId,
      twitterHandle: handle,
      name,
      bio,
    })),
  )
}
const search = async (person: Person, q: string) => {
  const { groups } = await person.client.search.find({ q })
  return Object.fromEntries(groups.map(({ kind, items }) => [kind, items.map(({ title }) => title)]))
}

it('finds leads by the start of the handle, then of the name, then anywhere', async () => {
  const person = await makePerson(app)
  await addLeads(person, [
    { handle: 'one', name: 'Ann', bio: 'I make indie games' },
    { handle: 'two', name: 'Pro Indie' },
    { handle: 'three', name: 'Indie Maker' },
    { handle: 'IndiGo', name: 'Zoe' },
    { handle: 'other', name: 'Nobody' },
  ])
  expect(await search(person, 'ind')).toEqual({ lead: ['Zoe', 'Indie Maker', 'Pro Indie', 'Ann'] })
  expect(await search(person, '@INDI')).toEqual({ lead: ['Zoe', 'Indie Maker', 'Pro Indie', 'Ann'] })
  expect(await search(person, 'z')).toEqual({ lead: ['Zoe'] })
  expect(await search(person, '%')).toEqual({})
  const { groups } = await person.client.search.find({ q: 'indigo' })
  expect(groups[0]!.items).toEqual([
    {
      id: expect.any(String),
      title: 'Zoe',
      subtitle: '@IndiGo',
      path: expect.stringMatching(/^\/leads\?lead=/),
      pictureUrl: null,
    },
  ])
})

it('returns at most five results per group', async () => {
  const person = await makePerson(app)
  await addLeads(
    person,
    Array.from({ length: 7 }, (_, i) => ({ handle: `many_${i}`, name: `Many ${i}` })),
  )
  expect((await search(person, 'many')).lead).toHaveLength(5)
})

it('finds lists and campaigns by name, and conversations by any part of the name or text', async () => {
  const { person, account } = await connected()
  const { handles } = await messaged(app, person)
  await say(app, handles[0]!, account.handle, 'What does the pelican cost?')
  await editProfiles(app, { workspaceId: person.workspaceId, twitterHandle: handles[0]! }, { name: 'Anna Smith' })
  const list = await makeList(app, person, [])
  await person.client.lists.update({ id: list.id, name: 'Old pelicans' })
  await person.client.lists.create({ name: 'Pelicans' })
  await makeCampaign(person, list, { name: 'Pelican spring', status: 'draft' })
  const results = await search(person, 'pelican')
  expect(results).toEqual({
    list: ['Pelicans', 'Old pelicans'],
    campaign: ['Pelican spring'],
    conversation: ['Anna Smith'],
  })
  for (const part of ['mi', 'Smith']) expect((await search(person, part)).conversation).toEqual(['Anna Smith'])
  const { groups } = await person.client.search.find({ q: 'Pelican spring' })
  expect(groups[0]!.items[0]!.subtitle).toBe('Draft · 0 replies')
  const viewer = await makePerson(app, { in: person, role: 'viewer' })
  expect(Object.keys(await search(viewer, 'pelican'))).toEqual(['list', 'campaign'])
  expect(await search(await makePerson(app), 'pelican')).toEqual({})
})

it('rejects a search for nothing', async () => {
  const person = await makePerson(app)
  expect(await person.call('GET', '/search?q=%20')).toMatchObject({ status: 400 })
  expect(await person.call('GET', `/search?q=${'x'.repeat(201)}`)).toMatchObject({ status: 400 })
})
