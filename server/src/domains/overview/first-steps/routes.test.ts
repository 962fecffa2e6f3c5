import { beforeAll, expect, it } from 'vitest'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await openApp()
  owner = await makePerson(app)
})

const done = async (person: Person) =>
  (await person.client.firstSteps.find()).steps.flatMap(({ step, done }) => (done ? [step] : []))

it('GET /first-steps marks each step as done, and all of them permanently after the first launch', async () => {
  expect(await owner.client.firstSteps.find()).toEqual({
    steps: ['connect_x', 'find_leads', 'make_list', 'launch_campaign'].map((step) => ({ step, done: false })),
    dismissed: false,
    isMessageSent: false,
    hasSampleData: false,
  })
  await connectX(app, owner)
  expect(await done(owner)).toEqual(['connect_x'])
  const csv = { 'content-type': 'text/csv' }
  await owner.call('POST', '/leads/import', 'twitter_handle\nsomebody\n', csv)
  await owner.client.lists.create({ name: 'Empty' })
  expect(await done(owner)).toEqual(['connect_x', 'find_leads'])
  const list = await makeList(app, owner, openHandles(2))
  const campaign = await makeCampaign(owner, list, { channel: 'extension' })
  expect(await done(owner)).toEqual(['connect_x', 'find_leads', 'make_list'])
  await owner.client.campaigns.queue({ id: campaign.id })
  const all = ['connect_x', 'find_leads', 'make_list', 'launch_campaign']
  expect(await done(owner)).toEqual(all)
  const sent = async () => (await owner.client.firstSteps.find()).isMessageSent
  expect(await sent()).toBe(false)
  const { body } = await owner.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'a browser' })
  await owner.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent: true })
  expect(await sent()).toBe(true)
  await owner.client.xAccount.disconnect()
  expect(await done(owner)).toEqual(all)
  expect(await done(await makePerson(app))).toEqual([])
})

it('GET /first-steps does not count direct messages as a launch', async () => {
  const person = await makePerson(app)
  await connectX(app, person)
  const { leadIds } = await makeList(app, person, openHandles(1))
  await person.client.leads.queue({ leadIds })
  expect(await done(person)).toEqual(['connect_x', 'find_leads', 'make_list'])
})

it('PATCH /first-steps hides and shows the steps for the caller only', async () => {
  const colleague = await makePerson(app, { in: owner, role: 'viewer' })
  const dismissed = async (person: Person) => (await person.client.firstSteps.find()).dismissed
  for (const value of [true, true, false, false, true]) {
    expect(await colleague.client.firstSteps.update({ dismissed: value })).toMatchObject({ dismissed: value })
    expect(await dismissed(colleague)).toBe(value)
  }
  expect(await dismissed(owner)).toBe(false)
})
