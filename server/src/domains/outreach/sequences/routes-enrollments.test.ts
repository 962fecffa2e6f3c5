import type { Enrollment } from '@x-automated/contract/outreach/sequences'
import { eq } from 'drizzle-orm'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endByReply, insertStopped, placeBefore, replaceSteps } from '../../../../test/campaigns.ts'
import { editProfiles, recordRequest } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { insertMessages, markFailed, markReplied, rewrite } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, expectCountsRight, launch, makeList, openHandles } from '../../../../test/outreach.ts'
import { insertReply } from '../../../../test/replies.ts'
import { storeAnswers } from '../../../core/replies/answers.ts'
import { dms } from '../../../core/tables/messages.ts'
import { enrollments, sequenceVersions, type VersionStep } from '../../../core/tables/sequences.ts'
import { usedOf } from '../../platform/billing/plan.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
// Each test has its own X account, because older campaigns of an account send first.
beforeEach(async () => {
  person = await makePerson(app)
  await connectX(app, person)
  await subscribe(app, person)
})
afterEach(() => expectCountsRight(app))

/** Launches an extension campaign. @returns it and its people */
async function launched(leads: number) {
  const list = await makeList(app, person, openHandles(leads))
  const { id } = await launch(person, list, { channel: 'extension' })
  return { id, handles: list.handles, people: await peopleOf(id) }
}

async function peopleOf(id: string, more: object = {}): Promise<Enrollment[]> {
  return (await person.client.enrollments.list({ id, ...more })).enrollments
}

/** Claims and reports the next message. @returns its id; null: there is none */
async function sendNext(id: string): Promise<string | null> {
  const response = await person.client.campaigns.claim({ id, holder: 'test' })
  if (response.status !== 200) return null
  const { dmId, lease } = response.body
  await person.client.campaigns.recordOutcome({ id: dmId, lease, wasSent: true })
  return dmId
}

/** Adds a second step to the sequence that people follow. */
async function addStep(campaignId: string): Promise<void> {
  const [stored] = await app.db.select().from(sequenceVersions).where(eq(sequenceVersions.campaignId, campaignId))
  const [first] = stored!.steps
  const second: VersionStep = {
    ...first!,
    id: '01900000-0000-7000-8000-000000000002',
    delay: { amount: 2, unit: 'days' },
    condition: 'no_reply',
    variants: [{ ...first!.variants[0]!, id: '01900000-0000-7000-8000-000000000003', messageTemplate: 'Still there?' }],
  }
  await replaceSteps(app, campaignId, [first!, second])
}

