import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { editProfiles } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { failOpeners } from '../../../../test/openers.ts'
import {
  claimNext,
  confirmDetection,
  dmsOf,
  expectCountsRight,
  letPass,
  makeCampaign,
  makeList,
  openHandles,
  type SomeList,
  sendDue,
  waitForBlockedStatement,
} from '../../../../test/outreach.ts'
import { campaignLock } from '../../../core/messages/account-lock.ts'
import { upsertLeads } from '../../../core/people/stage.ts'
import { queueFollowUps } from '../../../core/sequences/advance.ts'
import { transact } from '../../../db/transact.ts'
import { runJob } from '../../platform/jobs/engine.ts'
import { jobs } from '../../platform/jobs/tables.ts'
import { bulkKinds } from '../bulk/engine.ts'
import { writeOpeners } from './writing.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
  await connectX(app, person)
  await subscribe(app, person)
})
afterEach(() => expectCountsRight(app))

const BIO = 'Founder of Acme. Coffee lover'
const TEMPLATE = '{Ai_Opener|Hello!} Shall we talk?'
const FALLBACK = 'Hello! Shall we talk?'

/** Creates a list of people with a bio. */
async function makePeople(count: number): Promise<SomeList> {
  const list = await makeList(app, person, openHandles(count))
  await editProfiles(app, { workspaceId: person.workspaceId }, { bio: BIO })
  return list
}

const run = (jobId: string) =>
  runJob(app.services, { openers: { run: writeOpeners } }, { workspaceId: person.workspaceId, id: jobId })

/** Creates a campaign with an opener for each of its leads, with known texts. */
async function withOpeners(count = 1, input: Parameters<typeof makeCampaign>[2] = {}) {
  const list = await makePeople(count)
  const campaign = await makeCampaign(person, list, { messageTemplate: TEMPLATE, ...input })
  const { id } = campaign
  const job = await person.client.openers.create({ id, filter: {} })
  await run(job.id)
  for (const opener of (await person.client.openers.list({ id })).openers) {
    const index = list.leadIds.indexOf(opener.lead.id)
    await person.client.openers.update({ id: opener.id, text: `Opener ${index}.` })
  }
  return { id, list, openers: (await person.client.openers.list({ id })).openers }
}

const messages = async (id: string) => (await dmsOf(person, id)).map(({ message }) => message).sort()
const approveAll = (id: string, openers: { id: string; version: number }[]) =>
  person.client.openers.approve({ id, openers: openers.map(({ id, version }) => ({ id, version })) })

/** Reads a lead's profile again, as a scrape or an import does. */
async function readAgain(handle: string, profile: { bio?: string; location?: string }): Promise<void> {
  const nothing = { name: null, bio: null, followerCount: null, followingCount: null, sourceProfile: null, url: null }
  const rest = { profileImageUrl: null, location: null, website: null, metadata: null, xUserId: null }
  const lead = { ...nothing, ...rest, ...profile, twitterHandle: handle }
  await transact(app.db, (tx) =>
    upsertLeads(tx, { workspaceId: person.workspaceId, userId: person.id }, [lead], 'parts').then(() => {}),
  )
}

