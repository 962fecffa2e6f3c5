import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, eventually, launch, makeCampaign, makeList, openHandles } from '../../../../test/outreach.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'

let app: TestApp
let person: Person
let stranger: Person
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true, env: { SEND_INTERVAL_SECONDS: '60' } })
  person = await makePerson(app)
  stranger = await makePerson(app)
})

const NOBODYS = '01900000-0000-7000-8000-000000000000'

describe('POST /campaigns/{id}/duplicate', () => {
  it('creates a draft copy with nothing queued', async () => {
    const list = await makeList(app, person, openHandles(2))
    const both = { allowRepeat: true, allowReplied: true }
    const first = await launch(person, list, { name: 'x'.repeat(200), channel: 'extension', ...both })
    const { status, body } = await person.call('POST', `/campaigns/${first.id}/duplicate`)
    expect([status, body]).toEqual([
      200,
      {
        ...first,
        id: expect.not.stringMatching(first.id),
        name: `${'x'.repeat(193)} (copy)`,
        status: 'draft',
        totalLeadsInList: 0,
        dmsQueuedCount: 0,
        openEnrollments: 0,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
    expect(await dmsOf(person, body.id)).toEqual([])
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('POST', `/campaigns/${first.id}/duplicate`)).status).toBe(403)
  })

  it('returns 409 if the list was deleted and 404 if the campaign is unknown', async () => {
    const list = await makeList(app, person, [])
    const campaign = await makeCampaign(person, list)
    await person.client.lists.remove({ id: list.id })
    for (const [id, status, code] of [
      [campaign.id, 409, 'CAMPAIGN_STATE'],
      [NOBODYS, 404, 'CAMPAIGN_NOT_FOUND'],
    ] as const) {
      const response = await person.call('POST', `/campaigns/${id}/duplicate`)
      expect([response.status, response.body.code]).toEqual([status, code])
    }
    expect(await app.db.$count(campaigns, eq(campaigns.leadListId, list.id))).toBe(0)
  })
})

describe('POST /campaigns/{id}/test', () => {
  it('emails the message rendered for the first lead or the chosen one', async () => {
    const list = await makeList(app, person, openHandles(2), { names: ['Ada', ''] })
    const campaign = await makeCampaign(person, list, { name: 'Spring', messageTemplate: 'Hi {lead_name}\n\nBye' })
    const test = (body: object) => person.call('POST', `/campaigns/${campaign.id}/test`, body)
    const read = () =>
      fetch(`${app.mailbox.url}/messages?to=${person.email}`).then(
        (response) => response.json() as Promise<{ subject: string; text: string }[]>,
      )
    const sent = { status: 200, body: { success: true, sentTo: person.email } }
    expect(await test({})).toMatchObject(sent)
    expect(await test({ leadId: list.leadIds[1] })).toMatchObject(sent)
    const mails = await eventually(async () => {
      const messages = await read()
      return messages.length === 2 ? messages : null
    }, 'both mails arrive')
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('Test message from “Spring”'))
    const texts = mails.map(({ text }) => text)
    for (const words of [`This is the message that @${list.handles[0]} would receive:\n\nHi Ada\n\nBye`, 'Hi there'])
      expect(texts.some((text) => text.includes(words))).toBe(true)
    expect(await dmsOf(person, campaign.id)).toEqual([])
  })

  it('emails the message of another step or variant, and returns 400 for unknown ones', async () => {
    const own = await makePerson(app)
    await subscribe(app, own)
    const steps = [
      { variants: [{ messageTemplate: 'One' }] },
      {
        delay: { amount: 1, unit: 'days' as const },
        variants: [{ messageTemplate: 'Two' }, { messageTemplate: 'Three' }],
      },
    ]
    const list = await makeList(app, own, openHandles(1))
    const { id } = await makeCampaign(own, list, { messageTemplate: undefined, steps })
    const sequence = await own.client.sequences.find({ id })
    const variantId = sequence.steps[1]!.variants[1]!.id
    await own.client.campaigns.sendTest({ id, stepNumber: 2 })
    await own.client.campaigns.sendTest({ id, stepNumber: 2, variantId })
    await eventually(async () => {
      const response = await fetch(`${app.mailbox.url}/messages?to=${own.email}`)
      const texts = ((await response.json()) as { text: string }[]).map(({ text }) => text)
      return ['Two', 'Three'].every((words) => texts.some((text) => text.includes(`would receive:\n\n${words}`)))
    }, 'a test email of each')
    for (const [body, field] of [
      [{ stepNumber: 3 }, 'stepNumber'],
      [{ stepNumber: 0 }, 'stepNumber'],
      [{ variantId }, 'variantId'],
    ] as const) {
      const response = await own.call('POST', `/campaigns/${id}/test`, body)
      expect([response.status, response.body.details[0].field]).toEqual([400, field])
    }
  })

  it('uses a lead that matches the smart list, and an example lead if none matches', async () => {
    const own = await makePerson(app)
    const { handles } = await makeList(app, own, openHandles(1))
    for (const [filter, handle] of [
      [{}, handles[0]],
      [{ keyword: 'nobody has this' }, 'mayabuilds'],
    ] as const) {
      const { id: leadListId } = await own.client.lists.create({ name: 'Smart', filter })
      const { id } = await makeCampaign(own, { id: leadListId, leadIds: [], handles: [] }, { name: `To ${handle}` })
      await own.client.campaigns.sendTest({ id })
      await eventually(async () => {
        const response = await fetch(`${app.mailbox.url}/messages?to=${own.email}`)
        const mails = (await response.json()) as { text: string }[]
        return mails.some(({ text }) => text.includes(`This is the message that @${handle} would receive`))
      }, `a test email for @${handle}`)
    }
  })

  it('returns 404 for other workspaces and 429 after too many tests', async () => {
    const list = await makeList(app, stranger, openHandles(1))
    const { id } = await makeCampaign(person, await makeList(app, person, []))
    for (const [who, body, code] of [
      [person, { leadId: list.leadIds[0] }, 'LEAD_NOT_FOUND'],
      [stranger, {}, 'CAMPAIGN_NOT_FOUND'],
    ] as const) {
      const response = await who.call('POST', `/campaigns/${id}/test`, body)
      expect([response.status, response.body.code]).toEqual([404, code])
    }
    for (let n = 0; n < 30; n += 1) await app.services.limits.consume('testMailByUser', person.id).catch(() => {})
    expect((await person.call('POST', `/campaigns/${id}/test`, {})).status).toBe(429)
  })
})
