import { NO_ID } from '@x-automated/contract/fields'
import type { LeadDetail } from '@x-automated/contract/leads/leads'
import type { NewBulkOrder } from '@x-automated/contract/outreach/bulk'
import type { Job } from '@x-automated/contract/platform/jobs'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ageJobChanges, ageRemovals, endJobUndo } from '../../../../test/jobs.ts'
import { insertLeads } from '../../../../test/leads.ts'
import { connectX, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { markClaimed, markFailed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import {
  ALL_DAY,
  eventually,
  expectCountsRight,
  makeList,
  openHandles,
  type SomeList,
  sendDue,
  waitForBlockedStatement,
} from '../../../../test/outreach.ts'
import { startProcess } from '../../../../test/server-process.ts'
import { purgeRemovals } from '../../../core/people/removal.ts'
import { suppressOptOuts } from '../../../core/people/suppression.ts'
import { dms } from '../../../core/tables/messages.ts'
import { leadRemovals } from '../../../core/tables/removals.ts'
import { Refusal } from '../../../refusal.ts'
import { EVENTS_CHANNEL } from '../../platform/events/recording.ts'
import { runJob } from '../../platform/jobs/engine.ts'
import { purgeJobs } from '../../platform/jobs/jobs.ts'
import { jobChanges, jobs } from '../../platform/jobs/tables.ts'
import { bulkKinds, FIRST_PART } from './engine.ts'

let app: TestApp
let person: Person
let account: { id: string }
let list: SomeList
let first: string
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
  account = await connectX(app, person)
  list = await makeList(app, person, openHandles(3))
  first = list.leadIds[0]!
})
afterEach(() => expectCountsRight(app))

const runOnce = (id: string, kinds = bulkKinds) => runJob(app.services, kinds, { workspaceId: person.workspaceId, id })

/** Runs a job to its end: on a busy machine it takes several turns. */
async function run(id: string): Promise<Job> {
  for (;;) {
    await runOnce(id)
    const job = await person.client.jobs.find({ id })
    if (job.status !== 'running') return job
  }
}
const start = async (order: NewBulkOrder) => run((await person.client.jobs.create(order)).id)
const undo = async ({ id }: Job) => run((await person.client.jobs.undo({ id })).id)
const lead = (id: string) => person.client.leads.find({ id })
const everyLead = (): Promise<LeadDetail[]> => Promise.all(list.leadIds.map(lead))
const members = async () => (await person.client.lists.members({ id: list.id, leadIds: list.leadIds })).leadIds
const makeMany = (count: number) =>
  insertLeads(
    app,
    Array.from({ length: count }, (_, n) => ({
      workspaceId: person.workspaceId,
      name: 'Lead',
      twitterHandle: `many_${n + 1}`,
    })),
  )
/** Asserts that `work` publishes a change of campaigns. */
async function expectCampaignsPublished(work: () => Promise<unknown>): Promise<void> {
  const payloads: string[] = []
  const stop = app.services.channels.subscribe(EVENTS_CHANNEL, (payload) => payloads.push(payload))
  await work()
  await eventually(() => payloads.includes(`${person.workspaceId} campaign *`), 'the change is published')
  stop()
}
const DONE = { status: 'completed', done: 3, total: 3, error: null }

