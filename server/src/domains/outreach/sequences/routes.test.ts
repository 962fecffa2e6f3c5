import type { StepInput } from '@x-automated/contract/outreach/steps'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { makeDue } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, expectCountsRight, launch, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import { receive } from '../../../core/replies/receive.ts'
import { enrollments } from '../../../core/tables/sequences.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'

let app: TestApp
let person: Person
let stranger: Person
beforeAll(async () => {
  app = await openApp()
  stranger = await makePerson(app)
})
// Each test has its own X account, because older campaigns of an account send first.
beforeEach(async () => {
  person = await makePerson(app)
  await connectX(app, person)
  await subscribe(app, person)
})

const DELAY = { amount: 2, unit: 'days' as const }
const step = (messageTemplate: string, more: Partial<StepInput> = {}) => ({ variants: [{ messageTemplate }], ...more })

/** Creates a paused campaign with these steps. */
async function campaignOf(steps: object[], more: object = {}, leads = 2) {
  const list = await makeList(app, person, openHandles(leads))
  return makeCampaign(person, list, { messageTemplate: undefined, steps: steps as never, ...more })
}

const enrollmentsOf = (campaignId: string) =>
  app.db.select().from(enrollments).where(eq(enrollments.campaignId, campaignId)).orderBy(enrollments.id)

/** Claims and reports every message of a campaign that the extension sends. */
async function sendAll(id: string): Promise<void> {
  for (;;) {
    const response = await person.client.campaigns.claim({ id, holder: 'test' })
    if (response.status !== 200) return
    const { dmId, lease } = response.body
    const { campaignCompleted } = await person.client.campaigns.recordOutcome({ id: dmId, lease, wasSent: true })
    if (campaignCompleted) return
  }
}

describe('POST /campaigns with steps', () => {
  it('returns the steps with ids and numbers, and the first text as messageTemplate', async () => {
    const campaign = await campaignOf([step('Hi {lead_name}'), step('Still there?', { delay: DELAY })], {
      reengagement: { afterDays: 20, messageTemplate: 'One last time' },
    })
    expect(campaign).toMatchObject({ messageTemplate: 'Hi {lead_name}', stepCount: 2, openEnrollments: 0 })
    expect(await person.client.sequences.find({ id: campaign.id })).toMatchObject({
      version: 1,
      steps: [
        {
          number: 1,
          delay: null,
          condition: null,
          variants: [{ name: 'A', weight: 1, isActive: true, isFrozen: false }],
        },
        {
          number: 2,
          delay: DELAY,
          condition: 'no_reply',
          testWindowDays: 7,
          variants: [{ messageTemplate: 'Still there?' }],
        },
      ],
      reengagement: { afterDays: 20, messageTemplate: 'One last time' },
    })
  })

  it.each([
    ['both messageTemplate and steps', { messageTemplate: 'Hi', steps: [step('Hi')] }],
    ['neither', {}],
    ['a delay of the first step', { steps: [step('Hi', { delay: DELAY })] }],
    ['no delay of the second step', { steps: [step('Hi'), step('You')] }],
    ['a delay of 91 days', { steps: [step('Hi'), step('You', { delay: { amount: 91, unit: 'days' } })] }],
    ['eleven steps', { steps: [step('Hi'), ...Array.from({ length: 10 }, () => step('You', { delay: DELAY }))] }],
    ['an unknown variable', { steps: [step('Hi {last_name}')] }],
    [
      'two variants of one name',
      { steps: [{ variants: ['Hi', 'You'].map((text) => ({ messageTemplate: text, name: 'A' })) }] },
    ],
    ['only inactive variants', { steps: [{ variants: [{ messageTemplate: 'Hi', isActive: false }] }] }],
  ])('returns 400 for %s', async (_, more) => {
    const list = await makeList(app, person, [])
    const body = { name: 'Spring', leadListId: list.id, status: 'paused', ...more }
    expect((await person.call('POST', '/campaigns', body)).body.code).toBe('INVALID_INPUT')
  })

  it('returns 403 beyond the plan: steps on Free, variants on Pro', async () => {
    const free = await makePerson(app)
    const list = await makeList(app, free, [])
    const body = (steps: object[]) => ({ name: 'Spring', leadListId: list.id, status: 'paused', steps })
    const two = body([step('Hi'), step('You', { delay: DELAY })])
    const refused = await free.call('POST', '/campaigns', two)
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      403,
      'PLAN_LIMIT',
      { limit: 1, used: 2, plan: 'free' },
    ])
    await subscribe(app, free, 'pro_monthly')
    expect((await free.call('POST', '/campaigns', two)).status).toBe(200)
    const tested = body([{ variants: [{ messageTemplate: 'A' }, { messageTemplate: 'B' }] }])
    expect((await free.call('POST', '/campaigns', tested)).body.code).toBe('PLAN_LIMIT')
  })
})

