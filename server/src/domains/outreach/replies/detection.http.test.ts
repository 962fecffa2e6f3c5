import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { editProfiles, recordReply } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { backdateClaims, rewrite } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  clearLastClaims,
  completed,
  dmsOf,
  launch,
  makeList,
  openHandles,
  openSenders,
  type SomeList,
} from '../../../../test/outreach.ts'
import type { Claimed } from '../../../core/messages/claim.ts'
import { claimDue } from '../../../core/messages/claim-due.ts'
import { record } from '../../../core/messages/record.ts'
import { receive } from '../../../core/replies/receive.ts'
import { dms } from '../../../core/tables/messages.ts'
import { replies } from '../../../core/tables/replies.ts'
import type { XHappening } from '../../../outside/x-delivery.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})
const { connected, start, arrivedFrom } = openSenders(() => app)

const REPLIED = 'Skipped: this person has replied.'
const WRITTEN = 'Skipped: you messaged this person on X yourself.'
const ASKED = 'Skipped: this person has opted out.'

let lastEvent = 10n ** 18n
const newEventId = () => {
  lastEvent += 1n
  return String(lastEvent)
}
const soon = (seconds = 1) => new Date(Date.now() + seconds * 1_000)

/** A message event as X delivers it. */
function said(from: string, to: string, text: string, more: { eventId?: string; at?: Date } = {}): XHappening {
  const [senderId, recipientId] = [idOfHandle(from), idOfHandle(to)]
  const handles = { [senderId]: from, [recipientId]: to }
  const ids = { eventId: newEventId(), senderId, recipientId }
  return { kind: 'message', ...ids, at: soon(), text, isEncrypted: false, handles, ...more }
}
const hasRead = (reader: string, author: string, at = soon(0)): XHappening => ({
  kind: 'read',
  readerId: idOfHandle(reader),
  authorId: idOfHandle(author),
  at,
  handles: {},
})
const deliver = (...events: XHappening[]) => receive(app.db, events)

/**
 * Sends a message to each lead of the list, as an extension does. @param options.eventIds also
 * stores an X id for each message, as our own senders do
 */
async function sendAll(person: Person, list: SomeList, options: { eventIds?: boolean; name?: string } = {}) {
  const { id } = await launch(person, list, { channel: 'extension', name: options.name ?? 'Spring', allowRepeat: true })
  for (;;) {
    const { status, body } = await person.call('POST', `/campaigns/${id}/claim`, { holder: 'test' })
    // The last message completes the campaign.
    if (status !== 200) break
    await person.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent: true })
    if (options.eventIds) await rewrite(app, { id: body.dmId }, { xEventId: newEventId() })
  }
  await clearLastClaims(app)
  return id
}
const fates = async (person: Person, campaignId: string) =>
  (await dmsOf(person, campaignId)).map(({ status, errorMessage }) => errorMessage ?? status)
const historyOf = async (person: Person, leadId: string) =>
  (await person.client.leads.history({ id: leadId })).events.filter(
    ({ kind }) => kind === 'replied' || kind === 'written',
  )

async function scene(count = 2, options: Parameters<typeof makeList>[3] = {}) {
  const { person, account } = await connected()
  const list = await makeList(app, person, openHandles(count), options)
  return { person, account, list, lead: list.handles[0]!, leadId: list.leadIds[0]! }
}

