import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { editProfiles, makeLeads } from '../../../test/leads.ts'
import { makePerson, type Person } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import {
  arrived,
  completed,
  dmsOf,
  expectCountsRight,
  launch,
  makeList,
  openHandles,
  openSenders,
} from '../../../test/outreach.ts'
import { learnHandles } from '../people/handles.ts'
import { leads } from '../tables/leads.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
})

const { start, connected } = openSenders(() => app)

const findLead = async (id: string) => (await app.db.select().from(leads).where(eq(leads.id, id)))[0]!
/** Imports leads from a CSV file into a list. X has not confirmed their ids. */
async function importList(by: Person, rows: [handle: string, xUserId: string][]) {
  const file = `twitter_handle,x_user_id\n${rows.map((row) => row.join()).join('\n')}\n`
  await by.call('POST', '/leads/import', file, { 'content-type': 'text/csv' })
  const all = await app.db.select().from(leads).where(eq(leads.workspaceId, by.workspaceId)).orderBy(leads.id)
  const { id } = await by.client.lists.create({ name: 'Imported' })
  await by.client.lists.addLeads({ id, leadIds: all.map((lead) => lead.id) })
  return { id, leadIds: all.map((lead) => lead.id), handles: all.map((lead) => lead.twitterHandle) }
}
/** Renames a person at X. The previous owner of the new handle disappears. */
async function renameAtX(handle: string, to: string) {
  const response = await fetch(`${app.x.url}/_people/${handle}/rename`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to }),
  })
  expect(response.status).toBe(200)
}

describe('a worker', () => {
  it('messages people of rounded ids by their handles, and nobody whom the ids name', async () => {
    const { person } = await connected()
    const handles = openHandles(2)
    const list = await importList(
      person,
      handles.map((handle) => [handle, '1588631281067220000']),
    )
    expect(list.handles).toEqual(handles)
    const { id } = await launch(person, list)
    await start()
    await completed(person, id)
    for (const handle of handles) expect(await arrived(app, handle)).toHaveLength(1)
    for (const leadId of list.leadIds) {
      const lead = await findLead(leadId)
      expect(lead).toMatchObject({ xUserId: idOfHandle(lead.twitterHandle), xUserCheckedAt: expect.any(Date) })
    }
  })

  it('sends nothing if the id of a file is not that of the handle, and the reason names both', async () => {
    const { person } = await connected()
    const [handle, stranger] = openHandles(2) as [string, string]
    const list = await importList(person, [[handle, idOfHandle(stranger)]])
    const { id } = await launch(person, list)
    await start()
    await completed(person, id)
    const reason = { code: 'identity', params: { handle, xUserId: idOfHandle(stranger) } }
    expect(await dmsOf(person, id)).toMatchObject([{ status: 'failed', reason }])
    expect([await arrived(app, handle), await arrived(app, stranger)]).toEqual([[], []])
    expect((await findLead(list.leadIds[0]!)).dmStatus).toBe('not_sent')
  })

  it('asks X once for an id of a file, and stores that it is right', async () => {
    const { person } = await connected()
    const [handle] = openHandles(1) as [string]
    const list = await importList(person, [[handle, idOfHandle(handle)]])
    const { id } = await launch(person, list)
    await start()
    await completed(person, id)
    expect(await arrived(app, handle)).toHaveLength(1)
    expect((await findLead(list.leadIds[0]!)).xUserCheckedAt).not.toBeNull()
  })

  it('refuses a message by hand to an id that is not that of the handle', async () => {
    const { person } = await connected()
    const [handle, stranger] = openHandles(2) as [string, string]
    const list = await importList(person, [[handle, idOfHandle(stranger)]])
    const body = { leadId: list.leadIds[0]!, message: 'Hi', templateVariables: { name: 'Ann', handle } }
    const refused = await person.call('POST', '/messages/send', body)
    expect([refused.status, refused.body.code]).toEqual([409, 'LEAD_STATE'])
    expect(refused.body.error).toContain(`@${handle} on X does not have the X user ID ${idOfHandle(stranger)}`)
    expect(await arrived(app, stranger)).toEqual([])
  })

  it('messages the person of a known id, although the handle belongs to someone else now', async () => {
    const { person } = await connected()
    const [handle, renamed, other] = openHandles(3) as [string, string, string]
    const list = await makeList(app, person, [handle])
    await renameAtX(handle, renamed)
    await renameAtX(other, handle)
    const { id } = await launch(person, list)
    await start()
    await completed(person, id)
    expect(await dmsOf(person, id)).toMatchObject([{ status: 'sent' }])
    const to = (await arrived(app)).filter((message) => [handle, renamed, other].includes(message.to)).map((m) => m.to)
    expect(to).not.toContain(other)
    expect(to).toHaveLength(1)
  })

  it('corrects the lead that had the handle before if it looks up another one with it', async () => {
    const { person } = await connected()
    const [handle, renamed, other] = openHandles(3) as [string, string, string]
    const existing = await makeList(app, person, [handle])
    await renameAtX(handle, renamed)
    await renameAtX(other, handle)
    const list = await makeList(app, person, [handle], { unknownIds: true })
    const { id } = await launch(person, list)
    await start()
    await completed(person, id)
    expect(await findLead(list.leadIds[0]!)).toMatchObject({ xUserId: idOfHandle(other), handleLostAt: null })
    expect(await findLead(existing.leadIds[0]!)).toMatchObject({
      xUserId: idOfHandle(handle),
      handleLostAt: expect.any(Date),
      dmStatus: 'not_sent',
    })
  })
})

