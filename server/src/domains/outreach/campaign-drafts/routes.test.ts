import { randomUUID } from 'node:crypto'
import { CAMPAIGN_DRAFTS_MAX } from '@x-automated/contract/outreach/campaign-drafts'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { connectX, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { letDraftsAge, makeList, openHandles } from '../../../../test/outreach.ts'
import { purgeOldDrafts } from './drafts.ts'
import { campaignDrafts } from './tables.ts'

let app: TestApp
let person: Person
let id: string
beforeAll(async () => {
  app = await openApp({ x: true })
})
beforeEach(async () => {
  person = await makePerson(app)
  id = randomUUID()
})

const save = (body: object, of = id, by = person) => by.call('PUT', `/campaign-drafts/${of}`, body)
const listOf = async (by: Person) => (await by.client.campaignDrafts.list()).drafts
const HALF_WRITTEN = {
  name: 'Founders ',
  steps: [
    { variants: [{ name: 'A', messageTemplate: 'Hi {first_name},\n' }] },
    { delay: { amount: 3, unit: 'days' }, variants: [{ messageTemplate: '' }] },
  ],
  reengagement: { afterDays: 30, messageTemplate: '' },
  channel: 'extension',
  allowRepeat: true,
} as const

it('is saved as typed, with its empty parts, and replaced by the next version', async () => {
  const { body: first } = await save({ version: 0, ...HALF_WRITTEN })
  expect(first).toMatchObject({ id, version: 1, updatedAt: expect.any(String), ...HALF_WRITTEN })
  expect(await person.client.campaignDrafts.find({ id })).toEqual(first)
  expect((await save({ version: 1, name: '' })).body).toEqual({
    id,
    version: 2,
    updatedAt: expect.any(String),
    name: '',
  })
  expect(await listOf(person)).toEqual([{ id, name: '', updatedAt: expect.any(String) }])
})

it('is listed newest first', async () => {
  const other = randomUUID()
  await save({ version: 0, name: 'One' })
  await save({ version: 0, name: 'Two' }, other)
  await save({ version: 1, name: 'One again' })
  expect((await listOf(person)).map(({ name }) => name)).toEqual(['One again', 'Two'])
})

it('is refused if another version is stored, but the same may be saved again', async () => {
  await save({ version: 0, name: 'One' })
  expect((await save({ version: 0, name: 'One' })).body.version).toBe(1)
  expect((await save({ version: 0, name: 'Two' })).body.code).toBe('DRAFT_CHANGED')
  await save({ version: 1, name: 'Two' })
  expect((await save({ version: 1, name: 'Three' })).body.code).toBe('DRAFT_CHANGED')
  expect((await person.client.campaignDrafts.find({ id })).name).toBe('Two')
  const saves = await Promise.all(['A', 'B', 'C'].map((name) => save({ version: 2, name })))
  expect(saves.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

it('belongs to its author alone, in one workspace', async () => {
  const member = await makePerson(app, { in: person, role: 'member' })
  const viewer = await makePerson(app, { in: person, role: 'viewer' })
  await save({ version: 0, name: 'Mine' })
  expect((await member.call('GET', `/campaign-drafts/${id}`)).body.code).toBe('DRAFT_NOT_FOUND')
  expect((await member.call('DELETE', `/campaign-drafts/${id}`)).body.code).toBe('DRAFT_NOT_FOUND')
  expect((await save({ version: 1, name: 'Theirs' }, id, member)).body.code).toBe('DRAFT_NOT_FOUND')
  expect(await listOf(member)).toEqual([])
  // For another member, the same id is another draft.
  expect((await save({ version: 0, name: 'Theirs' }, id, member)).status).toBe(200)
  expect((await person.client.campaignDrafts.find({ id })).name).toBe('Mine')
  expect((await viewer.call('GET', '/campaign-drafts')).status).toBe(403)
  await person.client.people.remove({ id: member.id })
  const stored = await app.db.select().from(campaignDrafts).where(eq(campaignDrafts.workspaceId, person.workspaceId))
  expect(stored).toMatchObject([{ userId: person.id }])
})

it('is deleted once', async () => {
  await save({ version: 0 })
  expect((await person.call('DELETE', `/campaign-drafts/${id}`)).status).toBe(204)
  expect((await person.call('DELETE', `/campaign-drafts/${id}`)).body.code).toBe('DRAFT_NOT_FOUND')
  expect((await save({ version: 1 })).body.code).toBe('DRAFT_NOT_FOUND')
})

it('is refused beyond 20', async () => {
  for (let count = 0; count < CAMPAIGN_DRAFTS_MAX; count += 1) await save({ version: 0 }, randomUUID())
  expect((await save({ version: 0 })).body.code).toBe('TOO_MANY')
})

it('is deleted 90 days after its last change', async () => {
  await save({ version: 0 })
  await purgeOldDrafts(app.db)
  expect(await listOf(person)).toHaveLength(1)
  await letDraftsAge(app, 91)
  await purgeOldDrafts(app.db)
  expect(await listOf(person)).toEqual([])
})

it('goes with the campaign that is made from it, or with its launch, and stays if that fails', async () => {
  const list = await makeList(app, person, openHandles(1))
  await connectX(app, person)
  const body = { name: 'Founders', leadListId: list.id, messageTemplate: 'Hi', status: 'draft' }
  const missing = await person.call('POST', '/campaigns', { ...body, draftId: id })
  expect(missing.body.code).toBe('DRAFT_NOT_FOUND')
  expect((await person.client.campaigns.list({})).campaigns).toEqual([])
  await save({ version: 0, name: 'Founders' })
  expect((await person.call('POST', '/campaigns', { ...body, leadListId: id, draftId: id })).status).toBe(404)
  expect(await listOf(person)).toHaveLength(1)
  const { body: campaign } = await person.call('POST', '/campaigns', { ...body, draftId: id })
  expect(await listOf(person)).toEqual([])

  await save({ version: 0, name: 'Founders' })
  const launch = (draftId: string) => person.call('POST', `/campaigns/${campaign.id}/queue`, { limit: 1, draftId })
  const first = await launch(id)
  expect(first.status).toBe(200)
  expect(await listOf(person)).toEqual([])
  expect((await launch(id)).body).toEqual(first.body)
})

it.each([
  [{}],
  [{ version: -1 }],
  [{ version: 1.5 }],
  [{ version: 0, name: 'x'.repeat(201) }],
  [{ version: 0, name: 'a\0' }],
  [{ version: 0, steps: [] }],
  [{ version: 0, steps: [{ variants: [{ messageTemplate: 'x'.repeat(10_001) }] }] }],
  [{ version: 0, leadListId: 'x' }],
  [{ version: 0, other: 1 }],
])('returns 400 for invalid input %#', async (body) => {
  expect((await save(body)).status).toBe(400)
  expect((await save({ version: 0 }, 'x')).status).toBe(400)
  expect(await listOf(person)).toEqual([])
})
