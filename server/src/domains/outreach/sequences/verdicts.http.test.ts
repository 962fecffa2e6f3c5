import type { StepInput } from '@x-automated/contract/outreach/steps'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { placeBefore } from '../../../../test/campaigns.ts'
import { insertConversation } from '../../../../test/conversations.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { markSent, rewrite } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { eventually, expectCountsRight, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { delayReplies, insertReply, rewriteReplies } from '../../../../test/replies.ts'
import { ageTests, forgetJudgements, insertCorrection, makeJudgementsDue } from '../../../../test/step-tests.ts'
import { storeAnswers } from '../../../core/replies/answers.ts'
import { variantOf } from '../../../core/sequences/variants.ts'
import { judgeTests } from '../../../core/sequences/verdicts.ts'
import { dms } from '../../../core/tables/messages.ts'
import { stepTests } from '../../../core/tables/sequences.ts'
import { EVENTS_CHANNEL } from '../../platform/events/recording.ts'

let app: TestApp
let person: Person
let accountXUserId: string
beforeAll(async () => {
  app = await openApp()
  person = await makePerson(app)
  await subscribe(app, person)
  accountXUserId = idOfHandle((await connectX(app, person)).handle)
})
afterEach(() => expectCountsRight(app))

type Label = 'interested' | 'opted_out'

/** Launches a campaign with variants A and B. */
async function launched(leads: number, more: Partial<StepInput> = {}) {
  const list = await makeList(app, person, openHandles(leads))
  const steps = [{ variants: [{ messageTemplate: 'A' }, { messageTemplate: 'B' }], ...more }]
  const { id } = await makeCampaign(person, list, {
    messageTemplate: undefined,
    steps: steps as never,
    channel: 'extension',
  })
  await person.client.campaigns.queue({ id })
  // Assign the variants in turn, because a hash may split so few people unevenly.
  const [a, b] = (await person.client.sequences.find({ id })).steps[0]!.variants
  const ids = (await inOrder(id)).map((message) => message.id)
  for (const [index, variant] of [a!, b!].entries()) {
    const its = ids.filter((_, position) => position % 2 === index)
    await rewrite(app, { id: its }, { variantId: variant.id, message: 'AB'[index]! })
  }
  await ageTests(app, { campaignId: id }, 20)
  return id
}

const messagesOf = (id: string) => app.db.select().from(dms).where(eq(dms.campaignId, id)).orderBy(dms.message, dms.id)

/** Records messages as sent, a minute apart, so that their windows of 7 days are closed. */
async function send(messages: readonly { id: string }[], from = '9 days'): Promise<void> {
  for (const [index, { id }] of messages.entries()) {
    const at = sql`now() - ${from}::interval + make_interval(mins => ${index})`
    await markSent(app, { id }, at, { claimedAt: at })
  }
}

/** The messages of a campaign, with A and B in turn. */
const inOrder = async (id: string) => (await messagesOf(id)).sort((first, other) => first.id.localeCompare(other.id))

/** Sends A and B in turn. Every twelfth person of B gives a positive reply, which is too few of 60 for a verdict. */
async function sendWithAnswers(messages: readonly { id: string; message: string }[]): Promise<void> {
  await send(messages)
  const ofB = messages.filter(({ message }) => message === 'B')
  await answer(
    ofB.filter((_, index) => index % 12 === 11),
    'interested',
  )
}

/** Stores a reply to each message, a day after it was sent. */
async function answer(messages: readonly { id: string }[], label: Label): Promise<void> {
  for (const { id } of messages) {
    const [dm] = await app.db.select().from(dms).where(eq(dms.id, id))
    const of = { workspaceId: person.workspaceId, leadId: dm!.leadId!, dmId: id, accountXUserId }
    await insertReply(app, { ...of, label, at: new Date(dm!.sentAt!.getTime() + 86_400_000) })
    await storeAnswers(app.db, [id])
  }
}

/** Stores a member's correction of the label of the reply to a message. @param ago an SQL interval */
async function correct({ leadId }: { leadId: string | null }, ago: string): Promise<void> {
  const its = { workspaceId: person.workspaceId, leadId: leadId! }
  const last = { isUnread: false, status: 'done' as const, label: 'not_interested' as const }
  const { id: conversationId } = await insertConversation(app, { ...its, ...last, accountXUserId })
  await insertCorrection(app, { workspaceId: person.workspaceId, conversationId, userId: person.id }, ago)
  const corrected = await rewriteReplies(app, { leadId: its.leadId }, { label: 'not_interested' })
  await storeAnswers(
    app.db,
    corrected.map(({ dmId }) => dmId!),
  )
}

/** Makes every test due and runs the job that judges tests, twice in parallel. */
async function judge(): Promise<void> {
  await makeJudgementsDue(app)
  await Promise.all([judgeTests(app.db), judgeTests(app.db)])
}

