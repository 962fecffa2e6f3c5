import type { SkipReason } from '@x-automated/contract/reason'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertCampaign } from '../../../../test/campaigns.ts'
import { makeLeads, recordReply } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { insertMessages } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { pastContacts } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'
import { deleteWorkspace } from '../../identity/workspaces/workspaces.ts'
import type { LeadRow } from './leads.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
let person: Person
beforeEach(async () => {
  person = await makePerson(app)
  await connectX(app, person)
})

const WRITTEN: SkipReason = { code: 'contacted', params: { how: 'earlier_lead' } }
const REPLIED: SkipReason = { code: 'replied', params: {} }

/** Inserts a message to a lead, as a campaign would have left it. */
async function makeMessage(lead: LeadRow, state: Partial<typeof dms.$inferInsert>) {
  const campaign = await insertCampaign(app, { workspaceId: person.workspaceId })
  const of = { workspaceId: person.workspaceId, leadId: lead.id, campaignId: campaign.id, message: 'm' }
  await insertMessages(app, [{ ...of, ...state }])
}

const again = async ({ twitterHandle, xUserId }: Pick<LeadRow, 'twitterHandle' | 'xUserId'>) =>
  (await makeLeads(app, person, [{ twitterHandle, xUserId }]))[0]!
const remembered = () => app.db.$count(pastContacts, eq(pastContacts.workspaceId, person.workspaceId))

/** Queues a campaign to these leads and returns the error of each message. */
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
  const byLead = new Map(made.map((dm) => [dm.leadId, dm.reason]))
  return leadIds.map((leadId) => byLead.get(leadId))
}

describe('a lead that is deleted and added again', () => {
  it.each([
    ['messaged', { status: 'sent', sentAt: new Date() }],
    ['possibly messaged', { status: 'failed', outcomeUnknown: true, triedAt: new Date() }],
    ['being messaged', { leaseExpiresAt: sql`now() + interval '1 minute'`, lease: crypto.randomUUID() }],
  ] as const)('is not messaged again without permission to repeat if %s', async (_, state) => {
    const [lead] = await makeLeads(app, person, [{ xUserId: '77', twitterHandle: 'Ana' }])
    await makeMessage(lead!, state as never)
    await person.client.leads.removeMany({ leadIds: [lead!.id] })
    // The lead is found by X id, under another handle.
    const back = await again({ xUserId: '77', twitterHandle: 'ana_b' })
    expect(back).toMatchObject({ dmStatus: 'contacted', contactedBeforeAt: expect.any(Date) })
    expect(await remembered()).toBe(0)
    expect(await queueAll([back.id], false)).toEqual([WRITTEN])
    const body = { leadId: back.id, message: 'Hi', templateVariables: { name: 'Ana', handle: 'ana_b' } }
    const sent = await person.call('POST', '/messages/send', body)
    expect([sent.status, sent.body.code, sent.body.error]).toEqual([
      409,
      'LEAD_STATE',
      'You have already messaged this lead.',
    ])
    expect(await person.client.leads.queue({ leadIds: [back.id] })).toMatchObject({ queued: 0 })
    expect(await queueAll([back.id], true)).toEqual([null])
  })

  it('keeps a reply, found by handle if the X id is unknown', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'Ana' }])
    await recordReply(app, { id: lead!.id })
    expect((await person.call('DELETE', `/leads/${lead!.id}`)).status).toBe(204)
    const back = await again({ twitterHandle: 'aNA', xUserId: '77' })
    expect(back).toMatchObject({ dmStatus: 'not_sent', repliedAt: expect.any(Date), contactedBeforeAt: null })
    expect(await queueAll([back.id], false)).toEqual([REPLIED])
    // The reply has moved to the lead, so it is remembered again when the lead is deleted.
    await person.client.leads.removeMany({ leadIds: [back.id] })
    expect(await remembered()).toBe(1)
    expect(await again({ twitterHandle: 'ana', xUserId: '77' })).toMatchObject({ repliedAt: expect.any(Date) })
  })

  it('is new if the handle has another owner, was never messaged, or is in another workspace', async () => {
    const [messaged, never] = await makeLeads(app, person, [
      { xUserId: '77', twitterHandle: 'ana' },
      { xUserId: '78', twitterHandle: 'bo' },
    ])
    await makeMessage(messaged!, { status: 'sent', sentAt: new Date() })
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

  it('is remembered only as a hash, until it is restored or the workspace is deleted', async () => {
    const [lead, other] = await makeLeads(app, person, [
      { xUserId: '77', twitterHandle: 'ana_lead' },
      { xUserId: '78', twitterHandle: 'bo' },
    ])
    for (const contact of [lead!, other!]) await makeMessage(contact, { status: 'sent', sentAt: new Date() })
    const { removalId } = await person.client.leads.removeMany({ leadIds: [lead!.id] })
    const [row] = await app.db.select().from(pastContacts).where(eq(pastContacts.workspaceId, person.workspaceId))
    expect(row).toMatchObject({ contactedAt: expect.any(Date), repliedAt: null })
    expect(JSON.stringify(row)).not.toMatch(/"77"|ana_lead/i)
    await person.client.leads.restore({ removalId: removalId! })
    expect(await remembered()).toBe(0)
    await person.client.leads.removeMany({ filter: {} })
    expect(await remembered()).toBe(2)
    await deleteWorkspace(app.db, person.workspaceId)
    expect(await remembered()).toBe(0)
  })
})
