import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { encrypt, messaged, say } from '../../../../test/conversations.ts'
import { claimIdentity, identifyLeads } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { markClaimed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { ALL_DAY, openSenders, SENDS, setFaults } from '../../../../test/outreach.ts'
import { loseConnection } from '../../../../test/x-accounts.ts'
import { leads } from '../../../core/tables/leads.ts'
import { monthlyUsage } from '../../platform/billing/tables.ts'

let app: TestApp
const senders = openSenders(() => app)
beforeAll(async () => {
  app = await openApp({ x: true })
})

/** Creates a workspace with a lead who has replied. */
async function replied() {
  const { person, account } = await senders.connected()
  const { handles, leadIds } = await messaged(app, person)
  // The reply is in the past, so that our next message comes later.
  await say(app, handles[0]!, account.handle, 'What does it cost?', -1)
  await markClaimed(app, { leadId: leadIds[0]! }, new Date(Date.now() - 60_000))
  const [conversation] = (await person.client.conversations.list({})).conversations
  return {
    person,
    account,
    handle: handles[0]!,
    leadId: leadIds[0]!,
    id: conversation!.id,
    last: conversation!.lastMessage.id,
  }
}
const sendAnswer = (person: Person, id: string, afterMessageId: string, text = '49 dollars', key?: string) =>
  person.call('POST', `/conversations/${id}/messages`, { text, afterMessageId }, key ? { 'idempotency-key': key } : {})
const sentBy = (handle: string) => senders.arrivedFrom(handle)
const messagesOf = async (person: Person, id: string) => (await person.client.conversations.find({ id })).messages

describe('an answer', () => {
  it('is sent once per key, is the latest message, and counts against no plan', async () => {
    const { person, account, handle, leadId, id, last } = await replied()
    const [before] = await app.db.select().from(leads).where(eq(leads.id, leadId))
    const [used] = await app.db.select().from(monthlyUsage).where(eq(monthlyUsage.workspaceId, person.workspaceId))
    await person.client.conversations.update({ id, status: 'done' })
    await person.client.conversations.saveDraft({ id, text: '49 dol' })
    const first = await sendAnswer(person, id, last, '49 dollars, as said', 'once')
    expect(first).toMatchObject({
      status: 200,
      body: {
        text: '49 dollars, as said',
        isOurs: true,
        author: 'member',
        memberId: person.id,
        status: 'sent',
        stepNumber: null,
      },
    })
    expect((await sendAnswer(person, id, last, '49 dollars, as said', 'once')).body).toEqual(first.body)
    expect(await sentBy(account.handle)).toMatchObject([{ to: handle, text: '49 dollars, as said' }])
    const conversation = await person.client.conversations.find({ id })
    expect(conversation).toMatchObject({
      status: 'open',
      lastMessage: { id: first.body.id, isOurs: true },
      draft: null,
    })
    expect(conversation.messages[0]).toEqual(first.body)
    const [after] = await app.db.select().from(leads).where(eq(leads.id, leadId))
    expect(after).toMatchObject({ dmStatus: 'contacted', lastClaimedAt: before!.lastClaimedAt })
    const [usedAfter] = await app.db.select().from(monthlyUsage).where(eq(monthlyUsage.workspaceId, person.workspaceId))
    expect(usedAfter?.count).toBe(used?.count)
  })

  it.each(['49 {{name}}', 'Hi {lead_name}', 'Hi {"name"}', 'Hi %recipient.name%', 'Hi [your name]'])(
    'is refused with %j, unless it is to be sent as written',
    async (text) => {
      const { person, account, handle, id, last } = await replied()
      const { status, body } = await sendAnswer(person, id, last, text)
      expect([status, body.code, body.details[0].field]).toEqual([400, 'INVALID_INPUT', 'text'])
      expect(await sentBy(account.handle)).toEqual([])
      const sent = { text, afterMessageId: last, asWritten: true }
      expect((await person.call('POST', `/conversations/${id}/messages`, sent)).body).toMatchObject({ text })
      expect(await sentBy(account.handle)).toMatchObject([{ to: handle, text }])
    },
  )

  it('is refused if something was said that its author has not seen', async () => {
    const { person, account, handle, id, last } = await replied()
    await say(app, handle, account.handle, 'Never mind', 0)
    const refused = await sendAnswer(person, id, last)
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'CONVERSATION_CHANGED', details: [{ text: 'Never mind', author: 'lead' }] },
    })
    expect(await sentBy(account.handle)).toEqual([])
    expect((await sendAnswer(person, id, refused.body.details[0].id)).status).toBe(200)
    expect((await sendAnswer(person, id, handle)).body).toMatchObject({ code: 'CONVERSATION_CHANGED' })
  })

  it('is sent by one of two members who answer at the same time', async () => {
    const { person, account, id, last } = await replied()
    const colleague = await makePerson(app, { in: person, role: 'member' })
    const both = await Promise.all([sendAnswer(person, id, last, 'Mine'), sendAnswer(colleague, id, last, 'Theirs')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const refused = both.find(({ status }) => status === 409)!
    expect(refused.body).toMatchObject({ code: 'CONVERSATION_CHANGED', details: [{ author: 'member' }] })
    expect(await sentBy(account.handle)).toHaveLength(1)
  })

  it('ignores the cap, hours and interval of the user, but not the cap of the product and the limits of X', async () => {
    const { person, account, id, last } = await replied()
    const day = new Date().getUTCDay() || 7
    const limits = { ...ALL_DAY, workDays: [(day % 7) + 1], dailyCap: 1, warmUp: true, pauseSeconds: 3_600 }
    await person.client.sendingSettings.saveLimits({ ...limits, xAccountId: account.id })
    const first = await sendAnswer(person, id, last)
    expect(first.status).toBe(200)
    const second = await sendAnswer(person, id, first.body.id)
    expect(second.status).toBe(200)
    const { dailyDmCap } = app.services.env
    app.services.env.dailyDmCap = 2
    try {
      const capped = await sendAnswer(person, id, second.body.id)
      expect(capped).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
      expect(Number(capped.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      app.services.env.dailyDmCap = dailyDmCap
    }
    await setFaults(app, { ...SENDS, status: 429, times: 1 })
    expect((await sendAnswer(person, id, second.body.id)).status).toBe(429)
    expect(await sentBy(account.handle)).toHaveLength(2)
    expect(await messagesOf(person, id)).toHaveLength(4)
  })

  it('keeps no text without consent, and a failed one only until the consent is revoked', async () => {
    const { person, account, handle, id, last } = await replied()
    const decide = (storesConversations: boolean) =>
      person.client.xAccount.consent({ id: account.id, storesConversations, offersUnknownSenders: false })
    const texts = async () => (await messagesOf(person, id)).map(({ text, author }) => author === 'member' && text)
    await setFaults(app, { path: '/2/dm_conversations', status: 403, code: 349, times: 1 })
    expect((await sendAnswer(person, id, last, 'Unsent')).status).toBe(409)
    expect(await texts()).toContain('Unsent')
    await decide(false)
    expect(await texts()).not.toContain('Unsent')
    const { status, body } = await sendAnswer(person, id, last, 'Secret')
    expect([status, body.text]).toEqual([200, null])
    expect(await sentBy(account.handle)).toMatchObject([{ to: handle, text: 'Secret' }])
    expect(await texts()).not.toContain('Secret')
  })

  it('is refused if the person is suppressed, or X keeps the conversation encrypted', async () => {
    const { person, handle, id, last } = await replied()
    await encrypt(app, { id })
    expect(await sendAnswer(person, id, last)).toMatchObject({ status: 409, body: { code: 'LEAD_STATE' } })
    await encrypt(app, { id }, false)
    await person.client.suppressions.create({ handles: [handle] })
    expect(await sendAnswer(person, id, last)).toMatchObject({ status: 409, body: { code: 'LEAD_STATE' } })
    expect(await messagesOf(person, id)).toHaveLength(2)
  })

  it('can be repeated after X has rejected it', async () => {
    const { person, account, leadId, id, last } = await replied()
    await setFaults(app, { ...SENDS, status: 400, times: 1 })
    expect(await sendAnswer(person, id, last)).toMatchObject({ status: 409, body: { code: 'DM_FAILED' } })
    expect((await messagesOf(person, id))[0]).toMatchObject({ author: 'member', status: 'failed' })
    expect((await person.client.leads.find({ id: leadId })).dmStatus).toBe('contacted')
    expect((await sendAnswer(person, id, last)).status).toBe(200)
    expect(await sentBy(account.handle)).toHaveLength(1)
  })

  it('is settled if X never responded: it was sent once, or it failed', async () => {
    const { person, account, id, last } = await replied()
    await senders.start()
    await setFaults(app, { ...SENDS, dropAfter: true, times: 1 })
    const sent = await sendAnswer(person, id, last, 'One')
    expect(sent).toMatchObject({ status: 200, body: { text: 'One', status: 'sent' } })
    await setFaults(app, { ...SENDS, dropBefore: true, times: 1 })
    const lost = await sendAnswer(person, id, sent.body.id, 'Two', 'lost')
    expect(lost).toMatchObject({ status: 409, body: { code: 'DM_FAILED' } })
    expect((await person.call('POST', `/dms/${lost.body.details.dmId}/requeue`)).status).toBe(409)
    expect((await sentBy(account.handle)).map(({ text }) => text)).toEqual(['One'])
    expect((await sendAnswer(person, id, sent.body.id, 'Two', 'again')).status).toBe(200)
  })

  it('returns 503 if X is unreachable, keeps no draft of what may have arrived, and sends it at most once', async () => {
    const other = await app.startAnother({ env: { X_API_URL: 'http://127.0.0.1:9' } })
    const { person, leadId, id, last } = await replied()
    const answerThere = async () => {
      const response = await fetch(`${other.url}/api/conversations/${id}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'Three', afterMessageId: last }),
      })
      return [response.status, (await response.json()).code]
    }
    await identifyLeads(app, { id: leadId }, null)
    expect(await answerThere()).toEqual([503, 'X_UNAVAILABLE'])
    expect(await messagesOf(person, id)).toHaveLength(2)
    await claimIdentity(app, { id: leadId }, '42')
    await person.client.conversations.saveDraft({ id, text: 'Three' })
    expect(await answerThere()).toEqual([503, 'DM_UNSETTLED'])
    expect((await person.client.conversations.find({ id })).draft).toBeNull()
    expect((await sendAnswer(person, id, last)).body.code).toBe('CONVERSATION_CHANGED')
  })

  it('is sent by the account of the conversation, which may not be the current one', async () => {
    const { person, account, id, last } = await replied()
    const current = await connectX(app, person)
    await person.client.messages.send({
      leadId: (await messaged(app, person)).leadIds[0]!,
      message: 'Hi',
      templateVariables: { name: '', handle: 'x' },
      allowRepeat: true,
    })
    expect((await sendAnswer(person, id, last)).status).toBe(200)
    expect([await sentBy(account.handle), await sentBy(current.handle)].map(({ length }) => length)).toEqual([1, 1])
    await loseConnection(app, { id: account.id })
    const [newest] = await messagesOf(person, id)
    expect(await sendAnswer(person, id, newest!.id)).toMatchObject({ status: 409, body: { code: 'X_NOT_CONNECTED' } })
  })

  it.each([{ text: ' ' }, { text: 'x'.repeat(10_001) }, { afterMessageId: undefined }])('rejects %o', async (more) => {
    const { person, id, last } = await replied()
    const body = { text: 'Hi', afterMessageId: last, ...more }
    expect((await person.call('POST', `/conversations/${id}/messages`, body)).status).toBe(400)
    expect(await messagesOf(person, id)).toHaveLength(2)
  })
})

describe('a draft', () => {
  it('is kept per member, whose others see that there is one, until its text is empty', async () => {
    const { person, id } = await replied()
    const colleague = await makePerson(app, { in: person, role: 'member' })
    const { draft } = await colleague.client.conversations.saveDraft({ id, text: ' Hi, ' })
    expect(await colleague.client.conversations.find({ id })).toMatchObject({
      draft: { text: ' Hi, ' },
      otherDrafts: [],
    })
    expect(await person.client.conversations.find({ id })).toMatchObject({
      draft: null,
      otherDrafts: [{ userId: colleague.id, updatedAt: draft!.updatedAt }],
    })
    expect(await colleague.client.conversations.saveDraft({ id, text: '' })).toEqual({ draft: null })
    expect((await person.client.conversations.find({ id })).otherDrafts).toEqual([])
  })
})
