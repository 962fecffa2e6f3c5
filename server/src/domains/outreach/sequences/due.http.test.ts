import type { StepInput } from '@x-automated/contract/outreach/steps'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteCampaigns, deleteSteps, pausePeople, planFollowUp, replaceSteps } from '../../../../test/campaigns.ts'
import { recordClaim } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { makeDue } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  arrived,
  claimNext,
  confirmDetection,
  dmsOf,
  expectCountsRight,
  launch,
  letPass,
  makeCampaign,
  makeList,
  openHandles,
  sendDue,
  waitForBlockedStatement,
} from '../../../../test/outreach.ts'
import { openPlanned } from '../../../../test/plans.ts'
import { forgetRead, loseWebhook, planRead, recordRead } from '../../../../test/reply-watches.ts'
import { setShares } from '../../../../test/step-tests.ts'
import { insertSuppressions } from '../../../../test/suppressions.ts'
import { letSend, loseConnection, reconnect } from '../../../../test/x-accounts.ts'
import { claimDue } from '../../../core/messages/claim.ts'
import { send, TIMING } from '../../../core/messages/deliver.ts'
import { record } from '../../../core/messages/record.ts'
import { queueFollowUps } from '../../../core/sequences/advance.ts'
import { enrollments } from '../../../core/tables/sequences.ts'
import { limitOn, use } from '../../platform/billing/plan.ts'
import { receive } from '../replies/detection.ts'

let app: TestApp
let person: Person
let account: { id: string; handle: string }
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
  account = await connectX(app, person)
  await subscribe(app, person)
  await confirmDetection(app)
})
afterEach(() => expectCountsRight(app))

const DELAY = { amount: 2, unit: 'hours' as const }
const step = (messageTemplate: string, more: Partial<StepInput> = {}): StepInput =>
  ({ variants: [{ messageTemplate }], delay: DELAY, ...more }) as StepInput
const FIRST = step('Hi {twitter_handle}', { delay: undefined })
const TWO = [FIRST, step('Still there, {twitter_handle}?')]

/** Launches a campaign with these steps and sends its first messages. */
async function begin(steps: StepInput[] = TWO, people = 1, more: object = {}) {
  const list = await makeList(app, person, openHandles(people))
  const { id } = await launch(person, list, { messageTemplate: undefined, steps, ...more })
  await sendDue(app)
  return { id, list, handle: list.handles[0] as string }
}

const campaignNow = (id: string) => person.client.campaigns.find({ id })
const enrollmentsOf = (id: string) =>
  app.db.select().from(enrollments).where(eq(enrollments.campaignId, id)).orderBy(enrollments.id)
const queueDue = () => queueFollowUps(app.db, app.services.env)
const textsTo = async (handle: string) => (await arrived(app, handle)).map(({ text }) => text)

let events = 0
const replyOf = (handle: string, text = 'Who are you?') => ({
  kind: 'message' as const,
  isEncrypted: false,
  eventId: `18${Date.now()}${events++}`,
  senderId: idOfHandle(handle),
  recipientId: idOfHandle(account.handle),
  text,
  at: new Date(),
  handles: {},
})

/** Adds a step at the end. */
const addStep = (id: string, added: StepInput) => saveSteps(id, (steps) => [...steps, added])

/** Saves the sequence with changed steps. */
async function saveSteps(id: string, change: (steps: object[]) => (object | undefined)[]): Promise<void> {
  const { version, steps } = await person.client.sequences.find({ id })
  const input = steps.map(({ number: _, variants, ...rest }) => ({
    ...rest,
    delay: rest.delay ?? undefined,
    condition: rest.condition ?? undefined,
    variants: variants.map(({ isFrozen: _, ...variant }) => variant),
  }))
  await person.client.sequences.save({ id, version, steps: change(input) as never })
}