describe('GET /campaigns/{id}/enrollments', () => {
  it('lists everyone once over all pages, with the total', async () => {
    const { id, handles } = await launched(5)
    const seen: (string | undefined)[] = []
    let cursor: string | undefined
    do {
      const page = await person.client.enrollments.list({ id, pageSize: 2, ...(cursor && { cursor }) })
      expect(page.total).toBe(5)
      seen.push(...page.enrollments.map(({ lead }) => lead?.twitterHandle))
      cursor = page.cursor ?? undefined
    } while (cursor)
    expect(seen.sort()).toEqual([...handles].sort())
  })

  it('reads the same people in pages as in one call, by each filter', async () => {
    const { id } = await launched(5)
    for (let sent = 0; sent < 3; sent += 1) await sendNext(id)
    const paged = async (filter: object) => {
      const ids: string[] = []
      for (let cursor: string | null = null; ; ) {
        const page = await person.client.enrollments.list({ id, pageSize: 2, ...filter, ...(cursor && { cursor }) })
        ids.push(...page.enrollments.map((enrollment) => enrollment.id))
        cursor = page.cursor
        if (!cursor) return ids
      }
    }
    for (const state of [undefined, 'active', 'finished'] as const)
      for (const outcome of [undefined, 'sent', 'failed', 'positive'] as const)
        for (const stepNumber of [undefined, 1]) {
          const filter = { ...(state && { state }), ...(outcome && { outcome }), ...(stepNumber && { stepNumber }) }
          const ids = (await peopleOf(id, filter)).map((enrollment) => enrollment.id)
          expect([filter, await paged(filter)]).toEqual([filter, ids])
        }
    expect(await paged({ outcome: 'sent', state: 'finished' })).toHaveLength(3)
    expect(await paged({ stepNumber: 1, state: 'active' })).toHaveLength(2)
  })

  it('reads pages beyond the people that it counts', async () => {
    const { id } = await launched(1)
    const ids = (await insertStopped(app, id, 10_010)).sort()
    const page = await person.client.enrollments.list({ id, state: 'stopped', pageSize: 100, cursor: ids[10_006]! })
    expect(page.enrollments.map((enrollment) => enrollment.id)).toEqual(ids.slice(10_007))
    expect([page.total, page.cursor]).toEqual([10_000, null])
  })

  it('filters by state, and by step, variant and outcome of a message', async () => {
    const { id } = await launched(3)
    const sent = await sendNext(id)
    const [answered] = await app.db
      .select()
      .from(dms)
      .where(eq(dms.id, sent ?? ''))
    const total = async (filter: object) => {
      const { enrollments, total } = await person.client.enrollments.list({ id, ...filter })
      expect(enrollments.length).toBe(total)
      return total
    }
    expect(await total({ state: 'finished' })).toBe(1)
    expect(await total({ state: 'active', stepNumber: 1 })).toBe(2)
    expect(await total({ outcome: 'sent' })).toBe(1)
    expect(await total({ outcome: 'sent', stepNumber: 1 })).toBe(1)
    expect(await total({ outcome: 'sent', stepNumber: 2 })).toBe(0)
    expect(await total({ variantId: answered!.variantId })).toBe(3)
    expect(await total({ variantId: answered!.id })).toBe(0)
    expect(await total({ outcome: 'positive' })).toBe(0)
    await markReplied(app, { id: answered!.id })
    const reply = { workspaceId: person.workspaceId, leadId: answered!.leadId!, dmId: answered!.id }
    await insertReply(app, { ...reply, label: 'auto_reply' })
    await storeAnswers(app.db, [answered!.id])
    expect(await total({ outcome: 'read' })).toBe(1)
    expect(await total({ outcome: 'replied' })).toBe(0)
    await insertReply(app, { ...reply, label: 'meeting' })
    await storeAnswers(app.db, [answered!.id])
    expect([await total({ outcome: 'replied' }), await total({ outcome: 'positive' })]).toEqual([1, 1])
    expect((await person.client.sequences.results({ id })).steps[0]!.variants).toMatchObject([
      { sent: 1, read: 1, replied: 1, positive: 1, optedOut: 0 },
    ])
    expect(await person.client.campaigns.find({ id })).toMatchObject({
      peopleMessaged: 1,
      peopleReplied: 1,
      peoplePositive: 1,
    })
    const message = (await dmsOf(person, id)).find((dm) => dm.id === sent)
    expect(message).toMatchObject({ stepNumber: 1, variant: { name: 'A' }, dueAt: null, reply: { label: 'meeting' } })
  })

  it('names the picture of each person, as the flight board and the messages do', async () => {
    const { id } = await launched(1)
    await editProfiles(
      app,
      { workspaceId: person.workspaceId },
      { profileImageUrl: 'https://pbs.twimg.com/profile_images/1/a_normal.jpg' },
    )
    const { enrollments: people } = await person.client.enrollments.list({ id })
    const { next } = await person.client.sequences.flight({ id })
    const { dms: messages } = await person.client.campaigns.dms({ id })
    for (const [{ lead } = { lead: null }] of [people, next, messages])
      expect(lead?.pictureUrl).toContain(`/api/pictures/${lead?.id}?expires=`)
  })

  it('rejects malformed cursors', async () => {
    const { id } = await launched(1)
    expect((await person.call('GET', `/campaigns/${id}/enrollments?cursor=x`)).body.code).toBe('INVALID_INPUT')
  })
})