describe('a job', () => {
  it('adds tags, and its undo removes those that it added', async () => {
    const [a, b] = [await person.client.tags.create({ name: 'a' }), await person.client.tags.create({ name: 'b' })]
    for (const tag of [a, b]) await person.client.tags.apply({ leadIds: [first], add: [tag.id] })
    const job = await start({ kind: 'tag', filter: {}, tagIds: [a.id, b.id] })
    expect(job).toMatchObject({ ...DONE, kind: 'tag', changed: 2, undoes: null, undoneBy: null })
    expect((await everyLead()).map(({ tagIds }) => tagIds.length)).toEqual([2, 2, 2])
    const undone = await undo(job)
    expect(undone).toMatchObject({
      status: 'completed',
      total: 2,
      done: 2,
      changed: 2,
      undoes: job.id,
      undoUntil: null,
    })
    expect((await everyLead()).map(({ tagIds }) => tagIds.length)).toEqual([2, 0, 0])
    expect(await person.client.jobs.find({ id: job.id })).toMatchObject({ undoneBy: undone.id, undoUntil: null })
  })

  it('removes tags, and its undo restores them, except on deleted leads', async () => {
    const tag = await person.client.tags.create({ name: 'a' })
    await person.client.tags.apply({ filter: {}, add: [tag.id] })
    const job = await start({ kind: 'untag', filter: { tag: 'a' }, tagIds: [tag.id] })
    expect(job).toMatchObject({ ...DONE, changed: 3 })
    await person.client.leads.remove({ id: first })
    expect(await undo(job)).toMatchObject({ changed: 2 })
    expect((await person.client.leads.list({ tag: 'a' })).total).toBe(2)
  })

  it('adds leads to a list, and its undo removes them', async () => {
    await person.client.lists.removeLeads({ id: list.id, leadIds: list.leadIds.slice(1) })
    const job = await start({ kind: 'add_to_list', leadIds: list.leadIds, listId: list.id })
    expect([job.changed, (await members()).length]).toEqual([2, 3])
    expect(await undo(job)).toMatchObject({ changed: 2 })
    expect(await members()).toEqual([first])
  })

  it('removes leads from a list, and its undo puts them back where they were', async () => {
    const places = async () => (await person.client.lists.leads({ id: list.id })).leads.map(({ id }) => id)
    const before = await places()
    const job = await start({ kind: 'remove_from_list', leadIds: list.leadIds, listId: list.id })
    expect([job.changed, await members()]).toEqual([3, []])
    expect(await undo(job)).toMatchObject({ changed: 3 })
    expect(await places()).toEqual(before)
  })

  it('leaves a list that was deleted before the undo', async () => {
    const job = await start({ kind: 'remove_from_list', filter: {}, listId: list.id })
    await person.client.lists.remove({ id: list.id })
    expect(await undo(job)).toMatchObject({ status: 'completed', changed: 0 })
  })

  it('suppresses people, and its undo leaves those who were suppressed before', async () => {
    await person.client.suppressions.create({ leadIds: [first], reason: 'opted_out' })
    await person.client.leads.queue({ leadIds: list.leadIds.slice(1, 2) })
    const job = await start({ kind: 'suppress', filter: {}, note: 'a fair' })
    expect(job).toMatchObject({ ...DONE, changed: 2 })
    expect(await undo(job)).toMatchObject({ changed: 2 })
    expect((await everyLead()).map(({ suppressed }) => suppressed)).toEqual([true, false, false])
    // A stopped message is not queued again.
    expect((await lead(list.leadIds[1]!)).dmStatus).not.toBe('queued')
  })

  it.each(['manual', 'replied_stop'] as const)(
    'keeps people suppressed who asked to stop after it, when it is undone (%s)',
    async (reason) => {
      const job = await start({ kind: 'suppress', filter: {}, reason })
      await app.db.transaction((tx) => suppressOptOuts({ ...app.services, db: tx }, person.workspaceId, [first]))
      await person.client.suppressions.create({ leadIds: [list.leadIds[1]!], reason: 'opted_out' })
      await person.client.suppressions.create({ leadIds: [list.leadIds[2]!], reason: 'manual' })
      expect(await undo(job)).toMatchObject({ changed: 1 })
      expect((await everyLead()).map(({ suppressed }) => suppressed)).toEqual([true, true, false])
    },
  )

  it('sets the contact basis, and its undo restores it unless it was changed since', async () => {
    await person.client.leads.setBasis({ leadIds: [first], basis: 'customer', source: 'invoice 7' })
    const before = await lead(first)
    const job = await start({ kind: 'basis', filter: {}, basis: 'asked', source: 'a form' })
    expect(job).toMatchObject({ ...DONE, changed: 3 })
    await person.client.leads.setBasis({ leadIds: list.leadIds.slice(1, 2), basis: 'wrote_first' })
    expect(await undo(job)).toMatchObject({ changed: 2 })
    expect((await everyLead()).map(({ basis }) => basis)).toEqual(['customer', 'wrote_first', 'none'])
    expect(await lead(first)).toMatchObject({ basisAt: before.basisAt, basisSource: 'invoice 7' })
  })

  it('deletes leads, and its undo restores them with their lists, tags and messages', async () => {
    const tag = await person.client.tags.create({ name: 'a' })
    await person.client.tags.apply({ filter: {}, add: [tag.id] })
    await person.client.leads.queue({ leadIds: [first] })
    const job = await start({ kind: 'delete', filter: {} })
    expect(job).toMatchObject({ ...DONE, changed: 3 })
    expect((await person.client.leads.list({})).total).toBe(0)
    expect(await undo(job)).toMatchObject({ changed: 3 })
    expect((await members()).length).toBe(3)
    expect((await everyLead()).map(({ tagIds }) => tagIds)).toEqual([[tag.id], [tag.id], [tag.id]])
    expect(await app.db.$count(dms, eq(dms.leadId, first))).toBe(1)
  })

  it('queues messages again that failed between the deletion of their leads and its undo', async () => {
    await person.client.leads.queue({ leadIds: [first] })
    const job = await start({ kind: 'delete', filter: {} })
    const failed = { status: 'failed', reason: { code: 'lead_missing', params: {} } } as const
    await markFailed(app, { workspaceId: person.workspaceId }, failed)
    await undo(job)
    expect(await app.db.select().from(dms).where(eq(dms.leadId, first))).toMatchObject([
      { status: 'queued', reason: null },
    ])
    expect(await lead(first)).toMatchObject({ dmStatus: 'queued' })
  })

  it.each([
    { kind: 'suppress', filter: {} },
    { kind: 'delete', filter: {} },
    { kind: 'queue', filter: {}, message: 'Hi', holdSeconds: 30 },
  ] as const)('publishes that campaigns have changed: $kind', async (order) => {
    await expectCampaignsPublished(() => start(order))
  })

  it.each([
    { kind: 'delete', filter: {} },
    { kind: 'queue', filter: {}, message: 'Hi', holdSeconds: 30 },
  ] as const)('publishes that campaigns have changed by an undo: $kind', async (order) => {
    const job = await start(order)
    await expectCampaignsPublished(() => undo(job))
  })

  it('keeps a deletion while it can be undone, and not longer', async () => {
    const job = await start({ kind: 'delete', leadIds: list.leadIds })
    await ageRemovals(app, {}, 120)
    await ageJobChanges(app, {}, 2)
    const purge = async () => {
      await purgeRemovals(app.db)
      await purgeJobs(app.db)
      return [
        await app.db.$count(leadRemovals, eq(leadRemovals.jobId, job.id)),
        await app.db.$count(jobChanges, eq(jobChanges.jobId, job.id)),
      ]
    }
    expect(await purge()).toEqual([1, 1])
    await endJobUndo(app, job.id)
    expect(await purge()).toEqual([0, 0])
    const response = await person.call('POST', `/jobs/${job.id}/undo`, {})
    expect([response.status, response.body.code]).toEqual([409, 'JOB_STATE'])
  })

  it('queues messages that are due after its end, and its undo deletes those that nobody claimed', async () => {
    const job = await start({ kind: 'queue', filter: {}, message: 'Hi {lead_name}', holdSeconds: 30 })
    expect(job).toMatchObject({ ...DONE, changed: 3, undoUntil: expect.any(String) })
    await markClaimed(app, { leadId: first })
    expect(await undo(job)).toMatchObject({ changed: 2 })
    expect((await everyLead()).map(({ dmStatus }) => dmStatus)).toEqual(['queued', 'not_sent', 'not_sent'])
  })

  it('deletes messages that something else has locked for a moment, when it is undone', async () => {
    const job = await start({ kind: 'queue', filter: {}, holdSeconds: 30 })
    let undoing: Promise<Job> | null = null
    await app.db.transaction(async (tx) => {
      await tx.select().from(dms).where(eq(dms.leadId, first)).for('update')
      undoing = undo(job)
      await waitForBlockedStatement(app)
    })
    expect(await undoing).toMatchObject({ changed: 3 })
  })

  it('releases its messages once they can no longer be undone, unless an undo has begun', async () => {
    const due = async () => {
      const rows = await app.db.select({ dueAt: dms.dueAt }).from(dms).where(eq(dms.workspaceId, person.workspaceId))
      return rows.map(({ dueAt }) => dueAt <= new Date())
    }

    const job = await start({ kind: 'queue', filter: {}, holdSeconds: 30 })
    expect(await due()).toEqual([false, false, false])
    const undoing = await person.client.jobs.undo({ id: job.id })
    await endJobUndo(app, job.id)
    await runOnce(job.id)
    expect(await due()).toEqual([false, false, false])
    await person.client.jobs.cancel({ id: undoing.id })
    await runOnce(undoing.id)
    expect(await due()).toEqual([true, true, true])
  })

  it('releases its messages even if its changes are old by then', async () => {
    const job = await start({ kind: 'queue', filter: {}, holdSeconds: 30 })
    await endJobUndo(app, job.id)
    await ageJobChanges(app, { jobId: job.id }, 24)
    await purgeJobs(app.db)
    await runOnce(job.id)
    expect(await app.db.$count(dms, sql`workspace_id = ${person.workspaceId} and due_at <= now()`)).toBe(3)
    expect(await app.db.$count(jobChanges, eq(jobChanges.jobId, job.id))).toBe(0)
  })

  it('can be undone again as soon as its undo has failed', async () => {
    const tag = await person.client.tags.create({ name: 'a' })
    const job = await start({ kind: 'tag', filter: {}, tagIds: [tag.id] })
    const { id } = await person.client.jobs.undo({ id: job.id })
    const refusing = { tag: { ...bulkKinds.tag!, undo: () => Promise.reject(new Refusal('TAG_NOT_FOUND')) } }
    let failing: Promise<void> | null = null
    await app.db.transaction(async (tx) => {
      await tx.select().from(jobs).where(eq(jobs.id, job.id)).for('update')
      failing = runOnce(id, refusing)
      await waitForBlockedStatement(app)
      expect((await person.client.jobs.find({ id })).status).toBe('running')
    })
    await failing
    expect((await person.client.jobs.find({ id })).status).toBe('failed')
    expect(await undo(job)).toMatchObject({ status: 'completed', changed: 3 })
  })

  it('can be undone again if its undo was canceled', async () => {
    const tag = await person.client.tags.create({ name: 'a' })
    const job = await start({ kind: 'tag', filter: {}, tagIds: [tag.id] })
    const { id } = await person.client.jobs.undo({ id: job.id })
    await person.client.jobs.cancel({ id })
    expect(await person.client.jobs.find({ id: job.id })).toMatchObject({ undoneBy: null, undoUntil: job.undoUntil })
    expect(await undo(job)).toMatchObject({ status: 'completed', changed: 3 })
  })

  it('queues messages that are sent after its end', async () => {
    await person.client.sendingSettings.saveLimits({ ...ALL_DAY, xAccountId: account.id })
    await start({ kind: 'queue', filter: {}, message: 'Hi {lead_name}' })
    expect(await sendDue(app)).toContain('Hi Lead 1')
  })

  it('leaves out leads that were created or changed after it', async () => {
    const job = await person.client.jobs.create({ kind: 'basis', filter: { basis: 'none' }, basis: 'asked' })
    expect(job).toMatchObject({ status: 'queued', total: 3, undoUntil: null })
    await person.client.leads.setBasis({ leadIds: [first], basis: 'customer' })
    await app.db.execute(sql`select pg_sleep(0.01)`)
    const later = await makeList(app, person, openHandles(1))
    expect(await run(job.id)).toMatchObject({ status: 'completed', changed: 2 })
    expect((await lead(first)).basis).toBe('customer')
    expect((await lead(later.leadIds[0]!)).basis).toBe('none')
  })

  it('keeps what is done when it is canceled, and can be undone', async () => {
    const tag = await person.client.tags.create({ name: 'a' })
    await makeMany(1_000)
    const job = await person.client.jobs.create({ kind: 'tag', filter: {}, tagIds: [tag.id] })
    const canceling: typeof bulkKinds = {
      tag: {
        ...bulkKinds.tag!,
        async *run(services, row) {
          let parts = 0
          for await (const part of bulkKinds.tag!.run(services, row)) {
            parts += 1
            if (parts === 2) await person.client.jobs.cancel({ id: job.id })
            yield part
          }
        },
      },
    }
    const running = await person.call('POST', `/jobs/${job.id}/undo`, {})
    expect([running.status, running.body.code]).toEqual([409, 'JOB_STATE'])
    await runOnce(job.id, canceling)
    const canceled = await person.client.jobs.find({ id: job.id })
    expect(canceled).toMatchObject({ status: 'canceled', changed: FIRST_PART, undoUntil: expect.any(String) })
    const late = await person.call('POST', `/jobs/${job.id}/cancel`, {})
    expect([late.status, late.body.code]).toEqual([409, 'JOB_STATE'])
    expect(await undo(canceled)).toMatchObject({ changed: FIRST_PART })
    expect((await person.client.leads.list({ tag: 'a' })).total).toBe(0)
    const again = await person.call('POST', `/jobs/${job.id}/undo`, {})
    expect([again.status, again.body.code]).toEqual([409, 'JOB_STATE'])
  })

  it('fails if its list is deleted meanwhile', async () => {
    const job = await person.client.jobs.create({ kind: 'add_to_list', filter: {}, listId: list.id })
    await person.client.lists.remove({ id: list.id })
    expect(await run(job.id)).toMatchObject({ status: 'failed', changed: 0, error: expect.stringMatching(/list/i) })
  })

  it('is continued by another process when one is killed', async () => {
    await makeMany(6_000)
    const process = await startProcess(app)
    const { id } = await person.client.jobs.create({ kind: 'delete', filter: {} })
    await eventually(async () => (await person.client.jobs.find({ id })).changed > 0, 'the job has begun')
    await process.end('SIGKILL')
    const job = await run(id)
    expect(job).toMatchObject({ status: 'completed', changed: 6_003 })
    expect(await undo(job)).toMatchObject({ changed: 6_003 })
    expect((await person.client.leads.list({})).total).toBe(6_003)
  })
})