const stepOf = async (id: string) => (await person.client.sequences.results({ id })).steps[0]!
const testOf = async (id: string) => (await app.db.select().from(stepTests).where(eq(stepTests.campaignId, id)))[0]!

async function notified(id: string): Promise<string[]> {
  const { notifications } = await person.client.notifications.list({ pageSize: 100 })
  return notifications.filter(({ kind, path }) => kind === 'test_decided' && path.includes(id)).map(({ text }) => text)
}

describe('a test of two variants', () => {
  it('names the winner once the evidence is there, and notifies once', async () => {
    const id = await launched(60)
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'collecting', evidence: 1, evidenceNeeded: 20 })
    const messages = await messagesOf(id)
    await send(messages)
    const ofB = messages.filter(({ message }) => message === 'B')
    await answer(ofB, 'interested')
    const published: string[] = []
    const stop = app.services.channels.subscribe(EVENTS_CHANNEL, (payload) => published.push(payload))
    await judge()
    await judge()
    await eventually(() => published.includes(`${person.workspaceId} campaign ${id}`), 'an event')
    stop()
    const { verdict, variants } = await stepOf(id)
    expect(verdict).toMatchObject({ status: 'winner', variantId: ofB[0]!.variantId })
    expect(verdict!.evidence).toBeGreaterThan(20)
    expect(variants.map(({ name, positive }) => [name, positive])).toEqual([
      ['A', 0],
      ['B', ofB.length],
    ])
    expect(await notified(id)).toEqual([
      expect.stringMatching(/^B gets more positive replies .* You can trust this\.$/),
    ])
  })

  it('has the same evidence whether people arrive together or one after another', async () => {
    const id = await launched(30)
    const messages = await messagesOf(id)
    const order = [...messages].sort((first, other) => first.id.localeCompare(other.id))
    await send(order)
    await answer(
      order.filter((_, index) => index % 3 === 0),
      'interested',
    )
    const sentAt = (await messagesOf(id)).map((message) => [message.id, message.sentAt] as const)
    for (const count of [7, 8, 20, 30]) {
      const open = order.slice(count).map((message) => message.id)
      for (const [messageId, at] of sentAt)
        await rewrite(app, { id: messageId }, { sentAt: open.includes(messageId) ? new Date() : at })
      await judge()
    }
    const oneByOne = (await testOf(id)).state
    expect(oneByOne.pairs[0]!.positive.blocks).toBeGreaterThan(5)
    await forgetJudgements(app, { campaignId: id })
    await judge()
    expect((await testOf(id)).state).toEqual(oneByOne)
  })

  it('counts only replies within the window', async () => {
    const id = await launched(40, { testWindowDays: 1 })
    const messages = await messagesOf(id)
    await send(messages)
    await answer(
      messages.filter(({ message }) => message === 'B'),
      'interested',
    )
    await delayReplies(app, sql`dm_id in (select id from dms where campaign_id = ${id})`, 1)
    await judge()
    expect((await testOf(id)).state.pairs[0]!.positive).toMatchObject({ successesA: 0, successesB: 0 })
  })

  it('is mixed if the winner also gets more opt-outs', async () => {
    const id = await launched(80)
    const messages = await messagesOf(id)
    await send(messages)
    const ofB = messages.filter(({ message }) => message === 'B')
    await answer(ofB, 'interested')
    await answer(ofB, 'opted_out')
    await judge()
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'mixed', variantId: ofB[0]!.variantId })
    expect(await notified(id)).toEqual([expect.stringContaining('more people opt out')])
  })

  it('reports no difference only when nobody can still decide it', async () => {
    const id = await launched(30)
    const messages = await messagesOf(id)
    await send(messages.slice(1))
    await judge()
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'collecting' })
    await person.client.campaigns.update({ id, status: 'archived' })
    await judge()
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'no_difference', variantId: null })
    expect((await testOf(id)).nextAt).toBeNull()
  })

  it('has no verdict if the split is not as planned', async () => {
    const id = await launched(40)
    const [first] = await messagesOf(id)
    await send(await messagesOf(id))
    await rewrite(app, { campaignId: id }, { variantId: first!.variantId })
    await judge()
    expect(await stepOf(id)).toMatchObject({ isSplitOff: true, verdict: null })
  })

  it('keeps the labels of the moment when each window closed', async () => {
    const id = await launched(30)
    const messages = await messagesOf(id)
    await send(messages)
    const ofB = messages.filter(({ message }) => message === 'B').slice(0, 3)
    await answer(ofB, 'interested')
    // The windows closed about two days ago.
    await correct(ofB[0]!, '1 day')
    await correct(ofB[1]!, '3 days')
    await judge()
    expect((await stepOf(id)).variants.map(({ positive }) => positive)).toEqual([0, 1])
    expect((await testOf(id)).state.pairs[0]!.positive).toMatchObject({ successesA: 0, successesB: 2 })
  })

  it('starts again with other weights, and keeps its results', async () => {
    const id = await launched(30)
    const messages = await messagesOf(id)
    await send(messages.slice(0, 28))
    await judge()
    const { steps } = await person.client.sequences.find({ id })
    const variants = steps[0]!.variants.map(({ isFrozen: _, ...variant }, index) => ({ ...variant, weight: index + 1 }))
    await person.client.sequences.save({ id, version: 1, steps: [{ id: steps[0]!.id, variants }] })
    await judge()
    const tests = await app.db.select().from(stepTests).where(eq(stepTests.campaignId, id)).orderBy(stepTests.startedAt)
    expect(tests.map(({ endedAt }) => endedAt === null)).toEqual([false, true])
    expect(tests[0]!.state.pairs[0]!.positive.blocks).toBeGreaterThan(0)
    expect(tests[1]!.state.pairs[0]!.positive.blocks).toBe(0)
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'collecting', evidence: 1 })
  })

  it('moves everyone who is queued to the winner, if the step says so', async () => {
    const id = await launched(70, { switchToWinner: true })
    const messages = await messagesOf(id)
    const mixed = [...messages].sort((first, other) => first.id.localeCompare(other.id))
    await send(mixed.slice(0, 60))
    await answer(
      mixed.slice(0, 60).filter(({ message }) => message === 'B'),
      'interested',
    )
    await judge()
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'winner' })
    const queued = (await messagesOf(id)).filter(({ status }) => status === 'queued')
    expect(queued.map(({ message }) => message)).toEqual(Array.from({ length: 10 }, () => 'B'))
  })

  it('stays the winner when everyone else was sent it', async () => {
    const id = await launched(120, { switchToWinner: true })
    const mixed = await inOrder(id)
    const [first, others] = [mixed.slice(0, 40), mixed.slice(40)]
    await send(first)
    await answer(
      first.filter(({ message }) => message === 'B'),
      'interested',
    )
    await judge()
    await send(others, '1 day')
    await judge()
    expect(await stepOf(id)).toMatchObject({ isSplitOff: false, verdict: { status: 'winner' } })
  })

  it('estimates the days by the pace since its first message', async () => {
    const id = await launched(200)
    await sendWithAnswers((await inOrder(id)).slice(0, 120))
    await judge()
    const { estimatedDays } = (await stepOf(id)).verdict!
    expect(estimatedDays).toBeGreaterThan(1)
    // A draft may be much older than its launch.
    await ageTests(app, { campaignId: id }, 90)
    await judge()
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'collecting', estimatedDays })
  })

  it('estimates no days if too few people are left to be sent the step', async () => {
    const id = await launched(200)
    const messages = await inOrder(id)
    await sendWithAnswers(messages.slice(0, 120))
    await judge()
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'collecting', estimatedDays: expect.any(Number) })
    // Most others wait for a later step.
    const waiting = messages.slice(0, 190).map(({ enrollmentId }) => enrollmentId ?? '')
    await placeBefore(app, { id: waiting }, 2, { lastStepNumber: 1 })
    await judge()
    expect((await stepOf(id)).verdict).toMatchObject({ status: 'collecting', estimatedDays: null })
  })
})