describe('an extension', () => {
  const claimNext = async (id: string) =>
    (await person.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })).body
  const reportOtherPerson = (claim: { dmId: string; lease: string }, params = {}) =>
    person.call('POST', `/dms/${claim.dmId}/outcome`, {
      lease: claim.lease,
      wasSent: false,
      reason: { code: 'identity', params },
    })

  it("gets the X id that the profile must have, and the lead's current handle", async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension' })
    const [lead] = await editProfiles(app, { id: list.leadIds[0]! }, { twitterHandle: 'renamed_since' })
    expect(await claimNext(id)).toMatchObject({ twitterHandle: 'renamed_since', xUserId: lead!.xUserId })
  })

  it('gets no X id if it is unknown', async () => {
    const list = await makeList(app, person, openHandles(1), { unknownIds: true })
    const { id } = await launch(person, list, { channel: 'extension' })
    expect(await claimNext(id)).toMatchObject({ xUserId: null })
  })

  it('skips a person whose profile shows another X id, with a reason that names both', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension' })
    const claim = await claimNext(id)
    const response = await reportOtherPerson(claim, { handle: 'someone', xUserId: '1' })
    expect([response.status, response.body.campaignCompleted]).toEqual([200, true])
    const params = { handle: claim.twitterHandle, xUserId: claim.xUserId }
    expect(await dmsOf(person, id)).toMatchObject([{ status: 'failed', reason: { code: 'identity', params } }])
    expect((await person.client.leads.find({ id: list.leadIds[0]! })).dmStatus).toBe('not_sent')
    expect((await reportOtherPerson(claim)).status).toBe(200)
    await expectCountsRight(app)
  })
  it('gets no message to a lead whose handle another person has taken', async () => {
    const [lead] = await makeLeads(app, person, [{ twitterHandle: 'taken', xUserId: '71' }])
    const { id: listId } = await person.client.lists.create({ name: 'l' })
    await person.client.lists.addLeads({ id: listId, leadIds: [lead!.id] })
    const { id } = await launch(person, { id: listId, leadIds: [lead!.id], handles: [] }, { channel: 'extension' })
    await learnHandles(app.db, person.workspaceId, [{ id: '72', handle: 'Taken' }])
    expect((await person.call('POST', `/campaigns/${id}/claim`, { holder: 'laptop' })).status).toBe(204)
    const reason = { code: 'identity', params: { handle: 'taken', xUserId: '71' } }
    expect(await dmsOf(person, id)).toMatchObject([{ status: 'failed', reason }])
  })

  it('may not send a claimed message if another person takes the handle meanwhile', async () => {
    const list = await makeList(app, person, openHandles(1))
    const { id } = await launch(person, list, { channel: 'extension' })
    const claim = await claimNext(id)
    await learnHandles(app.db, person.workspaceId, [{ id: '72', handle: list.handles[0]! }])
    const response = await person.call('POST', `/dms/${claim.dmId}/confirm`, { lease: claim.lease })
    expect(response.body).toMatchObject({ maySend: false })
    expect(await dmsOf(person, id)).toMatchObject([{ status: 'failed', reason: { code: 'identity' } }])
  })
})
