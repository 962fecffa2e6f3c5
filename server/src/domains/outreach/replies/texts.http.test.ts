import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { rewrite } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeList, openHandles, openSenders } from '../../../../test/outreach.ts'
import { ageReplies } from '../../../../test/replies.ts'
import { askForConsent, consentAs } from '../../../../test/x-accounts.ts'
import { receive } from '../../../core/replies/receive.ts'
import { purgeOldTexts } from '../../../core/replies/texts.ts'
import { replies } from '../../../core/tables/replies.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { connected } = openSenders(() => app)

let lastEvent = 10n ** 18n
function say(from: string, to: string, text: string) {
  const [senderId, recipientId] = [idOfHandle(from), idOfHandle(to)]
  lastEvent += 1n
  const handles = { [senderId]: from, [recipientId]: to }
  return receive(app.db, [
    {
      kind: 'message',
      eventId: String(lastEvent),
      at: new Date(),
      senderId,
      recipientId,
      text,
      isEncrypted: false,
      handles,
    },
  ])
}
async function scene(options?: { consents: boolean }) {
  const { person, account } = await connected(options)
  const { handles, leadIds } = await makeList(app, person, openHandles(1))
  const decide = (storesConversations: boolean, by: Person = person, offersUnknownSenders = false) =>
    by.call('PUT', `/x-accounts/${account.id}/consent`, { storesConversations, offersUnknownSenders })
  return { person, account, lead: handles[0]!, leadId: leadIds[0]!, decide }
}
const textsOf = async (person: Person) =>
  (
    await app.db.select().from(replies).where(eq(replies.workspaceId, person.workspaceId)).orderBy(replies.xEventId)
  ).map(({ text, label }) => [text, label])

describe('without consent', () => {
  it('keeps only the label and time of replies, and no text that the owner wrote', async () => {
    const { person, account, lead, leadId } = await scene({ consents: false })
    await say(lead, account.handle, 'Please write me again on March 3')
    await say(account.handle, lead, 'I will')
    expect(await textsOf(person)).toEqual([
      [null, 'later'],
      [null, null],
    ])
    const { events } = await person.client.leads.history({ id: leadId })
    expect(events.find(({ kind }) => kind === 'replied')).toMatchObject({ text: null, label: 'later' })
  })

  it('still suppresses who opts out, without their words', async () => {
    const { person, account, lead } = await scene({ consents: false })
    await say(lead, account.handle, 'Stop, secretly')
    expect((await person.client.suppressions.list({})).suppressions).toMatchObject([
      { twitterHandle: lead, note: null },
    ])
    expect(await textsOf(person)).toEqual([[null, 'opted_out']])
  })

  it('keeps texts that were stored before the question until it is answered', async () => {
    const { person, account, lead, decide } = await scene()
    await say(lead, account.handle, 'Hello')
    await askForConsent(app, { id: account.id })
    await say(lead, account.handle, 'Are you there?')
    expect((await textsOf(person)).map(([text]) => text)).toEqual(['Hello', null])
    await decide(false)
    expect((await textsOf(person)).map(([text]) => text)).toEqual([null, null])
  })
})

describe('PUT /x-accounts/{id}/consent', () => {
  it('stores who allowed it, and when', async () => {
    const { person, account, lead, decide } = await scene({ consents: false })
    expect((await person.client.xAccount.list()).accounts).toMatchObject([
      { storesConversations: null, consent: null, offersUnknownSenders: false, isConnectedByCaller: true },
    ])
    const { status, body } = await decide(true, person, true)
    expect([status, body]).toMatchObject([
      200,
      {
        storesConversations: true,
        consent: { by: { id: person.id }, at: expect.any(String) },
        offersUnknownSenders: true,
      },
    ])
    await say(lead, account.handle, 'Hello')
    expect((await textsOf(person)).map(([text]) => text)).toEqual(['Hello'])
    // Changing the offers does not change the consent.
    expect((await decide(true)).body).toMatchObject({ consent: body.consent, offersUnknownSenders: false })
  })

  it('lets any admin revoke it, which deletes the texts of that account only', async () => {
    const { person, account, lead, decide } = await scene()
    const other = await scene()
    await say(lead, account.handle, 'Hello')
    await say(other.lead, other.account.handle, 'Hello')
    const admin = await makePerson(app, { in: person, role: 'admin' })
    expect((await decide(false, admin)).body).toMatchObject({
      storesConversations: false,
      consent: null,
      isConnectedByCaller: false,
    })
    expect((await textsOf(person)).map(([text]) => text)).toEqual([null])
    expect((await textsOf(other.person)).map(([text]) => text)).toEqual(['Hello'])
  })

  it('also deletes texts of leads whose deletion is undone later', async () => {
    const { person, account, lead, leadId, decide } = await scene()
    await say(lead, account.handle, 'Hello')
    const { removalId } = await person.client.leads.removeMany({ leadIds: [leadId] })
    await decide(false)
    await person.client.leads.restore({ removalId: removalId! })
    expect((await textsOf(person)).map(([text]) => text)).toEqual([null])
  })

  it('returns 403 to all but the person who connected it if more is allowed, and to members', async () => {
    const { person, decide } = await scene({ consents: false })
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const someone = await makePerson(app, { in: person, role })
      expect((await decide(true, someone)).status).toBe(403)
      expect((await decide(false, someone, true)).status).toBe(403)
      if (role !== 'admin') expect((await decide(false, someone)).status).toBe(403)
    }
    expect((await person.client.xAccount.list()).accounts[0]).toMatchObject({ storesConversations: null })
  })

  it('returns 400 unless both are decided', async () => {
    const { person, account } = await scene()
    for (const body of [{}, { storesConversations: true }, { storesConversations: 'yes', offersUnknownSenders: true }])
      expect((await person.call('PUT', `/x-accounts/${account.id}/consent`, body)).status).toBe(400)
  })

  it('shows a consent after the account of its person was deleted', async () => {
    const { person, account } = await scene()
    await consentAs(app, { id: account.id }, account.id)
    expect((await person.client.xAccount.list()).accounts[0]?.consent?.by).toEqual({
      id: account.id,
      name: 'Deleted account',
    })
  })
})