describe('POST /enrollments/{id}/pause', () => {
  it('keeps the queued message from being claimed', async () => {
    const { id, people } = await launched(1)
    const paused = await person.client.enrollments.pause({ id: people[0]!.id })
    expect(paused).toMatchObject({ state: 'paused', stepNumber: 1, nextAt: null, reason: { code: 'person' } })
    expect(await sendNext(id)).toBeNull()
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'active', openEnrollments: 1 })
    await person.client.enrollments.resume({ id: people[0]!.id })
    expect(await sendNext(id)).not.toBeNull()
  })

  it('stores a date, and rejects one that has passed', async () => {
    const { id, people } = await launched(1)
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const path = `/enrollments/${people[0]!.id}/pause`
    expect((await person.call('POST', path, { until: '2020-01-01T00:00:00Z' })).body.code).toBe('INVALID_INPUT')
    expect((await person.call('POST', path, { until })).body).toMatchObject({ pausedUntil: until, nextAt: until })
    expect((await person.client.campaigns.find({ id })).nextFollowUpAt).toBe(until)
    expect((await person.call('POST', path, {})).body.code).toBe('ENROLLMENT_STATE')
  })

  it('ends with an edit that leaves the person no step', async () => {
    const { id, people } = await launched(1)
    await addStep(id)
    await sendNext(id)
    await person.client.enrollments.pause({ id: people[0]!.id, until: new Date(Date.now() + 86_400_000).toISOString() })
    const { version, steps } = await person.client.sequences.find({ id })
    const [{ number: _, variants, ...first }] = steps as [(typeof steps)[number]]
    const firstStep = { ...first, variants: variants.map(({ isFrozen: _, ...variant }) => variant) }
    await person.client.sequences.save({ id, version, steps: [firstStep] })
    expect((await peopleOf(id))[0]).toMatchObject({
      state: 'finished',
      stepNumber: null,
      pausedUntil: null,
      reason: null,
    })
  })

  it('ends with a suppression or a stop, which fails the held message', async () => {
    const { id, people, handles } = await launched(2)
    for (const enrollment of people) await person.client.enrollments.pause({ id: enrollment.id })
    await person.client.enrollments.stop({ id: people[0]!.id })
    await person.client.suppressions.create({ handles })
    expect(await person.client.campaigns.find({ id })).toMatchObject({
      status: 'completed',
      openEnrollments: 0,
      dmsQueuedCount: 0,
      dmsFailedCount: 2,
    })
  })
})

describe('POST /enrollments/{id}/stop', () => {
  it('fails the queued message, gives it back to the plan and completes the campaign', async () => {
    const { id, people } = await launched(1)
    const stopped = await person.client.enrollments.stop({ id: people[0]!.id })
    expect(stopped).toMatchObject({ state: 'stopped', stepNumber: null, reason: { code: 'person' } })
    expect(await dmsOf(person, id)).toMatchObject([{ status: 'failed', reason: { code: 'person' } }])
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'completed', openEnrollments: 0 })
    expect(await usedOf(app.db, person.workspaceId, 'dms')).toBe(0)
    const again = await person.call('POST', `/enrollments/${people[0]!.id}/stop`, {})
    expect([again.status, again.body.code]).toEqual([409, 'ENROLLMENT_STATE'])
  })

  it('leaves a message that is being sent, and never sends it once it is released', async () => {
    const { id, people } = await launched(1)
    const claim = await person.client.campaigns.claim({ id, holder: 'test' })
    if (claim.status !== 200) throw new Error('no claim')
    await person.client.enrollments.stop({ id: people[0]!.id })
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'active', openEnrollments: 0 })
    await person.client.campaigns.release({ id: claim.body.dmId, lease: claim.body.lease })
    expect(await sendNext(id)).toBeNull()
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'completed', dmsFailedCount: 1 })
  })
})

