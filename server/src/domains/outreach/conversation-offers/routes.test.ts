import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { ageOffers, insertOffers } from '../../../../test/conversations.ts'
import { makeLeads } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { openSenders } from '../../../../test/outreach.ts'
import { receive } from '../../../core/replies/receive.ts'
import { conversations } from '../../../core/tables/conversations.ts'
import { leads } from '../../../core/tables/leads.ts'
import { replies } from '../../../core/tables/replies.ts'
import { purgeExpiredOffers } from './offers.ts'
import { conversationOffers } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { connected } = openSenders(() => app)

let lastEvent = 10n ** 18n
function say(from: string, to: string, { at = new Date(), knowsHandle = true } = {}) {
  const [senderId, recipientId] = [idOfHandle(from), idOfHandle(to)]
  lastEvent += 1n
  const handles: Record<string, string> = knowsHandle ? { [senderId]: from } : {}
  return receive(app.db, [
    {
      kind: 'message',
      isEncrypted: false,
      eventId: String(lastEvent),
      at,
      senderId,
      recipientId,
      text: 'A secret',
      handles,
    },
  ])
}
const unknown = () => `open_${Math.random().toString(36).slice(2, 8)}`
async function scene(offersUnknownSenders = true) {
  const { person, account } = await connected()
  await person.client.xAccount.consent({ id: account.id, storesConversations: true, offersUnknownSenders })
  return { person, account }
}
const offersOf = async (person: Person) => (await person.client.conversationOffers.list({})).offers

describe('a message from someone who is not a lead', () => {
  it('leaves an offer with handle and time for 7 days, and no text', async () => {
    const { person, account } = await scene()
    const [sender, at] = [unknown(), new Date(Date.now() - 60_000)]
    await say(sender, account.handle, { at })
    await say(sender, account.handle, { at: new Date(at.getTime() - 5_000) })
    expect(await offersOf(person)).toEqual([
      {
        id: expect.any(String),
        twitterHandle: sender,
        xAccountId: account.id,
        at: at.toISOString(),
        expiresAt: new Date(at.getTime() + 7 * 86_400_000).toISOString(),
      },
    ])
    expect(await app.db.$count(replies, eq(replies.workspaceId, person.workspaceId))).toBe(0)
    expect(JSON.stringify(await app.db.select().from(conversationOffers))).not.toContain('A secret')
  })

  it('leaves nothing if the account does not allow it, is disconnected, or the handle is unknown', async () => {
    const [forbidden, disconnected, nameless] = [await scene(false), await scene(), await scene()]
    await disconnected.person.client.xAccount.disconnect()
    await say(unknown(), forbidden.account.handle)
    await say(unknown(), disconnected.account.handle)
    await say(unknown(), nameless.account.handle, { knowsHandle: false })
    for (const { person } of [forbidden, disconnected, nameless])
      expect(await app.db.$count(conversationOffers, eq(conversationOffers.workspaceId, person.workspaceId))).toBe(0)
  })

  it('leaves nothing of leads, suppressed people and the account itself', async () => {
    const { person, account } = await scene()
    const [lead, imported, stopped] = [unknown(), unknown(), unknown()]
    await makeLeads(app, person, [
      { twitterHandle: lead, xUserId: idOfHandle(lead) },
      { twitterHandle: imported, xUserId: null },
    ])
    await person.client.suppressions.create({ handles: [stopped] })
    for (const sender of [lead, imported, stopped, account.handle]) await say(sender, account.handle)
    expect(await offersOf(person)).toEqual([])
  })

  it('leaves nothing if the owner of the account wrote it to them', async () => {
    const { person, account } = await scene()
    await say(account.handle, unknown())
    for (const table of [replies, conversations, conversationOffers])
      expect(await app.db.$count(table, eq(table.workspaceId, person.workspaceId))).toBe(0)
  })

  it('is offered no longer than 7 days, or until the account forbids it', async () => {
    const { person, account } = await scene()
    await say(unknown(), account.handle, { at: new Date(Date.now() - 8 * 86_400_000) })
    expect(await offersOf(person)).toEqual([])
    await say(unknown(), account.handle)
    const [offer] = await offersOf(person)
    await ageOffers(app, { workspaceId: person.workspaceId }, 8)
    expect(await offersOf(person)).toEqual([])
    expect((await person.call('POST', `/conversation-offers/${offer!.id}/accept`)).body.code).toBe('OFFER_NOT_FOUND')
    await purgeExpiredOffers(app.db)
    await say(unknown(), account.handle)
    await person.client.xAccount.consent({ id: account.id, storesConversations: true, offersUnknownSenders: false })
    expect(await app.db.$count(conversationOffers, eq(conversationOffers.workspaceId, person.workspaceId))).toBe(0)
  })
})