describe('a launch after a plan has ended', () => {
  const launchedOn = async (plan: 'pro_monthly' | null) => {
    const two = { variants: [{ messageTemplate: 'A' }, { messageTemplate: 'B' }] }
    const later = [1, 2, 3].map((n) => step(`Follow-up ${n}`, { delay: DELAY }))
    const reengagement = { afterDays: 20, messageTemplate: 'One last time' }
    const { id } = await campaignOf([two, ...later], { channel: 'extension', reengagement })
    if (plan) await subscribe(app, person, plan)
    else await unsubscribe(app, person)
    await person.client.campaigns.queue({ id })
    const { steps, reengagement: last } = await person.client.sequences.find({ id })
    const texts = steps.map(({ variants }) =>
      variants.filter(({ isActive }) => isActive).map(({ messageTemplate }) => messageTemplate),
    )
    return { texts, last, sent: new Set((await dmsOf(person, id)).map(({ message }) => message)) }
  }

  it('keeps the first steps that the plan allows, with one variant each', async () => {
    expect(await launchedOn('pro_monthly')).toEqual({
      texts: [['A'], ['Follow-up 1'], ['Follow-up 2']],
      last: null,
      sent: new Set(['A']),
    })
  })

  it('keeps the first message on the Free plan', async () => {
    expect(await launchedOn(null)).toEqual({ texts: [['A']], last: null, sent: new Set(['A']) })
  })
})

describe('enrollments', () => {
  it('enrolls every lead at the launch, and completes one step with its last message', async () => {
    const list = await makeList(app, person, openHandles(2))
    const campaign = await launch(person, list, { channel: 'extension' })
    expect(campaign.openEnrollments).toBe(2)
    expect(await enrollmentsOf(campaign.id)).toMatchObject([
      { state: 'active', nextStepNumber: 1 },
      { state: 'active' },
    ])
    await sendAll(campaign.id)
    expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
      status: 'completed',
      openEnrollments: 0,
    })
    expect(await enrollmentsOf(campaign.id)).toMatchObject([
      { state: 'finished', lastOrdinal: 0 },
      { state: 'finished' },
    ])
    await expectCountsRight(app)
  })

  it("stops a skipped lead's enrollment at the launch", async () => {
    const list = await makeList(app, person, openHandles(1))
    await person.client.suppressions.create({ handles: list.handles })
    const campaign = await launch(person, list)
    expect(await enrollmentsOf(campaign.id)).toMatchObject([
      { state: 'stopped', reason: { code: 'skipped', params: { skip: 'suppressed', reason: expect.any(String) } } },
    ])
    expect(campaign).toMatchObject({ status: 'completed', totalLeadsInList: 1, dmsFailedCount: 1 })
  })

  it('spreads variants by their weights', async () => {
    const variants = [{ messageTemplate: 'A' }, { messageTemplate: 'B', weight: 3 }]
    const { id } = await campaignOf([{ variants }], {}, 40)
    await person.client.campaigns.queue({ id })
    const texts = (await dmsOf(person, id)).map(({ message }) => message)
    expect(texts.filter((text) => text === 'B').length).toBeGreaterThan(20)
    expect(new Set(texts)).toEqual(new Set(['A', 'B']))
  })
})