describe('POST /enrollments/{id}/resume', () => {
  it('queues a stopped first message again and opens the campaign', async () => {
    const { id, people } = await launched(1)
    await person.client.enrollments.stop({ id: people[0]!.id })
    const resumed = await person.client.enrollments.resume({ id: people[0]!.id })
    expect(resumed).toMatchObject({ state: 'active', stepNumber: 1, reason: null })
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'active', openEnrollments: 1 })
    expect(await sendNext(id)).not.toBeNull()
    expect(await person.client.campaigns.find({ id })).toMatchObject({ status: 'completed', dmsFailedCount: 0 })
  })

  it('queues a stopped first message again with the text of an edit since', async () => {
    const { id, people } = await launched(2)
    await person.client.enrollments.stop({ id: people[0]!.id })
    await person.client.campaigns.update({ id, messageTemplate: 'Better' })
    expect(await person.client.enrollments.resume({ id: people[0]!.id })).toMatchObject({ state: 'active', version: 2 })
    const queued = { status: 'queued', message: 'Better', stepNumber: 1 }
    expect(await dmsOf(person, id)).toMatchObject([queued, queued])
  })

  it('stores the version of an edit for someone who was stopped before a message only once they continue', async () => {
    const { id, people } = await launched(2)
    const storedVersions = async () => {
      const rows = await app.db.select().from(enrollments).where(eq(enrollments.campaignId, id)).orderBy(enrollments.id)
      return rows.map(({ version }) => version)
    }
    await person.client.enrollments.stop({ id: people[0]!.id })
    await person.client.campaigns.update({ id, messageTemplate: 'Better' })
    expect(await storedVersions()).toEqual([1, 2])
    expect(await peopleOf(id)).toMatchObject([{ version: 2 }, { version: 2 }])
    const stopped = (await dmsOf(person, id)).find(({ status }) => status === 'failed')
    await person.client.campaigns.requeue({ id: stopped!.id })
    expect((await dmsOf(person, id)).map(({ message }) => message)).toEqual(['Better', 'Better'])
    expect(await storedVersions()).toEqual([2, 2])
  })

  it('keeps the version of someone who was stopped while their first message was being sent', async () => {
    const { id, people } = await launched(1)
    await person.client.campaigns.claim({ id, holder: 'test' })
    await person.client.enrollments.stop({ id: people[0]!.id })
    await person.client.campaigns.update({ id, messageTemplate: 'Better' })
    expect(await peopleOf(id)).toMatchObject([{ version: 1 }])
    expect(await person.client.enrollments.resume({ id: people[0]!.id })).toMatchObject({ version: 1 })
  })

  it('continues with the edited next step of someone who was stopped, unless it was edited for people without a message', async () => {
    const { id, people } = await launched(2)
    await addStep(id)
    for (const _ of people) await sendNext(id)
    const edit = async (applyTo: 'unpassed' | 'unstarted', messageTemplate: string) => {
      const { version, steps } = await person.client.sequences.find({ id })
      const [first, second] = steps.map(({ number: _, ...step }) => ({
        ...step,
        delay: step.delay ?? undefined,
        condition: step.condition ?? undefined,
        variants: step.variants.map(({ isFrozen: _, ...variant }) => variant),
      }))
      const edited = { ...second!, variants: [{ messageTemplate }] }
      await person.client.sequences.save({ id, version, applyTo, steps: [first, edited] as never })
    }
    await person.client.enrollments.stop({ id: people[0]!.id })
    await edit('unpassed', 'Edited')
    await edit('unstarted', 'Edited for others')
    expect(await person.client.enrollments.resume({ id: people[0]!.id })).toMatchObject({ stepNumber: 2, version: 2 })
    expect(await peopleOf(id)).toMatchObject([{ version: 2 }, { version: 2 }])
  })

  it('continues with the next step of someone who was sent one, after its delay', async () => {
    const { id, people } = await launched(1)
    await addStep(id)
    await sendNext(id)
    await person.client.enrollments.stop({ id: people[0]!.id })
    const resumed = await person.client.enrollments.resume({ id: people[0]!.id })
    expect(resumed).toMatchObject({ state: 'active', stepNumber: 2 })
    expect(new Date(resumed.nextAt!).getTime()).toBeGreaterThan(Date.now() + 86_400_000)
    expect((await person.client.campaigns.find({ id })).nextFollowUpAt).toBe(resumed.nextAt)
  })

  it('finishes someone for whom no step follows', async () => {
    const { id, people } = await launched(1)
    await sendNext(id)
    await endByReply(app, { campaignId: id })
    expect(await person.client.enrollments.resume({ id: people[0]!.id })).toMatchObject({ state: 'finished' })
    expect((await person.client.campaigns.find({ id })).status).toBe('completed')
  })

  it('treats a message with an unknown outcome as sent', async () => {
    const { id, people } = await launched(1)
    await addStep(id)
    const claim = await person.client.campaigns.claim({ id, holder: 'test' })
    if (claim.status !== 200) throw new Error('no claim')
    const { dmId, lease } = claim.body
    await person.client.campaigns.recordOutcome({ id: dmId, lease, wasSent: false, outcomeUnknown: true })
    expect(await peopleOf(id)).toMatchObject([{ state: 'paused', reason: { code: 'outcome_unknown' } }])
    expect(await person.client.enrollments.resume({ id: people[0]!.id })).toMatchObject({
      state: 'active',
      stepNumber: 2,
    })
  })

  it('returns 409 for someone suppressed or deleted, and in other states', async () => {
    const { id, people, handles } = await launched(2)
    const refused = async (enrollment: Enrollment) =>
      (await person.call('POST', `/enrollments/${enrollment.id}/resume`, {})).body.code
    expect(await refused(people[0]!)).toBe('ENROLLMENT_STATE')
    const [first, second] = people.map((enrollment) => ({ ...enrollment, handle: enrollment.lead!.twitterHandle }))
    await person.client.suppressions.create({ handles: [first!.handle] })
    expect(await refused(first!)).toBe('LEAD_STATE')
    await person.client.enrollments.stop({ id: second!.id })
    await person.client.leads.remove({ id: second!.lead!.id })
    expect(await refused(second!)).toBe('LEAD_STATE')
    expect(handles).toContain(first!.handle)
    expect((await person.client.campaigns.find({ id })).status).toBe('completed')
  })

  it('returns 409 for someone skipped for want of a contact basis, until there is one', async () => {
    await person.client.sendingSettings.saveBasis({ required: true })
    const { id, people } = await launched(1)
    const [enrollment] = people
    const resume = () => person.call('POST', `/enrollments/${enrollment!.id}/resume`, {})
    const { status, body } = await resume()
    expect([status, body.code, body.error]).toEqual([
      409,
      'LEAD_STATE',
      'This person has no contact basis. Set one on the leads page.',
    ])
    expect((await dmsOf(person, id)).map((dm) => dm.status)).toEqual(['failed'])
    await recordRequest(app, { id: enrollment!.lead!.id })
    expect((await resume()).body).toMatchObject({ state: 'active' })
  })

  it('returns 409 once the campaign is archived', async () => {
    const { id, people } = await launched(1)
    await person.client.campaigns.update({ id, status: 'archived' })
    const response = await person.call('POST', `/enrollments/${people[0]!.id}/resume`, {})
    expect([response.status, response.body.code]).toEqual([409, 'ENROLLMENT_STATE'])
  })

  it('returns 409 if the plan has no DMs left', async () => {
    const free = await makePerson(app)
    const list = await makeList(app, free, openHandles(50))
    const { id } = await launch(free, list, { channel: 'extension' })
    const [first] = (await free.client.enrollments.list({ id })).enrollments
    await free.client.enrollments.stop({ id: first!.id })
    await launch(free, await makeList(app, free, openHandles(1)), { channel: 'extension' })
    const response = await free.call('POST', `/enrollments/${first!.id}/resume`, {})
    expect([response.status, response.body.code]).toEqual([409, 'ENROLLMENT_STATE'])
  })
})