describe('an offer', () => {
  it('becomes a lead with a contact basis, and their next message a conversation', async () => {
    const { person, account } = await scene()
    const [sender, at] = [unknown(), new Date(Date.now() - 60_000)]
    await say(sender, account.handle, { at })
    const [offer] = await offersOf(person)
    const accepted = await person.call('POST', `/conversation-offers/${offer!.id}/accept`)
    expect([accepted.status, accepted.body]).toMatchObject([
      200,
      {
        twitterHandle: sender,
        xUserId: idOfHandle(sender),
        basis: 'wrote_first',
        basisAt: at.toISOString(),
        basisSource: `Wrote to @${account.handle} on X`,
        dmStatus: 'not_sent',
      },
    ])
    expect(await offersOf(person)).toEqual([])
    expect((await person.call('POST', `/conversation-offers/${offer!.id}/accept`)).status).toBe(404)
    await say(sender, account.handle)
    expect((await person.client.conversations.list({})).conversations).toMatchObject([
      { lead: { id: accepted.body.id }, lastMessage: { text: 'A secret' } },
    ])
  })

  it('does not come back if it was declined, and X repeats the message', async () => {
    const { person, account } = await scene()
    const sender = unknown()
    await say(sender, account.handle)
    const [offer] = await offersOf(person)
    expect((await person.call('DELETE', `/conversation-offers/${offer!.id}`)).status).toBe(204)
    await say(sender, account.handle)
    expect(await offersOf(person)).toEqual([])
    expect((await person.call('DELETE', `/conversation-offers/${offer!.id}`)).body.code).toBe('OFFER_NOT_FOUND')
  })

  it('is restored once after it was declined, by a member of its workspace', async () => {
    const { person, account } = await scene()
    await say(unknown(), account.handle)
    const [offer] = await offersOf(person)
    const { id } = offer!
    const restore = async (by: Person) => (await by.call('POST', `/conversation-offers/${id}/restore`)).status
    expect(await restore(person)).toBe(404)
    await person.client.conversationOffers.remove({ id })
    expect(await restore(await makePerson(app))).toBe(404)
    expect(await restore(person)).toBe(200)
    expect(await offersOf(person)).toEqual([offer])
    expect(await restore(person)).toBe(404)
    expect(await app.db.$count(leads, eq(leads.workspaceId, person.workspaceId))).toBe(0)
  })

  it('is left out once the person is a lead', async () => {
    const { person, account } = await scene()
    const sender = unknown()
    await say(sender, account.handle)
    await makeLeads(app, person, [{ twitterHandle: sender, xUserId: idOfHandle(sender) }])
    expect(await offersOf(person)).toEqual([])
  })

  it('is paged by cursor and for members only', async () => {
    const { person, account } = await scene()
    const people = Array.from({ length: 55 }, (_, number) => ({
      xUserId: `${number}`,
      twitterHandle: `handle_${number}`,
    }))
    await insertOffers(app, person, account.id, people)
    const first = await person.client.conversationOffers.list({})
    const second = await person.client.conversationOffers.list({ cursor: first.cursor! })
    expect([first.offers.length, second.offers.length, second.cursor]).toEqual([50, 5, null])
    expect(new Set([...first.offers, ...second.offers].map(({ id }) => id)).size).toBe(55)
    expect((await person.call('GET', '/conversation-offers?cursor=nonsense')).status).toBe(400)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('GET', '/conversation-offers')).status).toBe(403)
    expect((await viewer.call('DELETE', `/conversation-offers/${first.offers[0]!.id}`)).status).toBe(403)
    expect((await viewer.call('POST', `/conversation-offers/${first.offers[0]!.id}/accept`)).status).toBe(403)
  })
})
