import { beforeAll, describe, expect, it } from 'vitest'
import { makeAccount, PASSWORD } from '../../../../test/accounts.ts'
import { connectX, earn, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeList, openHandles } from '../../../../test/outreach.ts'
import { joinWorkspace, makeColleague, makeWorkspace } from '../../../../test/team.ts'
import { removeAccount } from '../../../../test/waitlist.ts'
import { factsOf } from './plan.ts'
import { hasFeature } from './rewards.ts'

/** What achievements give in addition to months of Pro. */
let app: TestApp
beforeAll(async () => {
  app = await openApp({
    model: true,
    env: {
      STRATEGY_CALL_URL: 'https://cal.acme.test/call',
      PRIORITY_SUPPORT_EMAIL: 'vip@acme.test',
      SUPPORT_EMAIL: 'help@acme.test',
      AI_CENTS_FREE: '0',
    },
  })
})

const DELAY = { amount: 1, unit: 'days' as const }
const stepsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    variants: [{ messageTemplate: `Message ${n + 1}` }],
    ...(n > 0 && { delay: DELAY }),
  }))

/** Creates a draft with this number of steps. */
async function draftOf(person: Person, count: number) {
  const { id: leadListId } = await makeList(app, person, openHandles(1))
  const body = { name: 'Spring', leadListId, status: 'draft', channel: 'extension', steps: stepsOf(count) }
  return person.call('POST', '/campaigns', body)
}

describe('GET /billing/rewards', () => {
  it('returns nothing for people who earned nothing', async () => {
    const person = await makePerson(app)
    await earn(app, await makePerson(app), 'silver')
    expect(await person.client.billing.rewards()).toEqual({ rewards: [], hasEarlyAccess: false, early: [] })
  })

  it('returns what the owner earned and what it opens, with addresses for the owner only', async () => {
    const owner = await makePerson(app)
    await earn(app, owner, 'silver', 'platinum', 'viral', 'pioneer')
    const earnedAt = '2020-01-01T00:00:00.000Z'
    const granted = { earnedAt, status: 'given', confirmed: 0, needed: 0, startsAt: earnedAt }
    const expected = (call: string | null, support: string | null) => ({
      rewards: [
        { achievement: 'pioneer', ...granted, url: null },
        { achievement: 'viral', ...granted, url: null },
        { achievement: 'silver', ...granted, url: call },
        { achievement: 'platinum', ...granted, url: support },
      ],
      hasEarlyAccess: true,
      early: [],
    })
    expect(await owner.client.billing.rewards()).toEqual(expected('https://cal.acme.test/call', 'mailto:vip@acme.test'))
    for (const role of ['viewer', 'member', 'admin'] as const) {
      const { client } = await makePerson(app, { in: owner, role })
      expect(await client.billing.rewards()).toEqual(expected(null, null))
    }
  })

  it('opens emails to support without their own settings', async () => {
    const owner = await makePerson(app)
    await earn(app, owner, 'silver', 'platinum')
    const other = await app.startAnother({ env: { STRATEGY_CALL_URL: '', PRIORITY_SUPPORT_EMAIL: '' } })
    const response = await fetch(`${other.url}/api/billing/rewards`, {
      headers: { authorization: `Bearer ${owner.token}` },
    })
    const { rewards } = (await response.json()) as { rewards: { url: string }[] }
    expect(rewards.map(({ url }) => url)).toEqual(['mailto:help@acme.test', 'mailto:help@acme.test'])
  })

  it('applies in every workspace that the owner has, and in none where they are a guest', async () => {
    const [owner, host] = [await makePerson(app), await makePerson(app)]
    await earn(app, owner, 'global')
    const second = await makeWorkspace(app, 'Second')
    await joinWorkspace(app, second, owner.id, 'owner')
    await joinWorkspace(app, host.workspaceId, owner.id, 'admin')
    const has = async (workspaceId: string) => (await factsOf(app.db, workspaceId)).achievements.includes('global')
    expect([await has(owner.workspaceId), await has(second), await has(host.workspaceId)]).toEqual([true, true, false])
    expect((await host.client.billing.rewards()).rewards).toEqual([])
  })
})

