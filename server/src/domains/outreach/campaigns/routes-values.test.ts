import { beforeAll, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  arrived,
  dmsOf,
  eventually,
  launch,
  openHandles,
  openSenders,
  type SomeList,
} from '../../../../test/outreach.ts'
import { upsertLeads } from '../../../core/people/stage.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, mailbox: true, workers: true })
})
const senders = openSenders(() => app)

const TEMPLATE = 'Hi {lead_name}, is {company|your team} ({twitter_handle}) hiring?'

/** Imports a file into a new list. */
async function importList(person: Person, file: string): Promise<SomeList> {
  const { body } = await person.call('POST', '/leads/import', file, { 'content-type': 'text/csv' })
  expect(body).toMatchObject({ rejected: [] })
  const { leads } = (await person.call('GET', '/leads?sort=createdAt')).body
  const list = await person.client.lists.create({ name: 'Imported' })
  const leadIds = leads.map(({ id }: { id: string }) => id)
  await person.client.lists.addLeads({ id: list.id, leadIds })
  return { id: list.id, leadIds, handles: leads.map((lead: { twitterHandle: string }) => lead.twitterHandle) }
}

it('puts values of a file into messages as one line, without marks and empty words', async () => {
  const { person } = await senders.connected()
  const [ana, bob, cem] = openHandles(3)
  const list = await importList(
    person,
    `twitter_handle,name,company\n${ana},"Ana\nLee","Acme\r\n\u202eInc\u202c"\n${bob},N/A,null\n\u200b${cem},-,N/A\n`,
  )
  const { id } = await launch(person, list, { messageTemplate: TEMPLATE, channel: 'extension' })
  const messages = (await dmsOf(person, id)).map(({ message }) => message)
  expect(messages.sort()).toEqual(
    [
      `Hi Ana Lee, is Acme Inc (@${ana}) hiring?`,
      `Hi there, is your team (@${bob}) hiring?`,
      `Hi there, is your team (@${cem}) hiring?`,
    ].sort(),
  )
  const [anasId] = list.leadIds.filter((_, index) => list.handles[index] === ana)
  await person.client.campaigns.sendTest({ id, leadId: anasId! })
  const mail = await eventually(async () => {
    const response = await fetch(`${app.mailbox.url}/messages?to=${person.email}`)
    const messages = (await response.json()) as { subject: string; text: string }[]
    return messages.find(({ subject }) => subject.startsWith('Test message'))
  }, 'the test message arrives')
  expect(mail.text).toContain(`Hi Ana Lee, is Acme Inc (@${ana}) hiring?`)
})

it('keeps a known value if a later file has only an empty word', async () => {
  const { person } = await senders.connected()
  const [ana] = openHandles(1)
  for (const company of ['Acme', 'n/a'])
    await importList(person, `twitter_handle,name,company\n${ana},Ana,${company}\n`)
  expect((await person.call('GET', '/leads')).body.leads).toMatchObject([
    { name: 'Ana', metadata: { company: 'Acme' } },
  ])
})

it('reads the JSON of a file and the names that X shows in the same way', async () => {
  const person = await makePerson(app)
  await importList(person, `twitter_handle,metadata\nana,"{""company"":""null"",""role"":""a\\nb"",""n"":1}"\n`)
  const bob = { xUserId: '42', twitterHandle: 'bob', name: 'Bob\u200f\nB', metadata: null, bio: 'two\nlines' }
  const rest = { followerCount: null, followingCount: null, sourceProfile: null, url: null }
  const more = { profileImageUrl: null, location: null, website: null }
  const owner = { workspaceId: person.workspaceId, userId: person.id }
  await app.db.transaction((tx) => upsertLeads(tx, owner, [{ ...bob, ...rest, ...more }], 'whole'))
  expect((await person.call('GET', '/leads?sort=twitterHandle')).body.leads).toMatchObject([
    { metadata: { role: 'a b', n: 1 } },
    { name: 'Bob B', bio: 'two\nlines' },
  ])
})

it('cleans the name of a manual message', async () => {
  const { person } = await senders.connected()
  const handles = openHandles(2)
  const list = await importList(person, `twitter_handle,company\n${handles[0]},-\n${handles[1]},\n`)
  const texts = []
  for (const [index, name] of ['\u202eAna\nLee', 'null'].entries()) {
    const handle = list.handles[index]!
    const body = {
      leadId: list.leadIds[index],
      message: '{{name}} {{handle}} {company|us}',
      templateVariables: { name, handle: `\u200e@${handle}` },
    }
    expect((await person.call('POST', '/messages/send', body)).status).toBe(200)
    texts.push((await arrived(app, handle))[0]?.text)
  }
  expect(texts).toEqual([`Ana Lee @${list.handles[0]} us`, `there @${list.handles[1]} us`])
})