describe('a reply', () => {
  it('marks the message, its campaign and the lead, and stops what is queued for that lead in every campaign', async () => {
    const { person, account, list, lead, leadId } = await scene()
    const sent = await sendAll(person, list)
    const waiting = await launch(person, list, { channel: 'extension', allowRepeat: true, name: 'Second' })
    const reply = said(lead, account.handle, 'Sounds great!')
    await deliver(reply, reply)
    await deliver({ ...reply })

    expect(await fates(person, sent)).toEqual(['replied', 'sent'])
    expect(await fates(person, waiting.id)).toEqual([REPLIED, 'queued'])
    expect(await person.client.campaigns.find({ id: sent })).toMatchObject({
      dmsSentCount: 2,
      dmsDeliveredCount: 1,
      dmsRepliedCount: 1,
    })
    expect(await historyOf(person, leadId)).toMatchObject([
      { kind: 'replied', text: 'Sounds great!', optedOut: false, dmId: (await dmsOf(person, sent))[0]!.id },
    ])
    // The next campaign skips people who replied, unless it includes them.
    const next = await launch(person, list, { channel: 'extension', name: 'Third' })
    expect((await fates(person, next.id))[0]).toBe(REPLIED)
    const repeated = await launch(person, list, { channel: 'extension', name: 'Fourth', allowRepeat: true })
    expect((await fates(person, repeated.id))[0]).toBe(REPLIED)
    const both = { allowRepeat: true, allowReplied: true }
    const included = await launch(person, list, { channel: 'extension', name: 'Fifth', ...both })
    expect((await fates(person, included.id))[0]).toBe('queued')
    const [stopped] = await dmsOf(person, next.id)
    const refused = await person.call('POST', `/dms/${stopped!.id}/requeue`)
    expect([refused.status, refused.body.error]).toEqual([409, 'This person has replied.'])
  })

  it.each(['api', 'extension'] as const)(
    'excludes its author from other campaigns on channel %s unless both options allow it',
    async (channel) => {
      const { person, account, list, lead } = await scene(1)
      await sendAll(person, list)
      await deliver(said(lead, account.handle, 'Sounds great!'))
      for (const [allowRepeat, allowReplied, fate] of [
        [false, false, REPLIED],
        [true, false, REPLIED],
        [false, true, 'Skipped: this person already got the campaign “Spring”.'],
        [true, true, 'queued'],
      ] as const) {
        const { id } = await launch(person, list, { channel, name: 'Next', allowRepeat, allowReplied })
        expect(await fates(person, id)).toEqual([fate])
      }
    },
  )

  it.each(['api', 'extension', 'simulated'] as const)(
    'stops a queued message if it arrives before sending: %s',
    async (sender) => {
      const { person, account, list, leadId } = await scene(1)
      await sendAll(person, list)
      const channel = sender === 'extension' ? 'extension' : 'api'
      const { id } = await launch(person, list, { channel, name: 'Second', allowRepeat: true })
      expect(await fates(person, id)).toEqual(['queued'])
      // As after a merge with a duplicate lead who had replied.
      await recordReply(app, { id: leadId })
      if (sender === 'api') await start()
      else if (sender === 'simulated') await person.client.campaigns.processQueue({})
      else expect((await person.client.campaigns.claim({ id, holder: 'test' })).status).toBe(204)
      await completed(person, id)
      expect(await fates(person, id)).toEqual([REPLIED])
      expect(await arrivedFrom(account.handle)).toEqual([])
      // Direct messages are still sent.
      const byHand = { leadId, message: 'Hi', templateVariables: { name: '', handle: list.handles[0]! } }
      expect(await person.client.messages.send({ ...byHand, allowRepeat: true })).toMatchObject({ status: 'sent' })
    },
  )

  it('stops a message that an extension has claimed and not yet confirmed', async () => {
    const { person, account, list, lead } = await scene(1)
    await sendAll(person, list)
    const both = { allowRepeat: true, allowReplied: true }
    const { id } = await launch(person, list, { channel: 'extension', name: 'Second', ...both })
    const claim = await person.client.campaigns.claim({ id, holder: 'test' })
    if (claim.status !== 200) throw new Error('nothing was claimed')
    await deliver(said(lead, account.handle, 'Sounds great!'))
    const { dmId, lease } = claim.body
    expect(await person.client.campaigns.confirm({ id: dmId, lease })).toMatchObject({ maySend: false })
    expect(await fates(person, id)).toEqual([REPLIED])
  })

  it('skips an imported lead who is the same person as one who replied', async () => {
    const { person, account, list, lead, leadId } = await scene(1)
    await sendAll(person, list)
    await deliver(said(lead, account.handle, 'Sounds great!'))
    // X returns the same id for both handles, as if the person had been renamed.
    await editProfiles(app, { id: leadId }, { twitterHandle: 'before_renaming' })
    const again = await makeList(app, person, [lead], { unknownIds: true })
    const { id } = await launch(person, again, { name: 'Second', allowRepeat: true })
    await start()
    await completed(person, id)
    expect(await fates(person, id)).toEqual([REPLIED])
    expect(await arrivedFrom(account.handle)).toEqual([])
  })

  it('matches a lead by handle and then stores the X id', async () => {
    const { person, account, list, lead } = await scene(1, { unknownIds: true })
    const id = await sendAll(person, list)
    await deliver(said(lead, account.handle, 'Hi'))
    expect(await fates(person, id)).toEqual(['replied'])
    await deliver({ ...said(lead, account.handle, 'Once more'), handles: {} })
    expect(await historyOf(person, list.leadIds[0]!)).toHaveLength(2)
  })

  it('answers the last message before it and marks earlier ones as read', async () => {
    const { person, account, list, lead } = await scene(1)
    const first = await sendAll(person, list)
    const second = await sendAll(person, list, { name: 'Second' })
    const between = new Date((await app.db.select().from(dms).where(eq(dms.campaignId, first)))[0]!.claimedAt!)
    await backdateClaims(app, { campaignId: second }, -3_600)
    await deliver(said(lead, account.handle, 'To the first', { at: new Date(between.getTime() + 60_000) }))
    expect([await fates(person, first), await fates(person, second)]).toEqual([['replied'], ['sent']])
    await deliver(said(lead, account.handle, 'To the second', { at: soon(7_200) }))
    expect([await fates(person, first), await fates(person, second)]).toEqual([['replied'], ['replied']])
  })

  it('becomes a contact basis, not a reply, if the lead was never messaged', async () => {
    const { person, account, list, lead, leadId } = await scene(1)
    await deliver(said(lead, account.handle, 'Do you take new customers?'))
    expect(await person.client.leads.find({ id: leadId })).toMatchObject({
      basis: 'wrote_first',
      basisSource: `Wrote to @${account.handle} on X`,
    })
    const campaign = await launch(person, list, { channel: 'extension' })
    expect(await fates(person, campaign.id)).toEqual(['queued'])
  })

  it('only suggests to suppress the lead if the model reads an opt-out that no rule finds', async () => {
    const { person, account, list, lead } = await scene(1)
    const id = await sendAll(person, list)
    await deliver(said(lead, account.handle, 'Get these messages away from me'))
    expect(await fates(person, id)).toEqual(['replied'])
    expect((await person.client.suppressions.list({})).total).toBe(0)
    const { conversations } = await person.client.conversations.list({})
    expect(conversations).toMatchObject([{ label: 'opted_out', suppression: 'suggested' }])
    expect(conversations[0]?.confidence).toBeLessThan(1)
  })

  it('suppresses the lead if it contains a built-in or custom opt-out word', async () => {
    const { person, account, list, lead } = await scene()
    const second = list.handles[1]!
    const id = await sendAll(person, list)
    const waiting = await launch(person, list, { channel: 'extension', allowRepeat: true, name: 'Second' })
    await deliver(said(lead, account.handle, 'Please STOP.'), said(second, account.handle, 'nein danke'))
    expect(await fates(person, id)).toEqual(['replied', 'replied'])
    expect(await fates(person, waiting.id)).toEqual([ASKED, REPLIED])
    expect((await person.client.suppressions.list({})).suppressions).toMatchObject([
      { twitterHandle: lead, reason: 'replied_stop', note: null, by: null },
    ])
    await person.client.sendingSettings.saveOptOutWords({ words: ['nein danke'] })
    await deliver(said(second, account.handle, 'Nein, danke!'))
    expect((await person.client.suppressions.list({})).total).toBe(2)
    expect((await person.client.sendingSettings.saveOptOutWords({ words: [] })).optOutWords).toEqual([])
  })

  it('is stored truncated, can be deleted, and is deleted and restored with its lead', async () => {
    const { person, account, list, lead, leadId } = await scene(1)
    await sendAll(person, list)
    await deliver(said(lead, account.handle, 'x'.repeat(12_000)))
    const [reply] = await app.db.select().from(replies).where(eq(replies.leadId, leadId))
    expect(reply!.text).toHaveLength(10_000)
    const { removalId } = await person.client.leads.removeMany({ leadIds: [leadId] })
    expect(await app.db.$count(replies, eq(replies.leadId, leadId))).toBe(0)
    await person.client.leads.restore({ removalId: removalId! })
    expect(await historyOf(person, leadId)).toMatchObject([{ kind: 'replied', dmId: reply!.dmId }])

    const stranger = await makePerson(app)
    const path = `/replies/${reply!.id}/text`
    const refused = await stranger.call('DELETE', path)
    expect([refused.status, refused.body.code]).toEqual([404, 'REPLY_NOT_FOUND'])
    expect((await person.call('DELETE', path)).status).toBe(204)
    expect(await historyOf(person, leadId)).toMatchObject([{ kind: 'replied', text: null }])
  })

  it('counts in both workspaces that share an X account', async () => {
    const { person, account, list, lead } = await scene(1)
    const other = await makePerson(app)
    await other.client.xAccount.connect({ username: account.handle, password: 'long enough' })
    const theirs = await makeList(app, other, list.handles)
    const ids = [await sendAll(person, list), await sendAll(other, theirs)] as const
    await deliver(said(lead, account.handle, 'Hello you two'))
    expect([await fates(person, ids[0]), await fates(other, ids[1])]).toEqual([['replied'], ['replied']])
  })
})

