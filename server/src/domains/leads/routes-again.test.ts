import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLeads } from '../../../test/leads.ts'
import { connectX, makePerson, type Person } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { campaigns } from '../campaigns/tables.ts'
import { dms } from '../sending/tables.ts'
import type { LeadRow } from './service.ts'
import { leads, pastContacts } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
  await connectX(app, person)
})

const WRITTEN = 'Skipped: a message has gone to this person already, before their lead was deleted and came in again.'
const REPLIED = 'Skipped: this person has replied.'

/** A message to a lead, as a campaign has left it. */
async function makeMessage(lead: LeadRow, state: Partial<typeof dms.$inferInsert>) {
  const [campaign] = await app.db
    .insert(campaigns)
    .values({ workspaceId: person.workspaceId, name: 'c', messageTemplate: 'm', channel: 'api', status: 'paused' })
    .returning()
  const of = { workspaceId: person.workspaceId, leadId: lead.id, campaignId: campaign!.id, message: 'm' }
  await app.db.insert(dms).values({ ...of, ...state })
}

const again = async ({ twitterHandle, xUserId }: Pick<LeadRow, 'twitterHandle' | 'xUserId'>) =>
  (await makeLeads(app, person, [{ twitterHandle, xUserId }]))[0]!
const remembered = () => app.db.$count(pastContacts, eq(pastContacts.workspaceId, person.workspaceId))

/** What a campaign over these leads makes of each. */
async function queueAll(leadIds: string[], allowRepeat: boolean) {
  const { client } = person
  const list = await client.lists.create({ name: 'l' })
  await client.lists.addLeads({ id: list.id, leadIds })
  const { id } = await client.campaigns.create({
    name: 'Again',
    leadListId: list.id,
    messageTemplate: 'Hi',
    status: 'draft',
    channel: 'extension',
    allowRepeat,
  })
  await client.campaigns.queue({ id })
  const made = await app.db.select().from(dms).where(eq(dms.campaignId, id))
  const byLead = new Map(made.map((dm) => [dm.leadId, dm.errorMessage]))
  return leadIds.map((leadId) => byLead.get(leadId))
}

describe('a lead that was deleted and comes in again', () => {
  it.each([
    ['written to', { status: 'sent', sentAt: new Date() }],
    ['perhaps written to', { status: 'failed', outcomeUnknown: true, triedAt: new Date() }],
    ['just being written to', { leaseExpiresAt: sql`now() + interval '1 minute'`, lease: crypto.randomUUID() }],
  ] as const)('%s: nobody writes to them again unless they say so', async (_, state) => {
    const [lead] = await makeLeads(app, person, [{ xUserId: '77', twitterHandle: 'Ana' }])
    await makeMessage(lead!, state as never)
    await person.client.leads.removeMany({ leadIds: [lead!.id] })
    // By X's id, under another handle.
    const back = await again({ xUserId: '77', twitterHandle: 'ana_b' })
    expect(back).toMatchObject({ dmStatus: 'contacted', contactedBeforeAt: expect.any(Date) })
    expect(await remembered()).toBe(0)
    expect(await queueAll([back.id], false)).toEqual([WRITTEN])
    const body = { leadId: back.id, message: 'Hi', templateVariables: { name: 'Ana', handle: 'ana_b' } }
    const sent = await person.call('POST', '/messages/send', body)
    expect([sent.status, sent.body.code, sent.body.error]).toEqual([
      409,
      'LEAD_STATE',
      'This lead has been written to already.',
    ])
    expect(await person.client.leads.queue({ leadIds: [back.id] })).toMatchObject({ queued: 0 })
    expect(await queueAll([back.id], true)).toEqual([null])
  })

  it('after a reply: no campaign writes to them unless it says so; it is known by the handle where X has told no id', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'Ana' }])
    await app.db.update(leads).set({ repliedAt: new Date() }).where(eq(leads.id, lead!.id))
    expect((await person.call('DELETE', `/leads/${lead!.id}`)).status).toBe(204)
    const back = await again({ twitterHandle: 'aNA', xUserId: '77' })
    expect(back).toMatchObject({ dmStatus: 'not_sent', repliedAt: expect.any(Date), contactedBeforeAt: null })
    expect(await queueAll([back.id], false)).toEqual([REPLIED])
    // It is the lead's own again, and goes and comes with it as often as that.
    await person.client.leads.removeMany({ leadIds: [back.id] })
    expect(await remembered()).toBe(1)
    expect(await again({ twitterHandle: 'ana', xUserId: '77' })).toMatchObject({ repliedAt: expect.any(Date) })
  })

  it('a handle that somebody else has now, nobody who was never written to, and another workspace are strangers', async () => {
    const [known, never] = await makeLeads(app, person, [
      { xUserId: '77', twitterHandle: 'ana' },
      { xUserId: '78', twitterHandle: 'bo' },
    ])
    await makeMessage(known!, { status: 'sent', sentAt: new Date() })
    await makeMessage(never!, { status: 'failed', errorMessage: 'X refused' })
    await person.client.leads.removeMany({ filter: {} })
    expect(await again({ xUserId: '79', twitterHandle: 'ana' })).toMatchObject({ dmStatus: 'not_sent' })
    expect(await again({ xUserId: '78', twitterHandle: 'bo' })).toMatchObject({ dmStatus: 'not_sent' })
    const other = await makePerson(app)
    expect((await makeLeads(app, other, [{ xUserId: '77', twitterHandle: 'ana' }]))[0]).toMatchObject({
      dmStatus: 'not_sent',
      contactedBeforeAt: null,
    })
    expect(await remembered()).toBe(1)
  })

  it('says nothing of who it was; taken back it is a lead again; it goes with the workspace', async () => {
    const [lead, other] = await makeLeads(app, person, [
      { xUserId: '77', twitterHandle: 'ana' },
      { xUserId: '78', twitterHandle: 'bo' },
    ])
    for (const one of [lead!, other!]) await makeMessage(one, { status: 'sent', sentAt: new Date() })
    const { removalId } = await person.client.leads.removeMany({ leadIds: [lead!.id] })
    const [row] = await app.db.select().from(pastContacts).where(eq(pastContacts.workspaceId, person.workspaceId))
    expect(row).toMatchObject({ contactedAt: expect.any(Date), repliedAt: null })
    expect(JSON.stringify(row)).not.toMatch(/"77"|ana/i)
    await person.client.leads.restore({ removalId: removalId! })
    expect(await remembered()).toBe(0)
    await person.client.leads.removeMany({ filter: {} })
    expect(await remembered()).toBe(2)
    await app.db.execute(sql`delete from workspaces where id = ${person.workspaceId}`)
    expect(await remembered()).toBe(0)
  })
})