describe('POST /campaigns/{id}/openers', () => {
  it('writes openers for the chosen leads of the list, once, and reports it as a job', async () => {
    const list = await makePeople(7)
    const outside = await makePeople(1)
    const { id } = await makeCampaign(person, list, { messageTemplate: TEMPLATE })
    const job = await person.client.openers.create({ id, leadIds: [...list.leadIds.slice(1), ...outside.leadIds] })
    expect(job).toEqual({
      id: expect.any(String),
      kind: 'openers',
      status: 'queued',
      done: 0,
      total: 6,
      changed: 0,
      secondsLeft: null,
      undoUntil: null,
      undoes: null,
      undoneBy: null,
      error: null,
      createdBy: { id: person.id, name: expect.any(String) },
      createdAt: expect.any(String),
    })
    await run(job.id)
    expect(await person.client.jobs.find({ id: job.id })).toMatchObject({ status: 'completed', done: 6, changed: 6 })
    const { openers, counts } = await person.client.openers.list({ id, pageSize: 4 })
    expect(counts).toEqual({ draft: 6, approved: 0, failed: 0 })
    expect(openers[0]).toMatchObject({
      campaignId: id,
      source: 'built_in',
      status: 'draft',
      version: 1,
      approvedBy: null,
    })
    for (const { text, factsUsed } of openers) {
      expect(text).toMatch(/\S/)
      for (const fact of factsUsed) expect(BIO).toContain(fact)
    }
    const again = await person.client.openers.create({ id, filter: {} })
    expect(again.total).toBe(1)
    // Until the job ends, a new request returns it.
    expect((await person.client.openers.create({ id, filter: {} })).id).toBe(again.id)
    await run(again.id)
    expect((await person.client.openers.create({ id, filter: {} })).id).not.toBe(again.id)
    expect((await person.client.openers.list({ id })).counts.draft).toBe(7)
  })

  it('counts as changed only openers that have a text', async () => {
    const list = await makePeople(2)
    await editProfiles(app, { id: list.leadIds[0]! }, { bio: null })
    const { id } = await makeCampaign(person, list, { messageTemplate: TEMPLATE })
    const job = await person.client.openers.create({ id, filter: {} })
    await run(job.id)
    expect(await person.client.jobs.find({ id: job.id })).toMatchObject({ status: 'completed', done: 2, changed: 1 })
    expect((await person.client.openers.list({ id })).counts).toEqual({ draft: 1, approved: 0, failed: 1 })
  })

  it('pages by a cursor, and filters by status and lead', async () => {
    const { id, openers } = await withOpeners(3)
    await approveAll(id, openers.slice(0, 1))
    const first = await person.client.openers.list({ id, pageSize: 2 })
    const second = await person.client.openers.list({ id, pageSize: 2, cursor: first.cursor ?? '' })
    expect([...first.openers, ...second.openers].map((opener) => opener.id)).toEqual(openers.map((opener) => opener.id))
    expect(second.cursor).toBeNull()
    const approved = await person.client.openers.list({ id, status: 'approved' })
    expect(approved.openers.map((opener) => opener.id)).toEqual([openers[0]!.id])
    expect((await person.call('GET', `/campaigns/${id}/openers?cursor=x`)).status).toBe(400)
    const ofLead = await person.client.openers.list({ id, leadId: openers[1]!.lead.id })
    expect(ofLead.openers.map((opener) => opener.id)).toEqual([openers[1]!.id])
  })

  it('returns 409 for a campaign that is archived, and 403 for a filter beyond the plan', async () => {
    const list = await makePeople(1)
    const { id } = await makeCampaign(person, list, { messageTemplate: TEMPLATE })
    const free = await makePerson(app)
    const theirs = await makeCampaign(free, await makeList(app, free, openHandles(1)))
    for (const path of ['openers', 'openers/estimate']) {
      const response = await free.call('POST', `/campaigns/${theirs.id}/${path}`, { filter: { label: 'interested' } })
      expect([response.status, response.body.code]).toEqual([403, 'PLAN_LIMIT'])
    }
    await person.client.campaigns.update({ id, status: 'archived' })
    const response = await person.call('POST', `/campaigns/${id}/openers`, { filter: {} })
    expect([response.status, response.body.code]).toEqual([409, 'CAMPAIGN_STATE'])
  })

  it.each([{}, { leadIds: [] }, { filter: {}, leadIds: ['x'] }, { filter: {}, source: 'me' }])(
    'returns 400 for invalid input %#',
    async (body) => {
      const { id } = await makeCampaign(person, await makePeople(1))
      expect((await person.call('POST', `/campaigns/${id}/openers`, body)).status).toBe(400)
      expect(await person.client.jobs.list({})).toMatchObject({ jobs: [], total: 0 })
    },
  )
})