describe('early features', () => {
  const voice = { key: 'voice', name: 'Voice notes', opensIn: '2.0.0' }
  const has = ({ workspaceId }: Person, release: string) =>
    hasFeature(app.db, workspaceId, 'voice', { release, features: [voice] })

  it('open first to pioneers, referred people and their referrers', async () => {
    const [pioneer, referrer, referred, other] = await Promise.all([1, 2, 3, 4].map(() => makePerson(app)))
    await earn(app, pioneer!, 'pioneer')
    const { referralCode } = await referrer!.client.waitlist.dashboard()
    await referred!.client.waitlist.refer({ referralCode })
    const access = (person: Person) =>
      Promise.all([has(person, '1.9.0'), person.client.billing.rewards().then(({ hasEarlyAccess }) => hasEarlyAccess)])
    for (const person of [pioneer!, referrer!, referred!]) expect(await access(person)).toEqual([true, true])
    expect(await access(other!)).toEqual([false, false])
    expect(await has(other!, '2.0.0')).toBe(true)
  })

  it('stay with a referred person whose referrer deletes their account', async () => {
    const [referrer, referred] = [await makePerson(app), await makePerson(app)]
    await referred.client.waitlist.refer({ referralCode: (await referrer.client.waitlist.dashboard()).referralCode })
    await removeAccount(app, referrer.id)
    expect(await has(referred, '1.9.0')).toBe(true)
    expect(await has(referrer, '1.9.0')).toBe(false)
  })
})

describe('support', () => {
  const supportOf = async ({ client }: Person) => (await client.billing.overview()).support

  it('is what the plan card promises', async () => {
    const person = await makePerson(app)
    expect(await supportOf(person)).toEqual({ kind: 'basic', email: 'help@acme.test', firstAnswer: null })
    await subscribe(app, person, 'pro_monthly')
    expect(await supportOf(person)).toEqual({
      kind: 'email',
      email: 'help@acme.test',
      firstAnswer: '2 business days',
    })
    await subscribe(app, person, 'pro_yearly')
    expect(await supportOf(person)).toMatchObject({ kind: 'priority', email: 'vip@acme.test' })
    await subscribe(app, person, 'agency_yearly')
    expect(await supportOf(person)).toEqual({
      kind: 'priority_24_7',
      email: 'vip@acme.test',
      firstAnswer: '4 hours, day and night',
    })
  })

  it('is priority for an owner with Platinum, and no less than the plan has', async () => {
    const owner = await makePerson(app)
    await earn(app, owner, 'platinum')
    const viewer = await makePerson(app, { in: owner, role: 'viewer' })
    expect(await supportOf(owner)).toMatchObject({ kind: 'priority', email: 'vip@acme.test' })
    expect(await supportOf(viewer)).toMatchObject({ kind: 'basic', email: 'help@acme.test' })
    await subscribe(app, owner, 'agency_yearly')
    expect(await supportOf(owner)).toMatchObject({ kind: 'priority_24_7' })
  })
})

describe('viral', () => {
  const limitOf = async ({ client }: Person) => (await client.writer.usage({})).limitCents

  it("gives Free the AI allowance of Pro, and doubles other plans'", async () => {
    const [person, other] = [await makePerson(app), await makePerson(app)]
    await earn(app, person, 'viral')
    expect([await limitOf(other), await limitOf(person)]).toEqual([0, 200])
    await subscribe(app, person, 'pro_monthly')
    expect(await limitOf(person)).toBe(400)
    await subscribe(app, person)
    expect(await limitOf(person)).toBe(2_000)
    expect((await person.client.writer.provider())?.budgetCents).toBe(2_000)
  })
})