it('counts people once, whatever their replies to several messages say, in any order', async () => {
  const labels = ['interested', 'auto_reply', 'opted_out', 'not_interested', null] as const
  const { id } = await launched(4)
  for (let index = 0; index < 4; index += 1) await sendNext(id)
  const firsts = await app.db.select().from(dms).where(eq(dms.campaignId, id))
  const followUps = firsts.map(({ id: _, step: __, ...row }) => ({ ...row, step: 1, isFollowUp: true, stepNumber: 2 }))
  const sent = [...firsts, ...(await insertMessages(app, followUps))]
  let seed = 7
  const random = (n: number) => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed % n
  }
  const labelsByLead = new Map<string, Set<string | null>>()
  for (let index = 0; index < 30; index += 1) {
    const dm = sent[random(sent.length)]!
    const label = labels[random(labels.length)] ?? null
    labelsByLead.set(dm.leadId!, (labelsByLead.get(dm.leadId!) ?? new Set()).add(label))
    const reply = { workspaceId: person.workspaceId, leadId: dm.leadId!, dmId: dm.id }
    await app.db.transaction(async (tx) => {
      await insertReply({ db: tx }, { ...reply, label })
      await markReplied({ db: tx }, { id: dm.id })
      await storeAnswers(tx, [dm.id])
    })
    const people = [...labelsByLead.values()]
    expect(await person.client.campaigns.find({ id })).toMatchObject({
      peopleMessaged: 4,
      peopleReplied: people.filter((all) => [...all].some((label) => label !== 'auto_reply')).length,
      peoplePositive: people.filter((all) => all.has('interested')).length,
    })
    await expectCountsRight(app)
  }
})