describe('queueFollowUps', () => {
  it('keeps a campaign active while a follow-up is to come, and completes it after the last', async () => {
    const { id, handle } = await begin(TWO, 2)
    expect(await campaignNow(id)).toMatchObject({ status: 'active', openEnrollments: 2, dmsQueuedCount: 0 })
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(2)
    await letPass(app, id, 2)
    await queueDue()
    expect(await sendDue(app)).toHaveLength(2)
    expect(await textsTo(handle)).toEqual([`Hi @${handle}`, `Still there, @${handle}?`])
    expect(await campaignNow(id)).toMatchObject({ status: 'completed', openEnrollments: 0, dmsSentCount: 4 })
  })

  it('pauses a campaign with a step that an earlier version accepted, and names its variable', async () => {
    const { id, handle } = await begin()
    const steps = sql`jsonb_set(steps, '{1,variants,0,messageTemplate}', '"Still there, [[name]]?"')`
    await replaceSteps(app, id, steps)
    await letPass(app, id, 2)
    await queueDue()
    const reason = { code: 'placeholder', params: { written: '[[name]]' } }
    expect(await campaignNow(id)).toMatchObject({ status: 'paused', reason, dmsQueuedCount: 0 })
    await expect(person.client.campaigns.update({ id, status: 'active' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('Unknown variable [[name]]. Write {lead_name}.'),
    })
    await saveSteps(id, ([first]) => [first, step('Still there, {{name|friend}}?')])
    await person.client.campaigns.update({ id, status: 'active' })
    await queueDue()
    await sendDue(app)
    expect(await textsTo(handle)).toHaveLength(2)
  })

  it('continues with a new step for people who had finished', async () => {
    const { id, handle } = await begin(TWO, 2)
    // The campaign continues because of the second person.
    const [, second] = await enrollmentsOf(id)
    await pausePeople(app, { id: second!.id })
    await letPass(app, id, 2)
    await queueDue()
    await sendDue(app)
    expect((await enrollmentsOf(id)).map(({ state }) => state).sort()).toEqual(['finished', 'paused'])
    await addStep(id, step('Last call'))
    expect(await campaignNow(id)).toMatchObject({ status: 'active', openEnrollments: 2 })
    await letPass(app, id, 2)
    await queueDue()
    await sendDue(app)
    expect(await textsTo(handle)).toEqual([`Hi @${handle}`, `Still there, @${handle}?`, 'Last call'])
  })

  it('names the step of a message that is claimed while the sequence is edited', async () => {
    const { id, handle } = await begin()
    await letPass(app, id, 2)
    await queueDue()
    const claimed = await claimNext(app)
    await addStep(id, step('Last call'))
    expect(await enrollmentsOf(id)).toMatchObject([{ version: 2, nextStepNumber: 2 }])
    await record(app.db, [{ claimed, verdict: await send(app.services, claimed, TIMING), failures: 1 }])
    expect(await enrollmentsOf(id)).toMatchObject([{ nextStepNumber: 3 }])
    expect(await textsTo(handle)).toEqual([`Hi @${handle}`, `Still there, @${handle}?`])
  })

  it('waits for days with a sending window', async () => {
    const { id } = await begin([FIRST, step('You', { delay: { amount: 2, unit: 'days' } })])
    const workDays = [((new Date().getUTCDay() + 2) % 7) + 1]
    const limits = { timeZone: 'UTC', hours: null, dailyCap: null, warmUp: false, pauseSeconds: null }
    await person.client.sendingSettings.saveLimits({ ...limits, workDays, xAccountId: account.id })
    await letPass(app, id, 48)
    await queueDue()
    const [enrollment] = await enrollmentsOf(id)
    expect(enrollment?.nextAt?.getTime()).toBeGreaterThan(Date.now())
    expect(await dmsOf(person, id)).toHaveLength(1)
  })

  it('queues nothing for a lead who was suppressed, replied or was deleted', async () => {
    const { id, list } = await begin(TWO, 3)
    const [suppressed, replied] = list.handles as [string, string]
    await insertSuppressions(app, person, { twitterHandle: suppressed })
    await receive(app.db, [replyOf(replied)])
    await person.client.leads.remove({ id: list.leadIds[2] as string })
    await letPass(app, id, 2)
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(3)
    expect((await enrollmentsOf(id)).map(({ state }) => state).sort()).toEqual(['replied', 'stopped', 'stopped'])
    expect(await campaignNow(id)).toMatchObject({ status: 'completed', openEnrollments: 0 })
  })

  it('waits with the follow-up of a deleted lead while the deletion can be undone', async () => {
    const { id, list, handle } = await begin()
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds })
    await letPass(app, id, 2)
    await queueDue()
    expect(await enrollmentsOf(id)).toMatchObject([{ state: 'active' }])
    await person.client.leads.restore({ removalId: removalId! })
    await queueDue()
    await sendDue(app)
    expect(await textsTo(handle)).toEqual([`Hi @${handle}`, `Still there, @${handle}?`])
  })

  it('finds by their ids who was deleted', async () => {
    const { id, list } = await begin()
    await person.client.leads.removeMany({ leadIds: list.leadIds })
    await letPass(app, id, 2)
    const { db, reads } = await openPlanned(app.databaseUrl)
    await queueFollowUps(db, app.services.env)
    const isDeletion = ({ table }: { table: string }) => ['lead_removals', 'removed_leads'].includes(table)
    const deletionReads = reads.filter(isDeletion).map(({ table, by }) => `${table} by ${by}`)
    expect([...new Set(deletionReads)]).toEqual(['removed_leads by index'])
  })

  it('sends the follow-up of a person who was deleted and restored, who stays contacted', async () => {
    const { list, handle, id } = await begin()
    await letPass(app, id, 2)
    await queueDue()
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds })
    await sendDue(app)
    expect(await textsTo(handle)).toHaveLength(1)
    await person.client.leads.restore({ removalId: removalId! })
    expect(await person.client.leads.find({ id: list.leadIds[0]! })).toMatchObject({ dmStatus: 'contacted' })
    await sendDue(app)
    expect(await textsTo(handle)).toHaveLength(2)
  })

  it('waits while the plan has no room or the account is not connected', async () => {
    const { id } = await begin()
    await subscribe(app, person, 'pro_monthly')
    const { limit } = await limitOn(app.db, person.workspaceId, 'dms')
    await use(app.db, person.workspaceId, 'dms', limit)
    await letPass(app, id, 2)
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(1)
    expect((await campaignNow(id)).waitingFor).toMatchObject({ reason: 'plan' })
    await subscribe(app, person)
    await loseConnection(app, { id: account.id })
    await letPass(app, id, 1)
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(1)
    await reconnect(app, { id: account.id })
    await letPass(app, id, 1)
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(2)
  })

  it('leaves people alone who wait for a disconnected account, and keeps the planned time', async () => {
    const { id } = await begin(TWO, 2)
    await loseConnection(app, { id: account.id })
    await letPass(app, id, 2)
    const before = await enrollmentsOf(id)
    await queueDue()
    expect(await enrollmentsOf(id)).toEqual(before)
    const waiting = await campaignNow(id)
    expect(waiting.waitingFor).toEqual({ reason: 'account', until: null })
    expect(Date.parse(String(waiting.nextFollowUpAt))).toBeGreaterThan(Date.now())
    await reconnect(app, { id: account.id })
    await letPass(app, id, 1)
    await queueDue()
    expect((await dmsOf(person, id)).filter(({ stepNumber }) => stepNumber === 2)).toHaveLength(2)
  })

  it('leaves people alone whose step waits until X reports reading', async () => {
    const { id } = await begin([FIRST, step('Seen?', { condition: 'not_read' })])
    await loseWebhook(app, { xUserId: idOfHandle(account.handle) })
    await letPass(app, id, 2)
    const before = await enrollmentsOf(id)
    await queueDue()
    expect(await enrollmentsOf(id)).toEqual(before)
    await letPass(app, id, 7 * 24)
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(2)
  })

  it('leaves the first message of someone whose pause is over to the next part of the launch', async () => {
    const list = await makeList(app, person, openHandles(2))
    const { id } = await makeCampaign(person, list, { messageTemplate: undefined, steps: TWO })
    await person.client.campaigns.queue({ id, limit: 1 })
    await pausePeople(app, { campaignId: id, isUnqueued: true }, new Date())
    await planFollowUp(app, { id }, new Date())
    await letPass(app, id, 1)
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(1)
    const [waiting] = (await enrollmentsOf(id)).filter(({ isUnqueued }) => isUnqueued)
    expect(waiting).toMatchObject({ state: 'active', nextAt: null })
  })

  it("chooses variants by the shares of the step's test", async () => {
    const variants = [{ messageTemplate: 'A' }, { messageTemplate: 'B' }]
    const { id } = await begin([FIRST, { variants, delay: DELAY } as StepInput], 8)
    const [, second] = (await person.client.sequences.find({ id })).steps
    const shares = [{ id: second!.variants[1]!.id, share: 1 }]
    await setShares(app, { campaignId: id }, shares)
    await letPass(app, id, 2)
    await queueDue()
    expect(await sendDue(app)).toEqual(Array(8).fill('B'))
  })

  it('continues with people who were sent the first message before it was edited', async () => {
    const { id, handle } = await begin()
    await person.client.campaigns.update({ id, messageTemplate: 'Hello' })
    await letPass(app, id, 2)
    await queueDue()
    expect(await sendDue(app)).toEqual([`Still there, @${handle}?`])
    expect(await campaignNow(id)).toMatchObject({ status: 'completed', messageTemplate: 'Hello', dmsSentCount: 2 })
  })

  it('sends a follow-up that failed before an edit with its new text once it is queued again', async () => {
    const { id } = await begin(TWO, 2)
    await letPass(app, id, 2)
    await queueDue()
    const claimed = await claimNext(app)
    await record(app.db, [{ claimed, verdict: { kind: 'failed', errorMessage: 'No' }, failures: 1 }])
    await saveSteps(id, (steps) => [steps[0], { ...steps[1], variants: [{ messageTemplate: 'Any news?' }] }])
    const { message, stepNumber } = await person.client.campaigns.requeue({ id: claimed.id })
    expect([message, stepNumber]).toEqual(['Any news?', 2])
    await queueDue()
    expect(await sendDue(app)).toEqual(['Any news?', 'Any news?'])
  })

  it('queues nothing of a launch that was undone', async () => {
    const list = await makeList(app, person, openHandles(2))
    const { id } = await makeCampaign(person, list, { messageTemplate: undefined, steps: TWO })
    await person.client.campaigns.queue({ id, holdSeconds: 30 })
    await person.client.campaigns.undoLaunch({ id })
    await queueDue()
    expect(await dmsOf(person, id)).toEqual([])
    expect(await campaignNow(id)).toMatchObject({ openEnrollments: 0, nextFollowUpAt: null })
    expect(await sendDue(app)).toEqual([])
  })

  it('leaves follow-ups of a paused campaign due', async () => {
    const { id } = await begin()
    await person.client.campaigns.update({ id, status: 'paused' })
    await letPass(app, id, 2)
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(1)
    await person.client.campaigns.update({ id, status: 'active' })
    await queueDue()
    expect(await sendDue(app)).toHaveLength(1)
  })
})