describe('starting a job', () => {
  const refused = async (order: object, by: Person = person) => {
    const { status, body } = await by.call('POST', '/jobs', { filter: {}, ...order })
    return [status, body.code]
  }

  it('needs a valid order', async () => {
    const tagIds = [(await person.client.tags.create({ name: 'a' })).id]
    const invalid = [400, 'INVALID_INPUT']
    expect(await refused({})).toEqual(invalid)
    expect(await refused({ kind: 'openers' })).toEqual(invalid)
    expect(await refused({ kind: 'tag', tagIds: [] })).toEqual(invalid)
    expect(await refused({ kind: 'tag', tagIds, leadIds: [first] })).toEqual(invalid)
    expect(await refused({ kind: 'tag', tagIds, listId: list.id })).toEqual(invalid)
    expect(await refused({ kind: 'queue', message: 'Hi {nobody}' })).toEqual(invalid)
    expect((await person.client.jobs.list({})).total).toBe(0)
  })

  it('needs a tag and a manual list of the workspace', async () => {
    const stranger = await makePerson(app)
    const tag = await stranger.client.tags.create({ name: 'theirs' })
    const theirs = await makeList(app, stranger, [])
    const smart = await person.client.lists.create({ name: 'smart', filter: {} })
    expect(await refused({ kind: 'tag', tagIds: [tag.id] })).toEqual([404, 'TAG_NOT_FOUND'])
    expect(await refused({ kind: 'add_to_list', listId: theirs.id })).toEqual([404, 'LEAD_LIST_NOT_FOUND'])
    expect(await refused({ kind: 'remove_from_list', listId: smart.id })).toEqual([409, 'LEAD_LIST_KIND'])
  })

  it('needs the list, the tag and the scrape that its filter names', async () => {
    const stranger = await makePerson(app)
    const theirs = await makeList(app, stranger, [])
    const { id: theirTag } = await stranger.client.tags.create({ name: 'theirs' })
    const unless = (filter: NewBulkOrder['filter']) => refused({ kind: 'delete', filter })
    expect(await unless({ listId: theirs.id })).toEqual([404, 'LEAD_LIST_NOT_FOUND'])
    expect(await unless({ tag: theirTag })).toEqual([404, 'TAG_NOT_FOUND'])
    expect(await unless({ tag: 'theirs' })).toEqual([404, 'TAG_NOT_FOUND'])
    expect(await unless({ scrapeId: NO_ID })).toEqual([404, 'SCRAPE_NOT_FOUND'])
  })

  it('changes no lead of another workspace', async () => {
    const stranger = await makePerson(app)
    const job = await stranger.client.jobs.create({ kind: 'delete', leadIds: list.leadIds })
    expect(job.total).toBe(0)
    await runJob(app.services, bulkKinds, { workspaceId: stranger.workspaceId, id: job.id })
    expect((await person.client.leads.list({})).total).toBe(3)
    const response = await stranger.call('POST', '/jobs', { kind: 'queue', filter: {} })
    expect([response.status, response.body.code]).toEqual([409, 'X_NOT_CONNECTED'])
  })

  it('is not for viewers', async () => {
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect(await refused({ kind: 'delete' }, viewer)).toEqual([403, 'FORBIDDEN'])
  })

  it('needs room in the plan for all messages', async () => {
    await makeList(app, person, openHandles(200))
    expect(await refused({ kind: 'queue' })).toEqual([403, 'PLAN_LIMIT'])
    await subscribe(app, person)
    expect(await start({ kind: 'queue', filter: {} })).toMatchObject({ changed: 203 })
  })

  it('is refused while five jobs are unfinished', async () => {
    const order = { kind: 'delete', filter: {} } as const
    const started: Job[] = []
    for (let i = 0; i < 5; i += 1) started.push(await person.client.jobs.create(order))
    expect(await refused(order)).toEqual([409, 'TOO_MANY'])
    await person.client.jobs.cancel({ id: started[0]!.id })
    expect(await person.client.jobs.create(order)).toMatchObject({ status: 'queued' })
  })
})
