import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, expectCountsRight, launch, makeList, openHandles } from '../../../../test/outreach.ts'
import { leads } from '../../leads/leads/tables.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
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
    const [lead] = await app.db
      .update(leads)
      .set({ twitterHandle: 'renamed_since' })
      .where(eq(leads.id, list.leadIds[0]!))
      .returning()
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
    const answer = await reportOtherPerson(claim, { handle: 'someone', xUserId: '1' })
    expect([answer.status, answer.body.campaignCompleted]).toEqual([200, true])
    const params = { handle: claim.twitterHandle, xUserId: claim.xUserId }
    expect(await dmsOf(person, id)).toMatchObject([{ status: 'failed', reason: { code: 'identity', params } }])
    expect((await person.client.leads.find({ id: list.leadIds[0]! })).dmStatus).toBe('not_sent')
    expect((await reportOtherPerson(claim)).status).toBe(200)
    await expectCountsRight(app)
  })
})