describe('a message', () => {
  it('has the opener if it is approved at the launch, and otherwise the fallback', async () => {
    const { id, openers } = await withOpeners(2)
    const chosen = openers.filter(({ text }) => text === 'Opener 1.')
    expect(await approveAll(id, chosen)).toEqual({ success: true, approved: 1, changed: [] })
    await person.client.campaigns.queue({ id })
    expect(await messages(id)).toEqual([FALLBACK, 'Opener 1. Shall we talk?'])
  })

  it('changes with a later approval, unless a sender has ever claimed it', async () => {
    await sendDue(app)
    const { id, openers } = await withOpeners(2)
    await person.client.campaigns.queue({ id })
    const claimed = await claimNext(app)
    await approveAll(id, openers)
    expect(await messages(id)).toEqual([FALLBACK, 'Opener 1. Shall we talk?'])
    expect(claimed.message).toBe(FALLBACK)
    const sent = openers.find(({ text }) => text === 'Opener 0.')!
    await person.client.openers.update({ id: sent.id, text: 'Another text.', isApproved: true })
    expect(await messages(id)).toEqual([FALLBACK, 'Opener 1. Shall we talk?'])
  })

  it('gets the fallback back when an approval is withdrawn or the opener is edited', async () => {
    const { id, openers } = await withOpeners(2)
    await approveAll(id, openers)
    await person.client.campaigns.queue({ id })
    const [first, second] = openers
    await person.client.openers.update({ id: first!.id, isApproved: false })
    await person.client.openers.update({ id: second!.id, text: 'New.' })
    expect(await messages(id)).toEqual([FALLBACK, FALLBACK])
    await person.client.openers.update({ id: second!.id, text: 'Newer.', isApproved: true })
    expect(await messages(id)).toEqual([FALLBACK, 'Newer. Shall we talk?'])
  })

  it('that is being queued is waited for when an approval is withdrawn', async () => {
    const { id, openers } = await withOpeners(1)
    const withdrawing = await app.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock_shared(${campaignLock(sql`${id}::text`)})`)
      // The call waits for only two seconds, in which a busy machine may not see the blocked statement.
      for (;;) {
        const response = person.client.openers.update({ id: openers[0]!.id, isApproved: false })
        const isSeen = await Promise.race([waitForBlockedStatement(app), response.then(() => false)])
        if (isSeen) return { answer: response }
      }
    })
    await withdrawing.answer
  })

  it('loses an opener whose approval is withdrawn while the launch runs', async () => {
    const { id, openers } = await withOpeners(2)
    await approveAll(id, openers)
    let launching: Promise<unknown> | null = null
    await app.db.transaction(async (tx) => {
      // The launch waits for the account after it has queued the messages.
      await tx.execute(sql`select from x_accounts where workspace_id = ${person.workspaceId} for no key update`)
      launching = person.client.campaigns.queue({ id })
      await waitForBlockedStatement(app)
      await person.client.openers.update({ id: openers[0]!.id, isApproved: false })
    })
    await launching
    const expected = `${openers[1]!.text} Shall we talk?`
    expect(await messages(id)).toEqual([FALLBACK, expected])
  })

  it('keeps its opener when the template is edited', async () => {
    const { id, openers } = await withOpeners(1)
    await approveAll(id, openers)
    await person.client.campaigns.queue({ id })
    await person.client.campaigns.update({ id, messageTemplate: 'Hi! {ai_opener|…}' })
    expect(await messages(id)).toEqual(['Hi! Opener 0.'])
  })

  it('of a follow-up has the opener that is approved when it is due', async () => {
    await confirmDetection(app)
    const steps = [
      { variants: [{ messageTemplate: 'Hi' }] },
      { variants: [{ messageTemplate: TEMPLATE }], delay: { amount: 2, unit: 'hours' as const } },
    ]
    const { id, openers } = await withOpeners(1, { messageTemplate: undefined, steps } as never)
    await person.client.campaigns.queue({ id })
    await sendDue(app)
    await approveAll(id, openers)
    await letPass(app, id, 48)
    await queueFollowUps(app.db, app.services.env)
    expect(await messages(id)).toEqual(['Hi', 'Opener 0. Shall we talk?'])
  })

  it('shows both texts before the launch', async () => {
    const { id, openers } = await withOpeners(2)
    await approveAll(id, openers.slice(0, 1))
    const { body } = await person.call('GET', `/campaigns/${id}/preflight`)
    expect(body.messages.map(({ message }: { message: string }) => message).sort()).toEqual([
      FALLBACK,
      expect.stringMatching(/^Opener \d. Shall we talk\?$/),
    ])
    expect(body.missing).toEqual([{ place: '{ai_opener|Hello!}', leads: 1 }])
  })

  it('never takes a column of this name', async () => {
    const list = await makeList(app, person, openHandles(1), { metadata: [{ ai_opener: 'Unapproved!' }] })
    const { id } = await makeCampaign(person, list, { messageTemplate: TEMPLATE })
    await person.client.campaigns.queue({ id })
    expect(await messages(id)).toEqual([FALLBACK])
    const response = await person.call('PATCH', `/campaigns/${id}`, { messageTemplate: '{AI_OPENER} Hi' })
    expect(response.status).toBe(400)
  })
})

describe('an approval', () => {
  it('names the person and the time, and needs the text that was read', async () => {
    const { id, openers } = await withOpeners(2)
    const [first, second] = openers
    await person.client.openers.update({ id: second!.id, text: 'Changed meanwhile.' })
    const deletedId = '01900000-0000-7000-8000-000000000000'
    expect(await approveAll(id, [first!, second!, { id: deletedId, version: 1 }])).toEqual({
      success: true,
      approved: 1,
      changed: [second!.id, deletedId],
    })
    const { openers: now, counts } = await person.client.openers.list({ id })
    expect(counts).toEqual({ draft: 1, approved: 1, failed: 0 })
    expect(now[0]).toMatchObject({
      status: 'approved',
      approvedBy: { id: person.id },
      approvedAt: expect.stringMatching(/^\d{4}-/),
    })
    const other = await makePerson(app, { in: person, role: 'member' })
    await other.client.openers.approve({ id, openers: [{ id: first!.id, version: first!.version }] })
    expect((await person.client.openers.list({ id })).openers[0]!.approvedBy?.id).toBe(person.id)
  })

  it('is dropped when the lead no longer says what the opener uses, and else kept', async () => {
    const { id, list, openers } = await withOpeners(1)
    expect(openers[0]!.factsUsed.length).toBeGreaterThan(0)
    await approveAll(id, openers)
    const status = async () => (await person.client.openers.list({ id })).openers[0]!.status
    await readAgain(list.handles[0]!, { location: 'Berlin' })
    expect(await status()).toBe('approved')
    await readAgain(list.handles[0]!, { bio: 'Retired' })
    expect(await status()).toBe('draft')
    const now = (await person.client.openers.list({ id })).openers
    await approveAll(id, now)
    await readAgain(list.handles[0]!, {})
    expect(await status()).toBe('approved')
  })

  it('is impossible without a text', async () => {
    const list = await makeList(app, person, openHandles(1), { names: [''] })
    const { id } = await makeCampaign(person, list, { messageTemplate: TEMPLATE })
    const job = await person.client.openers.create({ id, filter: {} })
    await run(job.id)
    await failOpeners(app, id)
    const [opener] = (await person.client.openers.list({ id, status: 'failed' })).openers
    expect(await approveAll(id, [opener!])).toMatchObject({ approved: 0, changed: [opener!.id] })
    const response = await person.call('PATCH', `/openers/${opener!.id}`, { isApproved: true })
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(await person.client.openers.update({ id: opener!.id, text: 'Mine.' })).toMatchObject({ status: 'draft' })
  })
})

describe('PATCH /openers/{id}', () => {
  it('returns 400 for a text with variables, which nobody would fill in', async () => {
    const { id, openers } = await withOpeners(1)
    const response = await person.call('PATCH', `/openers/${openers[0]!.id}`, { text: 'Hi {lead_name}!' })
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect((await person.client.openers.list({ id })).openers[0]!.text).toBe('Opener 0.')
  })
})

describe('POST /openers/{id}/regenerate', () => {
  it('writes it again, without approval', async () => {
    const { id, openers } = await withOpeners(1)
    await approveAll(id, openers)
    const written = await person.client.openers.regenerate({ id: openers[0]!.id })
    expect(written).toMatchObject({ status: 'draft', version: openers[0]!.version + 1, approvedBy: null, fault: null })
    expect(written.text).not.toBe('Opener 0.')
  })

  it('keeps the text and its approval if nothing can be written', async () => {
    const { id, openers } = await withOpeners(1)
    await approveAll(id, openers)
    await editProfiles(app, { workspaceId: person.workspaceId }, { bio: null })
    const opener = await person.client.openers.regenerate({ id: openers[0]!.id })
    expect(opener).toMatchObject({ text: 'Opener 0.', status: 'approved', version: openers[0]!.version })
  })
})

it('are deleted with their lead', async () => {
  const { id, list } = await withOpeners(3)
  await person.client.leads.remove({ id: list.leadIds[0]! })
  await person.client.leads.removeMany({ leadIds: [list.leadIds[1]!] })
  const { openers, counts } = await person.client.openers.list({ id })
  expect(openers.map(({ lead }) => lead.id)).toEqual([list.leadIds[2]])
  expect(counts.draft).toBe(1)
})

describe('when a deletion of leads is undone', () => {
  const rows = async (id: string) =>
    (await app.db.execute(sql`select * from openers where campaign_id = ${id} order by id`)).rows

  it('are restored as they were', async () => {
    const { id, list, openers } = await withOpeners(3)
    await approveAll(id, openers.slice(0, 2))
    const before = [await rows(id), await person.client.openers.list({ id })]
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds.slice(0, 2) })
    await expectCountsRight(app)
    expect(await rows(id)).toHaveLength(1)
    await person.client.leads.restore({ removalId: removalId! })
    expect([await rows(id), await person.client.openers.list({ id })]).toEqual(before)
  })

  it('are restored as they were, also by the undo of a job', async () => {
    const { id, openers } = await withOpeners(3)
    await approveAll(id, openers.slice(0, 2))
    const before = await rows(id)
    const work = (jobId: string) => runJob(app.services, bulkKinds, { workspaceId: person.workspaceId, id: jobId })
    const job = await person.client.jobs.create({ kind: 'delete', filter: {} })
    await work(job.id)
    await expectCountsRight(app)
    expect(await rows(id)).toEqual([])
    await work((await person.client.jobs.undo({ id: job.id })).id)
    expect(await rows(id)).toEqual(before)
  })

  it('are part of a text that was edited meanwhile', async () => {
    const { id, list, openers } = await withOpeners(2)
    await approveAll(id, openers.slice(0, 1))
    await person.client.campaigns.queue({ id })
    const { removalId } = await person.client.leads.removeMany({ leadIds: list.leadIds })
    await person.client.campaigns.update({ id, messageTemplate: 'Hi! {ai_opener|…}' })
    await person.client.leads.restore({ removalId: removalId! })
    expect(await messages(id)).toEqual([`Hi! ${openers[0]!.text}`, 'Hi! …'])
  })
})

describe('a job', () => {
  it('keeps what is done when it is canceled, and cannot be canceled twice or undone', async () => {
    const list = await makePeople(12)
    const { id } = await makeCampaign(person, list, { messageTemplate: TEMPLATE })
    const job = await person.client.openers.create({ id, filter: {} })
    const canceling: typeof writeOpeners = async function* (services, row) {
      for await (const part of writeOpeners(services, row)) {
        yield part
        await person.client.jobs.cancel({ id: job.id })
      }
    }
    await runJob(app.services, { openers: { run: canceling } }, { workspaceId: person.workspaceId, id: job.id })
    const canceled = await person.client.jobs.find({ id: job.id })
    expect(canceled.status).toBe('canceled')
    expect(canceled.changed).toBeGreaterThan(0)
    expect(canceled.changed).toBeLessThan(12)
    expect((await person.client.openers.list({ id })).counts.draft).toBe(canceled.changed)
    for (const change of ['cancel', 'undo']) {
      const response = await person.call('POST', `/jobs/${job.id}/${change}`)
      expect([response.status, response.body.code]).toEqual([409, 'JOB_STATE'])
    }
  })

  it('is continued by another process from its place, and no part is stored twice', async () => {
    const list = await makePeople(12)
    const { id } = await makeCampaign(person, list, { messageTemplate: TEMPLATE })
    const job = await person.client.openers.create({ id, filter: {} })
    // This process dies after its first part.
    const dying: typeof writeOpeners = async function* (services, row) {
      for await (const part of writeOpeners(services, row)) {
        yield part
        await new Promise(() => {})
      }
    }
    void runJob(app.services, { openers: { run: dying } }, { workspaceId: person.workspaceId, id: job.id })
    await expect
      .poll(async () => (await person.client.jobs.find({ id: job.id })).changed, { timeout: 60_000 })
      .toBeGreaterThan(0)
    await Promise.all([run(job.id), run(job.id)])
    expect(await person.client.jobs.find({ id: job.id })).toMatchObject({ status: 'completed', done: 12, changed: 12 })
    expect((await person.client.openers.list({ id })).counts.draft).toBe(12)
  })

  it('fails after five faults in succession', async () => {
    const { id } = await makeCampaign(person, await makePeople(1), { messageTemplate: TEMPLATE })
    const job = await person.client.openers.create({ id, filter: {} })
    // biome-ignore lint/correctness/useYield: it fails before its first part
    const faulty: typeof writeOpeners = async function* () {
      throw new Error('a fault of the test')
    }
    app.expectFault(/a fault of the test/)
    const again = () =>
      runJob(app.services, { openers: { run: faulty } }, { workspaceId: person.workspaceId, id: job.id })
    for (let i = 0; i < 4; i += 1) await expect(again()).rejects.toThrow()
    await again()
    const failed = await person.client.jobs.find({ id: job.id })
    expect([failed.status, failed.error]).toEqual(['failed', expect.stringContaining('is kept')])
    const [row] = await app.db.select().from(jobs).where(eq(jobs.id, job.id))
    expect(row!.endedAt).not.toBeNull()
    const { jobs: listed } = await person.client.jobs.list({ status: 'failed' })
    expect(listed.map((entry) => entry.id)).toEqual([job.id])
  })
})

it('are counted as a recount does, whatever happens to them', async () => {
  const { id, list } = await withOpeners(4)
  const removals: string[] = []
  const firstOpeners = async (at: number) => (await person.client.openers.list({ id })).openers.slice(0, at + 1)
  const steps = {
    approve: async (at: number) => {
      const openers = await firstOpeners(at)
      if (openers.length > 0) await approveAll(id, openers)
    },
    withdraw: async (at: number) => {
      for (const opener of await firstOpeners(at))
        await person.client.openers.update({ id: opener.id, isApproved: false })
    },
    edit: async (at: number) => {
      for (const opener of await firstOpeners(at))
        await person.client.openers.update({ id: opener.id, text: `Opener of ${at}.` })
    },
    regenerate: async (at: number) => {
      for (const opener of await firstOpeners(at)) await person.client.openers.regenerate({ id: opener.id })
    },
    write: async () => run((await person.client.openers.create({ id, filter: {} })).id),
    readAgain: (at: number) => readAgain(list.handles[at]!, { bio: `Plumber ${at}` }),
    remove: async (at: number) => {
      const { removalId } = await person.client.leads.removeMany({ leadIds: [list.leadIds[at]!] })
      if (removalId) removals.push(removalId)
    },
    restore: async () => {
      const removalId = removals.pop()
      if (removalId) await person.client.leads.restore({ removalId })
    },
  }
  const step = fc.tuple(fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])), fc.nat(3))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (chosenSteps) => {
      for (const [name, at] of chosenSteps) await steps[name](at)
      await expectCountsRight(app)
    }),
    { numRuns: 6 },
  )
})
