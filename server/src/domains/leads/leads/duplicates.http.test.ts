import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { expectPeopleCountsRight, makeLeads, setStatus } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, expectCountsRight, launch, makeList, openHandles } from '../../../../test/outreach.ts'
import { makeScrape } from '../../../../test/scrapes.ts'
import { markContacted } from '../../../core/people/list-entries.ts'
import { leads } from '../../../core/tables/leads.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
})

const TWICE = 'Skipped: this person is a duplicate of a lead who was already messaged.'

/** Creates two lists of one lead each: one with an X id, one with only a handle. */
async function makeDuplicates() {
  const unknown = await makeList(app, person, openHandles(1), { unknownIds: true })
  return { unknown, known: await makeList(app, person, openHandles(1)) }
}
type Duplicates = Awaited<ReturnType<typeof makeDuplicates>>

/** Stores that the person with an X id has taken the other lead's handle, which merges the two. */
async function revealDuplicate({ known: identified, unknown }: Duplicates) {
  const [lead] = await app.db.select().from(leads).where(eq(leads.id, identified.leadIds[0]!))
  await makeLeads(app, person, [{ xUserId: lead!.xUserId, twitterHandle: unknown.handles[0]! }])
  expect(await app.db.select().from(leads).where(eq(leads.id, unknown.leadIds[0]!))).toEqual([])
}
const claim = (id: string) => person.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })
const sendNext = async (id: string) => {
  const { status, body } = await claim(id)
  expect(status).toBe(200)
  await person.call('POST', `/dms/${body.dmId}/outcome`, { lease: body.lease, wasSent: true })
}
const statusOfKept = async ({ known: identified }: Duplicates) =>
  (await person.client.leads.find({ id: identified.leadIds[0]! })).dmStatus

it.each(['known', 'unknown'] as const)(
  'two campaigns message merged duplicates once, the %s lead first',
  async (first) => {
    const duplicates = await makeDuplicates()
    const second = first === 'known' ? 'unknown' : 'known'
    const [firstCampaign, other] = [
      await launch(person, duplicates[first], { channel: 'extension' }),
      await launch(person, duplicates[second], { channel: 'extension' }),
    ]
    await revealDuplicate(duplicates)
    expect(await statusOfKept(duplicates)).toBe('queued')
    await sendNext(firstCampaign.id)
    expect((await claim(other.id)).status).toBe(204)
    expect(await dmsOf(person, other.id)).toMatchObject([
      { status: 'failed', errorMessage: TWICE, reason: { code: 'duplicate', params: {} } },
    ])
    expect((await person.client.campaigns.find({ id: other.id })).status).toBe('completed')
    expect(await statusOfKept(duplicates)).toBe('contacted')
    await expectCountsRight(app)
  },
)

it('a campaign does not message a merged duplicate again', async () => {
  const duplicates = await makeDuplicates()
  await person.client.lists.addLeads({ id: duplicates.unknown.id, leadIds: duplicates.known.leadIds })
  const campaign = await launch(person, duplicates.unknown, { channel: 'extension' })
  await sendNext(campaign.id)
  await revealDuplicate(duplicates)
  expect((await claim(campaign.id)).status).toBe(204)
  expect((await dmsOf(person, campaign.id)).map(({ status, errorMessage }) => [status, errorMessage])).toEqual([
    ['sent', null],
    ['failed', TWICE],
  ])
  expect(await statusOfKept(duplicates)).toBe('contacted')
  await expectCountsRight(app)
})

it('merging counts lists, tags and scrapes once', async () => {
  const duplicates = await makeDuplicates()
  const [known, unknown] = [duplicates.known.leadIds[0]!, duplicates.unknown.leadIds[0]!]
  await person.client.lists.addLeads({ id: duplicates.known.id, leadIds: [unknown] })
  await markContacted(app.db, duplicates.known.id, [unknown])
  await markContacted(app.db, duplicates.unknown.id, [unknown])
  const [both, second] = [
    await person.client.tags.create({ name: 'Both' }),
    await person.client.tags.create({ name: 'Second' }),
  ]
  await person.client.tags.apply({ leadIds: [known], add: [both.id] })
  await person.client.tags.apply({ leadIds: [unknown], add: [both.id, second.id] })
  await makeScrape(app, person, { finds: [{ id: known }, { id: unknown }] })
  await makeScrape(app, person, { finds: [{ id: unknown }] })
  await revealDuplicate(duplicates)
  await expectPeopleCountsRight(app, person)
  expect(await person.client.lists.find({ id: duplicates.known.id })).toMatchObject({ leadCount: 1, contactedCount: 0 })
  expect(await person.client.lists.find({ id: duplicates.unknown.id })).toMatchObject({
    leadCount: 1,
    contactedCount: 1,
  })
})

it('merging keeps the contacted status of either lead', async () => {
  const duplicates = await makeDuplicates()
  await setStatus(app, { id: duplicates.known.leadIds[0]! }, 'failed_contact')
  await setStatus(app, { id: duplicates.unknown.leadIds[0]! }, 'contacted')
  await revealDuplicate(duplicates)
  expect(await statusOfKept(duplicates)).toBe('contacted')
})