describe('a reply that is stored while the job runs', () => {
  it('stops the follow-up if the job inserted it first', async () => {
    const { id, handle } = await begin()
    await letPass(app, id, 2)
    let storing: Promise<unknown> | undefined
    await app.db.transaction(async (tx) => {
      await queueFollowUps(tx, app.services.env)
      storing = receive(app.db, [replyOf(handle)])
      await waitForBlockedStatement(app)
    })
    await storing
    expect((await dmsOf(person, id)).at(-1)).toMatchObject({ status: 'failed', reason: { code: 'replied' } })
    expect(await enrollmentsOf(id)).toMatchObject([{ state: 'replied', nextAt: null }])
    expect(await sendDue(app)).toEqual([])
  })

  it('keeps the job from inserting it if the reply was first', async () => {
    const { id, handle } = await begin()
    await letPass(app, id, 2)
    await app.db.transaction(async (tx) => {
      await receive(tx, [replyOf(handle)])
      // The due job skips what the reply has locked.
      await queueDue()
    })
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(1)
  })
})

describe('a reply with a label', () => {
  const REENGAGEMENT = { reengagement: { afterDays: 30, messageTemplate: 'It has been a while' } }

  it('pauses for an automatic reply, holds what is queued, and continues with it after the date', async () => {
    const { id, handle } = await begin()
    await letPass(app, id, 2)
    await queueDue()
    await receive(app.db, [replyOf(handle, 'Automatic reply: I am out of the office.')])
    expect(await enrollmentsOf(id)).toMatchObject([
      { state: 'paused', reason: { code: 'auto_reply' }, nextStepNumber: 2 },
    ])
    const [enrollment] = await enrollmentsOf(id)
    expect((enrollment?.pausedUntil?.getTime() ?? 0) - Date.now()).toBeGreaterThan(13.9 * 86_400_000)
    expect(await sendDue(app)).toEqual([])
    await letPass(app, id, 14 * 24)
    await queueDue()
    expect(await sendDue(app)).toEqual([`Still there, @${handle}?`])
    expect(await campaignNow(id)).toMatchObject({ status: 'completed', openEnrollments: 0 })
  })

  it('keeps a claimed message for the end of the pause', async () => {
    const { id, handle } = await begin()
    await letPass(app, id, 2)
    await queueDue()
    const claimed = await claimNext(app)
    await receive(app.db, [replyOf(handle, 'I am out of the office')])
    await record(app.db, [{ claimed, verdict: await send(app.services, claimed, TIMING), failures: 1 }])
    expect(await enrollmentsOf(id)).toMatchObject([{ state: 'paused', reason: { code: 'auto_reply' } }])
    expect(await sendDue(app)).toEqual([])
    await letPass(app, id, 14 * 24)
    await queueDue()
    expect(await sendDue(app)).toEqual([`Still there, @${handle}?`])
  })

  it('pauses until the day they name for later, and continues with re-engagement', async () => {
    const { id, handle } = await begin(TWO, 1, REENGAGEMENT)
    await letPass(app, id, 2)
    await queueDue()
    await receive(app.db, [replyOf(handle, 'Not now, ping me in 3 weeks')])
    expect(await enrollmentsOf(id)).toMatchObject([{ state: 'paused', reason: { code: 'later' }, nextStepNumber: 3 }])
    expect(await sendDue(app)).toEqual([])
    await letPass(app, id, 22 * 24)
    await queueDue()
    expect(await sendDue(app)).toEqual(['It has been a while'])
    expect(await campaignNow(id)).toMatchObject({ status: 'completed', dmsSentCount: 2 })
  })

  it('continues with re-engagement if the account is back after the day they named', async () => {
    const { id, handle } = await begin(TWO, 1, REENGAGEMENT)
    await receive(app.db, [replyOf(handle, 'Not now. Please write again in two weeks.')])
    await loseConnection(app, { id: account.id })
    await letPass(app, id, 16 * 24)
    await queueDue()
    await reconnect(app, { id: account.id })
    await letPass(app, id, 1)
    await queueDue()
    expect(await sendDue(app)).toEqual(['It has been a while'])
  })

  it('ends for later without re-engagement, for opt-outs and for anything else', async () => {
    const { id, list } = await begin(TWO, 3)
    const texts = ['Not now, ping me in 3 weeks', 'STOP', 'Sounds good']
    await receive(
      app.db,
      texts.map((text, index) => replyOf(list.handles[index] as string, text)),
    )
    expect((await enrollmentsOf(id)).map(({ state, reason }) => [state, reason?.code])).toEqual([
      ['replied', 'reply'],
      ['opted_out', 'opt_out'],
      ['replied', 'reply'],
    ])
    await letPass(app, id, 24)
    await queueDue()
    expect(await dmsOf(person, id)).toHaveLength(3)
  })
})

