import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Job } from '@x-automated/contract/platform/jobs'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { editProfiles } from '../../../../test/leads.ts'
import { makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { eventually, expectOpenerCountsRight, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { startProcess } from '../../../../test/server-process.ts'
import { ModelFailure, type Models, type TokensUsed } from '../../../outside/models.ts'
import type { Services } from '../../../services.ts'
import { runJob } from '../../platform/jobs/engine.ts'
import { writerUsage } from '../writer/tables.ts'
import { writeOpeners } from './writing.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})
afterEach(() => expectOpenerCountsRight(app))

const USED: TokensUsed = { input: 900, output: 300 }

/** A model that always writes the same text and uses the tokens of `USED`. */
const models: Models = {
  async *stream(call) {
    yield call.element.parse({ text: 'Your work as a baker caught my eye.', factsUsed: ['baker'] })
    return USED
  },
}

/** Creates a person with their own model, and a campaign with this number of people. */
async function withModel(people: number, budgetTokens: number) {
  const person = await makePerson(app)
  await subscribe(app, person)
  await person.client.writer.saveProvider({
    kind: 'openai_compatible',
    baseUrl: 'http://localhost:9/v1',
    model: 'test',
    budgetTokens,
  })
  return { person, ...(await withPeople(person, people)) }
}

async function withPeople(person: Person, people: number) {
  const list = await makeList(app, person, openHandles(people))
  await editProfiles(app, { workspaceId: person.workspaceId }, { bio: 'I am a baker' })
  const { id } = await makeCampaign(person, list, { messageTemplate: '{ai_opener|Hi!} Shall we talk?' })
  return { id, list }
}

/** Runs a job to its end: on a busy machine it takes several turns. */
async function run(services: Services, person: Person, id: string, by = models): Promise<void> {
  const kinds = { openers: { run: writeOpeners } }
  do await runJob({ ...services, models: by }, kinds, { workspaceId: person.workspaceId, id })
  while ((await person.client.jobs.find({ id })).status === 'running')
}

it('stops at the budget with 1,000 leads over three processes, and never passes it', async () => {
  const budget = 270_000
  const { person, id, list } = await withModel(1_000, budget)
  const others = [await app.startAnother(), await app.startAnother()]
  const servers = [app.services, ...others.map(({ services }) => services)]
  const jobs: Job[] = []
  for (const [i] of servers.entries())
    jobs.push(await person.client.openers.create({ id, leadIds: list.leadIds.slice(i * 334, (i + 1) * 334) }))
  let isOver = false
  let highest = 0
  const watching = (async () => {
    while (!isOver) {
      const [usage] = await app.db.select().from(writerUsage).where(eq(writerUsage.workspaceId, person.workspaceId))
      highest = Math.max(highest, usage?.tokens ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  await Promise.all(servers.map((services, i) => run(services, person, jobs[i]!.id)))
  isOver = true
  await watching
  const ended = await Promise.all(jobs.map((job) => person.client.jobs.find({ id: job.id })))
  const made = ended.reduce((sum, { changed }) => sum + changed, 0)
  expect(ended.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed'])
  for (const job of ended) expect(job.error).toContain(`${job.changed} opener`)
  expect((await person.client.openers.list({ id })).counts.draft).toBe(made)
  expect(highest).toBeLessThanOrEqual(budget)
  const { tokens } = await person.client.writer.usage({})
  expect(tokens).toBe(made * (USED.input + USED.output))
  // The rest of the budget would not have paid for another part.
  expect(tokens).toBeGreaterThan(budget * 0.8)
})

it('says what is wrong with the model, and writes built-in suggestions instead', async () => {
  const { person, id } = await withModel(6, 100_000)
  const job = await person.client.openers.create({ id, filter: {} })
  const broken: Models = {
    // biome-ignore lint/correctness/useYield: it never writes anything
    async *stream() {
      throw new ModelFailure('rate_limited')
    },
  }
  await run(app.services, person, job.id, broken)
  expect(await person.client.jobs.find({ id: job.id })).toMatchObject({
    status: 'completed',
    done: 6,
    changed: 6,
    error: 'The model is receiving too many requests. The built-in writer took over.',
  })
  const { openers } = await person.client.openers.list({ id })
  expect(openers.map(({ source }) => source)).toEqual(Array(6).fill('built_in'))
})

it('waits for a model that receives too many requests, and then asks it again for the same leads', async () => {
  const { person, id } = await withModel(6, 100_000)
  const job = await person.client.openers.create({ id, filter: {} })
  let calls = 0
  const busy: Models = {
    async *stream(call) {
      calls += 1
      // The second opener of the first part fails, and so does its first retry.
      if (calls === 2 || calls === 6) throw new ModelFailure('rate_limited', null, 429, 30)
      return yield* models.stream(call)
    },
  }
  const turn = () =>
    runJob({ ...app.services, models: busy }, { openers: { run: writeOpeners } }, { ...person, id: job.id })
  const findJob = () => person.client.jobs.find({ id: job.id })
  await turn()
  expect(calls).toBe(5)
  const waits = 'The model is receiving too many requests. The openers take longer.'
  expect(await findJob()).toMatchObject({ status: 'running', done: 4, changed: 4, error: waits })
  const startsAfter = await app.db.execute<{ seconds: number }>(sql`
    select extract(epoch from start_after - now())::float as seconds from pgboss.job where name = 'job' and singleton_key = ${job.id}`)
  expect(startsAfter.rows[0]?.seconds).toBeGreaterThan(20)
  await turn()
  expect([calls, (await findJob()).done]).toEqual([7, 5])
  await turn()
  expect(await findJob()).toMatchObject({ status: 'completed', done: 6, changed: 6, error: null })
  const { openers } = await person.client.openers.list({ id })
  expect(openers.map(({ source }) => source)).toEqual(Array(6).fill('model'))
  expect((await person.client.writer.usage({})).tokens).toBe(6 * (USED.input + USED.output))
})

it('stops once the campaign is archived', async () => {
  const { person, id } = await withModel(12, 100_000)
  const job = await person.client.openers.create({ id, filter: {} })
  let calls = 0
  const archiving: Models = {
    async *stream(call) {
      calls += 1
      if (calls === 1) await person.client.campaigns.update({ id, status: 'archived' })
      return yield* models.stream(call)
    },
  }
  await run(app.services, person, job.id, archiving)
  expect(calls).toBe(5)
  expect(await person.client.jobs.find({ id: job.id })).toMatchObject({ status: 'completed', changed: 5 })
})

it('waits for no model that asks for more than a minute', async () => {
  const { person, id } = await withModel(1, 100_000)
  const job = await person.client.openers.create({ id, filter: {} })
  const closed: Models = {
    // biome-ignore lint/correctness/useYield: it never writes anything
    async *stream() {
      throw new ModelFailure('rate_limited', null, 429, 3_600)
    },
  }
  await runJob({ ...app.services, models: closed }, { openers: { run: writeOpeners } }, { ...person, id: job.id })
  expect(await person.client.jobs.find({ id: job.id })).toMatchObject({ status: 'completed', changed: 1 })
})

it('keeps an approved opener if the model cannot be reached', async () => {
  const { person, id } = await withModel(1, 100_000)
  await run(app.services, person, (await person.client.openers.create({ id, filter: {} })).id)
  const [opener] = (await person.client.openers.list({ id })).openers
  const approved = await person.client.openers.update({ id: opener!.id, isApproved: true })
  expect(await person.client.openers.regenerate({ id: opener!.id })).toEqual({ ...approved, fault: 'unreachable' })
})

it('stores as facts what the person says, not what the workspace says about itself', async () => {
  const { person, id } = await withModel(1, 100_000)
  await person.client.writer.saveAbout({ text: 'We make ovens.' })
  const marked: Models = {
    async *stream(call) {
      yield call.element.parse({ text: 'Bakers like our ovens.', factsUsed: ['We make ovens', 'a\u02c6baker'] })
      return USED
    },
  }
  await run(app.services, person, (await person.client.openers.create({ id, filter: {} })).id, marked)
  expect((await person.client.openers.list({ id })).openers).toMatchObject([
    { factsUsed: ['a baker'], source: 'model' },
  ])
})

it('is found by everyone who opens the campaign, while it runs and after it has ended', async () => {
  const { person, id } = await withModel(2, 100_000)
  expect((await person.client.openers.list({ id })).job).toBeNull()
  const member = await makePerson(app, { in: person, role: 'member' })
  const job = await person.client.openers.create({ id, filter: {} })
  expect((await member.client.openers.list({ id })).job).toMatchObject({ id: job.id, status: 'queued' })
  await run(app.services, person, job.id)
  expect((await member.client.openers.list({ id })).job).toMatchObject({ id: job.id, status: 'completed', changed: 2 })
  const other = await makeCampaign(person, await makeList(app, person, openHandles(1)))
  expect((await member.client.openers.list({ id: other.id })).job).toBeNull()
})

it('pays once for the same request, also in another campaign, until the opener is edited', async () => {
  const { person, id, list } = await withModel(3, 1_000_000)
  const messageTemplate = '{ai_opener|Hi!} Shall we talk?'
  const writtenFor = async (of: string) => {
    const before = (await person.client.writer.usage({})).tokens
    await run(app.services, person, (await person.client.openers.create({ id: of, filter: {} })).id)
    return ((await person.client.writer.usage({})).tokens - before) / (USED.input + USED.output)
  }
  expect(await writtenFor(id)).toBe(3)
  const { openers } = await person.client.openers.list({ id })
  await person.client.openers.update({ id: openers[0]!.id, text: 'Mine.' })
  const again = await makeCampaign(person, list, { messageTemplate })
  expect(await writtenFor(again.id)).toBe(1)
  const texts = (await person.client.openers.list({ id: again.id })).openers.map(({ text, status }) => [text, status])
  expect(texts).toEqual(Array(3).fill(['Your work as a baker caught my eye.', 'draft']))
  const other = await makeCampaign(person, list, { messageTemplate: '{ai_opener|Hi!} Coffee?' })
  expect(await writtenFor(other.id)).toBe(3)
})

it('does not start a job whose estimate exceeds the budget', async () => {
  const { person, id } = await withModel(20, 5_000)
  const estimate = await person.client.openers.estimate({ id, filter: {} })
  expect(estimate).toMatchObject({ leads: 20, tokens: expect.any(Number), costCents: null, remainingCents: null })
  expect(estimate.tokens).toBeGreaterThan(5_000)
  // The workspace's description of itself is part of each call.
  await person.client.writer.saveAbout({ text: 'x'.repeat(4_000) })
  expect((await person.client.openers.estimate({ id, filter: {} })).tokens).toBe(estimate.tokens + 20 * 1_000)
  const response = await person.call('POST', `/campaigns/${id}/openers`, { filter: {} })
  expect([response.status, response.body.code]).toEqual([403, 'BUDGET_EXCEEDED'])
  expect(response.body.details).toMatchObject({ limitTokens: 5_000, usedTokens: 0, resetsAt: expect.any(String) })
  expect((await person.client.jobs.list({})).total).toBe(0)
  expect(await person.client.openers.create({ id, filter: {}, source: 'built_in' })).toMatchObject({ total: 20 })
})

it("counts a canceled part's calls as they were used", async () => {
  const { person, id } = await withModel(10, 1_000_000)
  const job = await person.client.openers.create({ id, filter: {} })
  const canceling: typeof writeOpeners = async function* (services, row) {
    for await (const part of writeOpeners(services, row)) {
      await person.client.jobs.cancel({ id: job.id })
      yield part
    }
  }
  const of = { workspaceId: person.workspaceId, id: job.id }
  await runJob({ ...app.services, models }, { openers: { run: canceling } }, of)
  expect((await person.client.openers.list({ id })).counts.draft).toBe(0)
  expect((await person.client.writer.usage({})).tokens).toBe(5 * (USED.input + USED.output))
})

it.each(['/openers/:id/regenerate', '/writer/provider/test'])(
  'ends its call of the model when the client of %s leaves',
  async (path) => {
    const { person, id } = await withModel(1, 1_000_000)
    await run(app.services, person, (await person.client.openers.create({ id, filter: {} })).id)
    const [opener] = (await person.client.openers.list({ id })).openers
    const controller = new AbortController()
    const ended = Promise.withResolvers<void>()
    app.services.models = {
      // biome-ignore lint/correctness/useYield: it never writes anything
      async *stream({ signal }) {
        controller.abort()
        await once(signal!, 'abort')
        ended.resolve()
        throw new ModelFailure('timeout')
      },
    }
    const headers = { authorization: `Bearer ${person.token}`, 'idempotency-key': randomUUID() }
    const leave = () =>
      fetch(app.url + path.replace(':id', opener!.id), { method: 'POST', headers, signal: controller.signal })
    await expect(leave()).rejects.toThrow('aborted')
    await ended.promise
  },
)

it('keeps a text that was edited while the model wrote another one', async () => {
  const { person, id } = await withModel(1, 1_000_000)
  const job = await person.client.openers.create({ id, filter: {} })
  await run(app.services, person, job.id)
  const [opener] = (await person.client.openers.list({ id })).openers
  const edited = { id: opener!.id, text: 'Your bread is famous.' }
  app.services.models = {
    async *stream(call) {
      await person.client.openers.update({ ...edited, isApproved: true })
      return yield* models.stream(call)
    },
  }
  expect(await person.client.openers.regenerate({ id: opener!.id })).toMatchObject({ ...edited, status: 'approved' })
})

it('is finished by another process when one is killed in the middle', async () => {
  const person = await makePerson(app)
  await subscribe(app, person)
  const { id } = await withPeople(person, 1_000)
  const first = await startProcess(app)
  const job = await person.client.openers.create({ id, filter: {} })
  await eventually(async () => (await person.client.jobs.find({ id: job.id })).changed > 0, 'the job has begun')
  await first.end('SIGKILL')
  await run(app.services, person, job.id)
  expect(await person.client.jobs.find({ id: job.id })).toMatchObject({ status: 'completed', changed: 1_000 })
  expect((await person.client.openers.list({ id })).counts.draft).toBe(1_000)
})