describe('an answer from the inbox', () => {
  async function answered() {
    const made = await scene()
    const { person, account, lead, leadId } = made
    await say(lead, account.handle, 'What does it cost?')
    const [conversation] = (await person.client.conversations.list({})).conversations
    const { id, lastMessage } = conversation!
    const sent = await person.call('POST', `/conversations/${id}/messages`, {
      text: 'A secret price',
      afterMessageId: lastMessage.id,
    })
    expect(sent.status).toBe(200)
    const textSeenBy = async ({ client }: Person) =>
      (await client.leads.history({ id: leadId })).events.flatMap((event) =>
        event.kind === 'messaged' ? [event.message] : [],
      )
    const ours = async () =>
      (await person.client.conversations.find({ id })).messages.flatMap(({ isOurs, text }) => (isOurs ? [text] : []))
    return { ...made, textSeenBy, ours }
  }

  it('is read by members, not by viewers', async () => {
    const { person, textSeenBy } = await answered()
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect([await textSeenBy(person), await textSeenBy(viewer)]).toEqual([['A secret price'], ['']])
  })

  it('loses its text if the consent is revoked', async () => {
    const { decide, ours } = await answered()
    expect(await ours()).toEqual(['A secret price'])
    await decide(false)
    expect(await ours()).toEqual([null])
  })

  it('loses its text when it is old', async () => {
    const { leadId, ours } = await answered()
    await purgeOldTexts(app.db)
    expect(await ours()).toEqual(['A secret price'])
    await rewrite(app, { leadId }, { createdAt: sql`now() - interval '366 days'` })
    await purgeOldTexts(app.db)
    expect(await ours()).toEqual([null])
  })
})

describe('GET and PUT /conversations/settings', () => {
  it('keep texts for a year unless an admin decides otherwise', async () => {
    const { person } = await connected()
    expect(await person.client.replies.settings()).toEqual({ keepTextsDays: 365 })
    expect(await person.client.replies.saveSettings({ keepTextsDays: 30 })).toEqual({ keepTextsDays: 30 })
    const member = await makePerson(app, { in: person, role: 'member' })
    expect(await member.client.replies.settings()).toEqual({ keepTextsDays: 30 })
    expect((await member.call('PUT', '/conversations/settings', { keepTextsDays: 90 })).status).toBe(403)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('GET', '/conversations/settings')).status).toBe(403)
    for (const keepTextsDays of [29, 3_651, 30.5, '90'])
      expect((await person.call('PUT', '/conversations/settings', { keepTextsDays })).status).toBe(400)
    expect(await (await makePerson(app)).client.replies.settings()).toEqual({ keepTextsDays: 365 })
  })

  it('delete older texts of each workspace, part by part, and keep their labels', async () => {
    const [short, standard] = [await scene(), await scene()]
    for (const { lead, account } of [short, standard])
      for (const text of ['Yesterday', 'I am out of office', 'Hello there']) await say(lead, account.handle, text)
    await short.person.client.replies.saveSettings({ keepTextsDays: 30 })
    await ageReplies(app, { text: ['I am out of office', 'Hello there'] }, 31)
    await ageReplies(app, { text: 'Hello there', workspaceId: standard.person.workspaceId }, 366)
    await purgeOldTexts(app.db, 1)
    expect((await textsOf(short.person)).map(([text]) => text)).toEqual(['Yesterday', null, null])
    expect((await textsOf(standard.person)).map(([text]) => text)).toEqual(['Yesterday', 'I am out of office', null])
    expect((await textsOf(short.person))[1]).toEqual([null, 'auto_reply'])
  })
})