it("ends a person's sequences when someone writes to them by hand", async () => {
  const { id, list, handle } = await begin()
  const byHand = { leadId: list.leadIds[0] as string, message: 'Hi', templateVariables: { name: '', handle } }
  await person.client.messages.send({ ...byHand, allowRepeat: true })
  expect(await enrollmentsOf(id)).toMatchObject([{ state: 'replied', reason: { code: 'written_by_hand' } }])
})

describe('the order on one X account', () => {
  it('sends due follow-ups first, and one first message among ten', async () => {
    const { id } = await begin([FIRST, step('Again')], 12)
    await makeCampaign(person, await makeList(app, person, openHandles(3)), { messageTemplate: 'New' }).then((made) =>
      person.client.campaigns.queue({ id: made.id }),
    )
    await letPass(app, id, 2)
    await queueDue()
    const texts = await sendDue(app)
    expect(texts).toEqual([...Array(9).fill('Again'), 'New', ...Array(3).fill('Again'), 'New', 'New'])
  })

  it('does not say that follow-ups wait for the first messages of an older campaign', async () => {
    const older = await makeCampaign(person, await makeList(app, person, openHandles(2)))
    const { id } = await begin()
    await letPass(app, id, 2)
    await queueDue()
    await person.client.campaigns.queue({ id: older.id })
    expect(await campaignNow(id)).toMatchObject({ dmsQueuedCount: 1, waiting: false, waitsBehind: null })
    expect((await campaignNow(id)).waitingFor?.reason).not.toBe('turn')
  })

  it("leaves 24 hours between two campaigns' messages to one person", async () => {
    const { id, list, handle } = await begin()
    const other = await launch(person, list, { allowRepeat: true, messageTemplate: 'From another campaign' })
    expect(await sendDue(app)).toEqual([])
    const { rows } = await app.db.execute<{ hours: number }>(
      sql`select extract(epoch from due_at - now())::float / 3600 as hours from dms where campaign_id = ${other.id}`,
    )
    expect(rows[0]?.hours).toBeGreaterThan(23)
    const [waiting] = await dmsOf(person, other.id)
    expect(waiting?.reason).toMatchObject({ code: 'day_apart' })
    expect((await campaignNow(other.id)).waitingFor).toEqual({ reason: 'day_apart', until: waiting?.dueAt })
    // A message with an earlier due time, as at the end of an undo, waits just as long.
    await makeDue(app, { campaignId: other.id }, new Date(Date.now() + 60_000))
    expect((await campaignNow(other.id)).waitingFor).toEqual({ reason: 'day_apart', until: waiting?.dueAt })
    await makeDue(app, { campaignId: other.id }, new Date(waiting!.dueAt!))
    // Within a campaign, the step's own delay decides.
    await letPass(app, id, 2)
    await queueDue()
    expect(await sendDue(app)).toEqual([`Still there, @${handle}?`])
    await letPass(app, id, 24)
    await letPass(app, other.id, 24)
    await letSend(app, { id: account.id }, new Date(Date.now() - 1_000))
    expect(await sendDue(app)).toEqual(['From another campaign'])
  })

  it('leaves 24 hours after a message that only X knew', async () => {
    const list = await makeList(app, person, openHandles(1))
    await recordClaim(app, { id: list.leadIds[0] as string })
    await launch(person, list)
    expect(await sendDue(app)).toEqual([])
  })

  it('sends no follow-up until its account was read in the last 90 seconds, and asks for the read', async () => {
    const { id, handle } = await begin()
    await letPass(app, id, 2)
    await queueDue()
    const read = async (secondsAgo: number | null) => {
      await (secondsAgo === null ? forgetRead(app) : recordRead(app, {}, secondsAgo))
      await planRead(app, {}, new Date(Date.now() + 3_600_000))
    }
    const wake = () => letSend(app, { id: account.id }, new Date(0))
    for (const secondsAgo of [null, 3 * 3_600, 91]) {
      await read(secondsAgo)
      await wake()
      expect(await claimDue(app.db, 1, app.services.env)).toMatchObject({
        claimed: null,
        unread: idOfHandle(account.handle),
      })
    }
    // A read that is already planned is not requested again.
    await planRead(app)
    await wake()
    expect(await claimDue(app.db, 1, app.services.env)).toMatchObject({ claimed: null, unread: null })
    await makeDue(app, { campaignId: id }, new Date(Date.now() - 31_000))
    const [waiting] = (await dmsOf(person, id)).slice(-1)
    expect(waiting?.reason).toEqual({ code: 'detection', params: {} })
    expect((await campaignNow(id)).waitingFor).toEqual({ reason: 'detection', until: null })

    // First messages of the account are sent in the meantime, and the follow-up keeps its due time.
    const other = await launch(person, await makeList(app, person, openHandles(1)), { messageTemplate: 'Hello' })
    await wake()
    expect(await sendDue(app)).toEqual(['Hello'])
    expect(await campaignNow(other.id)).toMatchObject({ status: 'completed' })
    expect((await dmsOf(person, id)).at(-1)).toMatchObject({ dueAt: waiting?.dueAt, reason: { code: 'detection' } })

    await read(60)
    await wake()
    expect(await sendDue(app)).toEqual([`Still there, @${handle}?`])
  })

  it('checks once more before the hand-over', async () => {
    const { id } = await begin()
    await letPass(app, id, 2)
    await queueDue()
    const claimed = await claimNext(app)
    await recordRead(app, {}, 90)
    const verdict = await send(app.services, claimed, TIMING)
    expect(verdict).toMatchObject({ kind: 'late' })
    await record(app.db, [{ claimed, verdict, failures: 0 }])
    expect((await dmsOf(person, id)).at(-1)).toMatchObject({ status: 'queued' })
  })
})

it('returns 409 for follow-ups that an extension sends without a connected account', async () => {
  const alone = await makePerson(app)
  await subscribe(app, alone)
  const list = await makeList(app, alone, openHandles(1))
  const made = await makeCampaign(alone, list, { channel: 'extension', messageTemplate: undefined, steps: TWO })
  await expect(alone.client.campaigns.queue({ id: made.id })).rejects.toMatchObject({ code: 'X_NOT_CONNECTED' })
  expect(await alone.client.campaigns.find({ id: made.id })).toMatchObject({ status: 'paused' })
})

it('looks again later at a campaign that fails, and continues with the others', async () => {
  const broken = await begin()
  const other = await begin()
  for (const { id } of [broken, other]) await letPass(app, id, 3)
  await deleteSteps(app, { campaignId: broken.id })
  await expect(queueDue()).rejects.toThrow()
  expect(await dmsOf(person, other.id)).toHaveLength(2)
  expect(await queueDue()).toBe(false)
  await deleteCampaigns(app, { id: broken.id })
})