describe('a message from the account itself', () => {
  it('stops queued messages and appears in the history if written by hand', async () => {
    const { person, account, list, lead, leadId } = await scene()
    const sent = await sendAll(person, list)
    const waiting = await launch(person, list, { channel: 'extension', allowRepeat: true, name: 'Second' })
    await deliver(said(account.handle, lead, 'Shall we talk on Monday?'))
    expect(await fates(person, sent)).toEqual(['sent', 'sent'])
    expect(await fates(person, waiting.id)).toEqual([WRITTEN, 'queued'])
    expect(await historyOf(person, leadId)).toMatchObject([{ kind: 'written', text: 'Shall we talk on Monday?' }])
    // If a user queues the message again, it is sent.
    const [stopped] = await dmsOf(person, waiting.id)
    await person.client.campaigns.requeue({ id: stopped!.id })
    const { body } = await person.call('POST', `/campaigns/${waiting.id}/claim`, { holder: 'test' })
    expect(list.handles).toContain(body.twitterHandle)
  })

  it('is recognized as ours by X id, or by the text of a message that is out', async () => {
    const { person, account, list, lead } = await scene(1)
    const byId = await sendAll(person, list, { eventIds: true })
    const [message] = await app.db.select().from(dms).where(eq(dms.campaignId, byId))
    await sendAll(person, list, { name: 'Second' })
    const waiting = await launch(person, list, { channel: 'extension', allowRepeat: true, name: 'Third' })
    await deliver(
      said(account.handle, lead, 'Hi Lead 1', { eventId: message!.xEventId! }),
      said(account.handle, lead, `Hi Lead 1,  I follow @${lead}.`),
    )
    expect(await fates(person, waiting.id)).toEqual(['queued'])
    expect(await app.db.$count(replies, eq(replies.workspaceId, person.workspaceId))).toBe(0)
  })
})