describe('global', () => {
  it('allows three steps on Free, and names Agency for more', async () => {
    const [person, other] = [await makePerson(app), await makePerson(app)]
    await earn(app, person, 'global')
    expect((await draftOf(other, 2)).body.code).toBe('PLAN_LIMIT')
    expect((await draftOf(person, 4)).body).toMatchObject({
      code: 'PLAN_LIMIT',
      error:
        'Your Free plan, with the Global Networker reward, includes 3 steps per campaign. Upgrade to Agency for 10.',
      details: { limit: 3, used: 4, plan: 'free' },
    })
    const { id } = (await draftOf(person, 3)).body
    expect(await person.client.sequences.save({ id, version: 1, steps: stepsOf(2) })).toMatchObject({ version: 2 })
    expect((await person.client.billing.overview()).rewards.achievements).toEqual(['global'])
  })

  it('launches three steps on Free, as the check before the launch says', async () => {
    const person = await makePerson(app)
    await earn(app, person, 'global')
    await connectX(app, person)
    const leadListId = (await makeList(app, person, openHandles(1))).id
    const check = await person.client.campaigns.preflight({ leadListId, channel: 'extension', steps: stepsOf(3) })
    const daysUntil = (at: string | null) => (new Date(at!).getTime() - Date.now()) / 86_400_000
    expect(daysUntil(check.lastSendAt)).toBeGreaterThan(1.9)
    const { id } = (await draftOf(person, 3)).body
    await person.client.campaigns.queue({ id })
    expect((await person.client.sequences.find({ id })).steps).toHaveLength(3)
  })
})

describe('a workspace that gets another owner', () => {
  it('keeps what the rewards made, makes no more, and leaves them to the former owner', async () => {
    const owner = await makeAccount(app)
    await earn(app, owner, 'global', 'gold', 'viral')
    const { id } = (await draftOf(owner, 3)).body
    const template = { name: 'Pack', steps: [{ variants: [{ messageTemplate: 'Hi' }] }] }
    for (let n = 0; n < 4; n++) await owner.client.templates.create(template)
    const { id: personId, session } = await makeColleague(app, owner, 'admin')
    expect((await owner.call('POST', '/workspace/owner', { personId, currentPassword: PASSWORD })).status).toBe(200)
    await session.renew()
    const read = async (path: string) => (await session.call('GET', path)).body

    expect((await read('/billing/rewards')).rewards).toEqual([])
    expect((await read('/billing/overview')).rewards.achievements).toEqual([])
    expect((await read('/writer/usage')).limitCents).toBe(0)
    // Templates beyond the plan stay and can be changed; none can be added.
    const { templates } = await read('/templates')
    const own = templates.filter(({ isStarter }: { isStarter: boolean }) => !isStarter)
    expect(own).toHaveLength(4)
    expect((await session.call('PATCH', `/templates/${own[3].id}`, { name: 'Kept' })).status).toBe(200)
    expect((await session.call('POST', '/templates', template)).body.code).toBe('PLAN_LIMIT')
    // Steps stay, too. A launch uses only the first one, as after the end of a plan.
    const save = (version: number, count: number) =>
      session.call('PUT', `/campaigns/${id}/sequence`, { version, steps: stepsOf(count) })
    expect((await save(1, 4)).body.code).toBe('PLAN_LIMIT')
    expect((await read(`/campaigns/${id}/sequence`)).steps).toHaveLength(3)
    expect((await session.call('POST', `/campaigns/${id}/queue`)).status).toBe(200)
    expect((await read(`/campaigns/${id}/sequence`)).steps).toHaveLength(1)

    // The rewards belong to the account of the former owner, wherever it owns a workspace.
    const another = await makeWorkspace(app, 'Another')
    await joinWorkspace(app, another, owner.id, 'owner')
    expect((await factsOf(app.db, another)).achievements).toContain('gold')
  })
})