it('gives more people to the better variant with an adaptive allocation, and has no verdict', async () => {
  const id = await launched(60, { allocation: 'adaptive' })
  const messages = await messagesOf(id)
  const mixed = [...messages].sort((first, other) => first.id.localeCompare(other.id))
  const sent = mixed.slice(0, 50)
  await send(sent)
  const ofB = sent.filter(({ message }) => message === 'B')
  await answer(ofB, 'interested')
  await judge()
  expect((await stepOf(id)).verdict).toBeNull()
  const { shares, stepId } = await testOf(id)
  // The allocation also applies to people who are queued.
  const to = { campaignId: sql`campaign_id`, stepId: sql`${stepId}::text`, leadId: sql`lead_id` }
  const { rows } = await app.db.execute<{ variantId: string; chosen: string; message: string }>(sql`
    select variant_id as "variantId", ${variantOf(to, shares!)} as chosen, message
    from dms where campaign_id = ${id} and status = 'queued'`)
  expect(rows).toHaveLength(10)
  for (const { variantId, chosen, message } of rows) {
    expect(variantId).toBe(chosen)
    expect(message).toBe(variantId === ofB[0]!.variantId ? 'B' : 'A')
  }
  expect(shares!.find((share) => share.id === ofB[0]!.variantId)!.share).toBeGreaterThan(0.7)
  expect(shares!.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
})