describe('GET /campaigns/{id}/results', () => {
  it('counts skipped people apart from failures, as the list of people does', async () => {
    const list = await makeList(app, person, openHandles(3))
    await person.client.suppressions.create({ handles: [list.handles[0]!] })
    const { id } = await launch(person, list)
    const counted = async (outcome: 'failed' | 'skipped') => [
      (await person.client.sequences.results({ id })).steps[0]!.variants[0]![outcome],
      (await person.client.enrollments.list({ id, outcome, stepNumber: 1 })).total,
      (await person.client.enrollments.list({ id, outcome })).total,
    ]
    expect([await counted('failed'), await counted('skipped')]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ])
    await markFailed(app, { leadId: list.leadIds[1]! }, { errorMessage: 'No' })
    expect([await counted('failed'), await counted('skipped')]).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ])
    await expectCountsRight(app)
  })

  it('keeps the skipped people of a variant that is removed', async () => {
    const list = await makeList(app, person, openHandles(30))
    await person.client.suppressions.create({ handles: list.handles.slice(1) })
    const variants = [{ messageTemplate: 'Hi' }, { messageTemplate: 'Hey' }]
    const { id } = await launch(person, list, { messageTemplate: undefined, steps: [{ variants }] as never })
    const find = async () => (await person.client.sequences.results({ id })).steps[0]!
    const skipped = (step: Awaited<ReturnType<typeof find>>) =>
      step.variants.reduce((sum, variant) => sum + variant.skipped, 0)
    const before = await find()
    expect(skipped(before)).toBe(29)
    const { version, steps } = await person.client.sequences.find({ id })
    const remaining = { id: before.variants[0]!.id, messageTemplate: 'Hi' }
    await person.client.sequences.save({ id, version, steps: [{ id: steps[0]!.id, variants: [remaining] }] })
    const after = await find()
    expect(skipped(after)).toBe(29)
    expect(after.variants.map(({ isActive }) => isActive)).toEqual([true, false])
  })

  it('counts the messages of each variant by outcome', async () => {
    const { id } = await launched(3)
    await sendNext(id)
    expect(await person.client.sequences.results({ id })).toMatchObject({
      steps: [
        {
          number: 1,
          kind: 'step',
          isSplitOff: false,
          verdict: null,
          variants: [
            {
              name: 'A',
              isActive: true,
              sent: 1,
              read: 0,
              replied: 0,
              positive: 0,
              optedOut: 0,
              failed: 0,
              skipped: 0,
            },
          ],
        },
      ],
    })
  })
})

describe('GET /campaigns/{id}/flight', () => {
  it('returns what was sent in a day and who is next', async () => {
    const { id, people } = await launched(4)
    const sent = await sendNext(id)
    const waiting = (await peopleOf(id, { state: 'active' })).map((enrollment) => enrollment.id)
    await person.client.enrollments.pause({ id: waiting[0]! })
    await placeBefore(app, { id: people.find((enrollment) => !waiting.includes(enrollment.id))!.id }, 2, {
      nextAt: new Date(Date.now() + 2 * 3_600_000),
    })
    const flight = await person.client.sequences.flight({ id })
    expect(flight.past).toMatchObject([{ dmId: sent, state: 'sent', stepNumber: 1, variant: { name: 'A' } }])
    expect(flight.next.map(({ state }) => state).sort()).toEqual(['held', 'planned', 'queued', 'queued'])
    expect(flight.account).toMatchObject({ sentInDay: 1, refusals: 0, checked: 1, warmUpDay: null })
  })

  it('tells skipped messages from failed ones', async () => {
    const { id } = await launched(2)
    const [failed, skipped] = await dmsOf(person, id)
    await markFailed(
      app,
      { id: failed!.id },
      { claimedAt: new Date(Date.now() - 1_000), errorMessage: 'X refused it.' },
    )
    await markFailed(app, { id: skipped!.id }, { claimedAt: new Date(), reason: { code: 'closed_inbox', params: {} } })
    const { past } = await person.client.sequences.flight({ id })
    const stateOf = new Map(past.map(({ dmId, state }) => [dmId, state]))
    expect([stateOf.get(failed!.id), stateOf.get(skipped!.id)]).toEqual(['failed', 'skipped'])
    const counts = { dmsFailedCount: 2, dmsSkippedCount: 1, peopleSkipped: 1 }
    expect(await person.client.campaigns.find({ id })).toMatchObject(counts)
    // A later message to someone who got the first one.
    await rewrite(app, { id: skipped!.id }, { step: 1 })
    expect(await person.client.campaigns.find({ id })).toMatchObject({ ...counts, peopleSkipped: 0 })
  })

  it('shows nothing to come while the campaign is paused', async () => {
    const { id } = await launched(1)
    await person.client.campaigns.update({ id, status: 'paused' })
    expect((await person.client.sequences.flight({ id })).next).toEqual([])
  })
})
