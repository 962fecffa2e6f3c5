import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setFigures } from '../../../../test/campaigns.ts'
import { earn, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import { STARTERS } from './starters.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

const stepsOf = (messageTemplate: string) => [{ variants: [{ messageTemplate }] }]
const create = (name: string, more: object = {}, by = person) =>
  by.call('POST', '/templates', { name, steps: stepsOf(`Hi {lead_name}, ${name}`), ...more })
const namesOf = async (by: Person, query: object = {}) =>
  (await by.client.templates.list(query)).templates.filter(({ isStarter }) => !isStarter).map(({ name }) => name)
const team = async () => {
  await subscribe(app, person)
  const roles = ['member', 'member', 'admin', 'viewer'] as const
  const people = await Promise.all(roles.map((role) => makePerson(app, { in: person, role })))
  const [author, other, admin, viewer] = people as [Person, Person, Person, Person]
  return { author, other, admin, viewer }
}

it('returns a created template as the contract describes it', async () => {
  const delay = { amount: 3, unit: 'days' }
  const steps = [...stepsOf('Hi {lead_name}'), { delay, variants: [{ messageTemplate: 'Still there?' }] }]
  const { status, body } = await person.call('POST', '/templates', { name: 'Hello', folder: 'Founders', steps })
  const defaults = { allocation: 'weights', switchToWinner: false, testWindowDays: 7 }
  expect([status, body]).toEqual([
    200,
    {
      id: expect.any(String),
      name: 'Hello',
      folder: 'Founders',
      steps: [
        { ...defaults, variants: [{ messageTemplate: 'Hi {lead_name}', weight: 1, isActive: true }] },
        { ...defaults, delay, variants: [{ messageTemplate: 'Still there?', weight: 1, isActive: true }] },
      ],
      isShared: false,
      isStarter: false,
      isArchived: false,
      author: { id: person.id, name: person.email.split('@')[0] },
      campaignCount: 0,
      replyRate: null,
      positiveRate: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ])
  expect((await person.client.templates.list({})).templates[0]).toEqual(body)
})

describe('the list', () => {
  it('ends with the starters, over the pages', async () => {
    await create('Mine')
    const full = await person.client.templates.list({})
    expect(full).toMatchObject({ total: 7, page: 1, pageSize: 50 })
    expect(full.templates.map(({ name }) => name)).toEqual(['Mine', ...STARTERS.map(({ name }) => name)])
    const pages = await Promise.all([1, 2, 3].map((page) => person.client.templates.list({ page, pageSize: 3 })))
    expect(pages.flatMap(({ templates }) => templates)).toEqual(full.templates)
  })

  it('finds templates by folder, name and message, and names the folders', async () => {
    await create('Warm', { folder: 'Founders' })
    await create('Cold', { folder: 'Agencies' })
    await create('Rest', { steps: stepsOf('100% of \\ variants_') })
    expect(await namesOf(person, { folder: 'Founders' })).toEqual(['Warm'])
    expect(await namesOf(person, { q: 'hi {LEAD_NAME}, cold' })).toEqual(['Cold'])
    expect(await namesOf(person, { q: 'found' })).toEqual(['Warm'])
    expect(await namesOf(person, { q: '% of \\ v' })).toEqual(['Rest'])
    expect(await namesOf(person, { q: 'messageTemplate' })).toEqual([])
    expect((await person.client.templates.list({ q: 'Warm' })).folders).toEqual(['Agencies', 'Founders'])
  })

  it('shows viewers what is shared, members also their own, and admins all', async () => {
    const { author, other, admin, viewer } = await team()
    await create('Private', {}, author)
    await create('Shared', { isShared: true }, author)
    expect(await namesOf(viewer)).toEqual(['Shared'])
    expect(await namesOf(other)).toEqual(['Shared'])
    for (const user of [author, admin]) expect(await namesOf(user)).toEqual(['Shared', 'Private'])
    const stranger = await makePerson(app)
    expect(await namesOf(stranger)).toEqual([])
  })
})

describe('a change', () => {
  it('is made by the author or an admin, of templates that they see', async () => {
    const { author, other, admin, viewer } = await team()
    const { id } = (await create('Private', {}, author)).body
    expect((await other.call('PATCH', `/templates/${id}`, { name: 'x' })).body.code).toBe('TEMPLATE_NOT_FOUND')
    expect(await admin.client.templates.update({ id, isShared: true })).toMatchObject({ isShared: true })
    for (const user of [other, viewer]) {
      expect((await user.call('PATCH', `/templates/${id}`, { name: 'x' })).body.code).toBe('FORBIDDEN')
      expect((await user.call('DELETE', `/templates/${id}`)).body.code).toBe('FORBIDDEN')
    }
    const changes = { name: 'New', folder: null, steps: stepsOf('Changed') }
    expect(await author.client.templates.update({ id, ...changes })).toMatchObject({ name: 'New', isShared: true })
    expect((await author.call('DELETE', `/templates/${id}`)).status).toBe(204)
    expect((await author.call('DELETE', `/templates/${id}`)).body.code).toBe('TEMPLATE_NOT_FOUND')
  })

  it('archives and restores a template', async () => {
    const { id } = (await create('Old')).body
    await person.client.templates.update({ id, isArchived: true })
    expect([await namesOf(person), await namesOf(person, { isArchived: true })]).toEqual([[], ['Old']])
    expect((await person.client.templates.list({ isArchived: true })).total).toBe(1)
    await person.client.templates.update({ id, isArchived: false })
    expect(await namesOf(person)).toEqual(['Old'])
  })

  it('is refused for starters, which can be duplicated', async () => {
    const { id, name, steps } = STARTERS[5]!
    expect((await person.call('PATCH', `/templates/${id}`, { name: 'x' })).body.code).toBe('FORBIDDEN')
    expect((await person.call('DELETE', `/templates/${id}`)).body.code).toBe('FORBIDDEN')
    const copy = await person.client.templates.duplicate({ id })
    expect(copy).toMatchObject({ name: `${name} (copy)`, steps, isStarter: false, isShared: false, folder: null })
  })

  it('duplicates a shared template as a private one of the caller', async () => {
    const { author, other } = await team()
    const { id } = (await create('Shared', { isShared: true, folder: 'Founders' }, author)).body
    expect(await other.client.templates.duplicate({ id, name: 'Mine' })).toMatchObject({
      name: 'Mine',
      folder: 'Founders',
      isShared: false,
      author: { id: other.id },
    })
  })
})

describe('a plan', () => {
  const fill = () => Promise.all([1, 2, 3].map((number) => create(`T${number}`)))

  it('limits new, copied and restored templates, not archived ones', async () => {
    const [first] = await fill()
    const { id } = first!.body
    const refused = await create('T4')
    expect(refused.body).toMatchObject({ code: 'PLAN_LIMIT', details: { limit: 3, used: 3, plan: 'free' } })
    expect((await person.call('POST', `/templates/${id}/duplicate`, {})).body.code).toBe('PLAN_LIMIT')
    await person.client.templates.update({ id, isArchived: true })
    expect((await create('T4')).status).toBe(200)
    expect((await person.call('PATCH', `/templates/${id}`, { isArchived: false })).body.code).toBe('PLAN_LIMIT')
    await subscribe(app, person, 'pro_monthly')
    expect((await person.call('PATCH', `/templates/${id}`, { isArchived: false })).status).toBe(200)
  })

  it('counts concurrent templates one by one', async () => {
    const responses = await Promise.all([1, 2, 3, 4, 5].map((number) => create(`T${number}`)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403])
  })

  it('does not limit the templates of a gold referrer', async () => {
    await fill()
    // The months of Pro are over; the templates stay.
    await earn(app, person, 'gold')
    expect((await create('T4', { folder: 'Pack' })).status).toBe(200)
    expect((await create('Shared', { isShared: true })).body.code).toBe('PLAN_LIMIT')
  })

  it('limits the shared templates of a gold referrer, without counting private ones', async () => {
    await subscribe(app, person)
    const ids = []
    for (const name of ['S1', 'S2', 'S3', 'S4']) ids.push((await create(name, { isShared: true })).body.id as string)
    const [first, second] = ids as [string, string]
    await earn(app, person, 'gold')
    await unsubscribe(app, person)
    await person.client.templates.update({ id: first, isArchived: true })
    const restored = { isArchived: false }
    expect((await person.call('PATCH', `/templates/${first}`, restored)).body.code).toBe('PLAN_LIMIT')
    await fill()
    await person.client.templates.update({ id: second, isArchived: true })
    expect(await person.client.templates.update({ id: first, ...restored })).toMatchObject({ isShared: true })
    // As a private template, the other one has no limit.
    expect((await person.call('PATCH', `/templates/${second}`, { ...restored, isShared: false })).status).toBe(200)
  })

  it('shares templates on Agency only, and what is shared stays so', async () => {
    await subscribe(app, person, 'pro_monthly')
    const { id } = (await create('Mine')).body
    expect((await create('Shared', { isShared: true })).body.code).toBe('PLAN_LIMIT')
    expect((await person.call('PATCH', `/templates/${id}`, { isShared: true })).body.code).toBe('PLAN_LIMIT')
    await subscribe(app, person)
    await person.client.templates.update({ id, isShared: true })
    await subscribe(app, person, 'pro_monthly')
    expect(await person.client.templates.update({ id, name: 'New', isShared: true })).toMatchObject({ isShared: true })
  })
})

describe('a campaign that was started from a template', () => {
  const start = async (templateId: string) => {
    const { id: leadListId } = await person.client.lists.create({ name: 'People' })
    const body = { name: 'Started', leadListId, status: 'draft' as const, messageTemplate: 'Hi', templateId }
    return person.client.campaigns.create(body)
  }

  it('counts in its figures, and so does its copy', async () => {
    const { id } = (await create('Hello')).body
    for (const templateId of [id, STARTERS[0]!.id]) {
      const campaign = await start(templateId)
      await person.client.campaigns.duplicate({ id: campaign.id })
      const counts = { peopleMessaged: 30, peopleReplied: 10, peoplePositive: 1 }
      await setFigures(app, { id: campaign.id }, counts)
    }
    const { templates } = await person.client.templates.list({})
    const figures = { campaignCount: 2, replyRate: 33.3, positiveRate: 3.3 }
    expect(templates[0]).toMatchObject({ id, ...figures })
    expect(templates[1]).toMatchObject({ id: STARTERS[0]!.id, ...figures })
    expect(templates[2]).toMatchObject({ campaignCount: 0, replyRate: null, positiveRate: null })
  })

  it('is listed among those of its template alone', async () => {
    const { id } = (await create('Hello')).body
    const campaign = await start(id)
    await start(STARTERS[0]!.id)
    const { campaigns: listed, total } = await person.client.campaigns.list({ templateId: id })
    expect([listed.map((entry) => entry.id), total]).toEqual([[campaign.id], 1])
  })

  it('has no rates until somebody was messaged', async () => {
    const { id } = (await create('Hello')).body
    await start(id)
    const figures = { campaignCount: 1, replyRate: null, positiveRate: null }
    expect((await person.client.templates.list({})).templates[0]).toMatchObject(figures)
  })

  it('stays when the template is deleted, which starts no other', async () => {
    const { id } = (await create('Hello')).body
    const campaign = await start(id)
    await person.client.templates.remove({ id })
    expect((await person.client.campaigns.duplicate({ id: campaign.id })).name).toBe('Started (copy)')
    await expect(start(id)).rejects.toMatchObject({ code: 'TEMPLATE_NOT_FOUND' })
  })
})

it.each([
  [{ name: ' ' }],
  [{ name: 'x'.repeat(201) }],
  [{ folder: '' }],
  [{ steps: [] }],
  [{ steps: stepsOf('Hi {unknown}') }],
  [{ steps: [{ id: '01900000-0000-7000-8000-000000000000', variants: [{ messageTemplate: 'Hi' }] }] }],
  [{ steps: [{ delay: { amount: 1, unit: 'days' }, variants: [{ messageTemplate: 'Hi' }] }] }],
  [{ steps: [...stepsOf('Hi'), ...stepsOf('Without a delay')] }],
  [{ steps: [{ variants: [{ messageTemplate: 'Hi', isActive: false }] }] }],
])('returns 400 for %j and changes nothing', async (wrong) => {
  const { id } = (await create('Hello')).body
  expect((await create('Other', wrong)).status).toBe(400)
  expect((await person.call('PATCH', `/templates/${id}`, wrong)).status).toBe(400)
  expect(await namesOf(person)).toEqual(['Hello'])
})