describe('events in any order', () => {
  const steps = ['record', 'reply', 'read', 'echo'] as const
  type Step = (typeof steps)[number]
  const orders = permutations(steps)

  it.each([orders.filter((_, i) => i % 2 === 0), orders.filter((_, i) => i % 2 === 1)])(
    'lead to the same state for every order of record, reply, read and echo (%#)',
    async (...some: (readonly Step[])[]) => {
      const { person, account, list } = await scene(some.length)
      const campaign = await launch(person, list)
      const claimed: Claimed[] = []
      while (claimed.length < some.length) {
        const next = await claimDue(app.db, 1, app.env)
        if (next.claimed) claimed.push(next.claimed)
      }
      const echoes = claimed.map((claim) => said(account.handle, claim.lead!.handle, claim.message))
      await Promise.all(
        some.map(async (order, i) => {
          const claim = claimed[i]!
          const echo = echoes[i]! as Extract<XHappening, { kind: 'message' }>
          for (const step of order) {
            if (step === 'record')
              await record(app.db, [
                { claimed: claim, verdict: { kind: 'sent', eventId: echo.eventId, mills: 0 }, failures: 0 },
              ])
            else if (step === 'reply') await deliver(said(claim.lead!.handle, account.handle, 'Yes'))
            else if (step === 'read') await deliver(hasRead(claim.lead!.handle, account.handle))
            else await deliver(echo)
          }
        }),
      )
      expect(await fates(person, campaign.id)).toEqual(some.map(() => 'replied'))
      expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
        status: 'completed',
        dmsRepliedCount: some.length,
      })
    },
  )

  function permutations<T>(all: readonly T[]): T[][] {
    return all.length === 0
      ? [[]]
      : all.flatMap((item) => permutations(all.filter((other) => other !== item)).map((rest) => [item, ...rest]))
  }
})

describe('a read receipt', () => {
  it('marks earlier messages as delivered, but not later ones', async () => {
    const { person, account, list, lead } = await scene(1)
    const first = await sendAll(person, list)
    await deliver(hasRead(lead, account.handle))
    const second = await sendAll(person, list, { name: 'Second' })
    await backdateClaims(app, { campaignId: second }, -3_600)
    await deliver(hasRead(lead, account.handle), hasRead(lead, account.handle, soon(-60)))
    expect([await fates(person, first), await fates(person, second)]).toEqual([['delivered'], ['sent']])
    expect(await person.client.campaigns.find({ id: first })).toMatchObject({ dmsDeliveredCount: 1, dmsSentCount: 1 })
  })
})