describe('PUT /campaigns/{id}/sequence', () => {
  it('returns 400 if the id of a step or variant is malformed, whatever the version', async () => {
    const { id } = await campaignOf([step('Hi')])
    for (const steps of [[{ ...step('Hi'), id: 'one' }], [{ variants: [{ id: 'A', messageTemplate: 'Hi' }] }]]) {
      const response = await person.call('PUT', `/campaigns/${id}/sequence`, { version: 7, steps })
      expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    }
  })

  it('returns 409 if another save came first, and 404 for another workspace', async () => {
    const { id } = await campaignOf([step('Hi')])
    const save = (message: string) => person.client.sequences.save({ id, version: 1, steps: [step(message)] })
    expect((await save('First')).version).toBe(2)
    await expect(save('Second')).rejects.toMatchObject({ code: 'SEQUENCE_CHANGED' })
    await expect(stranger.client.sequences.find({ id })).rejects.toMatchObject({ code: 'CAMPAIGN_NOT_FOUND' })
    await expect(stranger.client.sequences.save({ id, version: 2, steps: [step('Hi')] })).rejects.toMatchObject({
      code: 'CAMPAIGN_NOT_FOUND',
    })
    expect((await person.client.campaigns.find({ id })).messageTemplate).toBe('First')
  })

  it('returns 403 beyond the plan', async () => {
    const free = await makePerson(app)
    const { id } = await makeCampaign(free, await makeList(app, free, []))
    const steps = [step('Hi'), step('You', { delay: DELAY })]
    await expect(free.client.sequences.save({ id, version: 1, steps })).rejects.toMatchObject({ code: 'PLAN_LIMIT' })
    expect((await free.client.sequences.find({ id })).version).toBe(1)
  })

  it('returns 409 for an archived campaign, and for follow-ups of an extension without an X account', async () => {
    const steps = [step('Hi'), step('You', { delay: DELAY })]
    const archived = await campaignOf([step('Hi')])
    await person.client.campaigns.update({ id: archived.id, status: 'archived' })
    await expect(person.client.sequences.save({ id: archived.id, version: 1, steps })).rejects.toMatchObject({
      code: 'CAMPAIGN_STATE',
    })
    const alone = await makePerson(app)
    await subscribe(app, alone)
    const { id } = await launch(alone, await makeList(app, alone, openHandles(1)), { channel: 'extension' })
    await expect(alone.client.sequences.save({ id, version: 1, steps })).rejects.toMatchObject({
      code: 'X_NOT_CONNECTED',
    })
    expect((await alone.client.sequences.find({ id })).version).toBe(1)
  })

  it('keeps ids, retires a variant that was sent, and rewrites what is queued', async () => {
    const { id } = await campaignOf([step('Hi')], { channel: 'extension' })
    await person.client.campaigns.queue({ id })
    const response = await person.client.campaigns.claim({ id, holder: 'test' })
    if (response.status !== 200) throw new Error('no claim')
    await person.client.campaigns.recordOutcome({ id: response.body.dmId, lease: response.body.lease, wasSent: true })
    const before = await person.client.sequences.find({ id })
    const [first] = before.steps
    const sent = first!.variants[0]!
    expect(sent.isFrozen).toBe(true)
    const after = await person.client.sequences.save({
      id,
      version: 1,
      steps: [{ id: first!.id, variants: [{ id: sent.id, messageTemplate: 'Hello' }] }],
    })
    expect(after.steps).toMatchObject([
      {
        id: first!.id,
        variants: [
          { messageTemplate: 'Hello', isActive: true },
          { id: sent.id, messageTemplate: 'Hi', isActive: false },
        ],
      },
    ])
    expect((await dmsOf(person, id)).map(({ message }) => message).sort()).toEqual(['Hello', 'Hi'])
  })

  it('gives deleted people the new text once their deletion is undone', async () => {
    const list = await makeList(app, person, openHandles(3))
    const { id } = await launch(person, list, { channel: 'extension', messageTemplate: 'Hi {lead_name}' })
    const claim = () => person.client.campaigns.claim({ id, holder: 'test' })
    const sent = await claim()
    if (sent.status !== 200) throw new Error('no claim')
    await person.client.campaigns.recordOutcome({ id: sent.body.dmId, lease: sent.body.lease, wasSent: true })
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds.slice(1) })
    // One of their messages becomes due in the meantime.
    const last = sql`id = (select id from dms where campaign_id = ${id} and status = 'queued' order by id desc limit 1)`
    await makeDue(app, last, new Date(Date.now() + 60_000))
    expect((await claim()).status).toBe(204)
    expect((await dmsOf(person, id)).map(({ status }) => status)).toEqual(['sent', 'failed', 'queued'])
    await person.client.campaigns.update({ id, messageTemplate: 'Hello {lead_name}' })
    await expectCountsRight(app)
    await person.client.leads.restore({ removalId: removalId! })
    expect((await dmsOf(person, id)).map(({ message }) => message)).toEqual([
      'Hi Lead 1',
      'Hello Lead 2',
      'Hello Lead 3',
    ])
    await expectCountsRight(app)
  })
})

it('completes a campaign when a reply stops its last message', async () => {
  const list = await makeList(app, person, openHandles(1))
  const campaign = await launch(person, list)
  const [account] = await app.db.select().from(xAccounts).where(eq(xAccounts.workspaceId, person.workspaceId))
  const handle = list.handles[0] as string
  await receive(app.db, [
    {
      kind: 'message',
      isEncrypted: false,
      eventId: '1700000000000000001',
      senderId: idOfHandle(handle),
      recipientId: account!.xUserId,
      text: 'Who are you?',
      at: new Date(),
      handles: {},
    },
  ])
  expect(await enrollmentsOf(campaign.id)).toMatchObject([
    { state: 'replied', reason: { code: 'reply' }, nextStepNumber: null },
  ])
  expect(await person.client.campaigns.find({ id: campaign.id })).toMatchObject({
    status: 'completed',
    openEnrollments: 0,
  })
  await expectCountsRight(app)
})
