import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { clearOfMidnight } from '../../../../test/clear-of-midnight.ts'
import { resetRateLimits } from '../../../../test/jobs.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { useFrom } from '../../../../test/sessions.ts'
import { backdateCredits, backdateRewards, grantReward, makeMailCheckDue } from '../../../../test/waitlist.ts'
import { DnsUnavailable } from '../../../outside/dns.ts'
import { memberToken } from './members.ts'
import { checkMailServers, giveRewards } from './rewards.ts'
import { members, referrals } from './tables.ts'

let app: TestApp
let operator: Person
beforeAll(async () => {
  await clearOfMidnight()
  app = await openApp({ sso: true, env: { TRUST_PROXY: 'loopback' } })
  operator = await makePerson(app)
  app.services.env.operators.push(operator.email)
  app.sso.setMail('mail.example', ['mx.mail.example'])
})

let range = 0
const newAddress = () => `198.${18 + Math.floor(++range / 256)}.${range % 256}.7`
const newEmail = (domain = 'mail.example') => `m${randomBytes(5).toString('hex')}@${domain}`

interface Join {
  code?: string | undefined
  address?: string
  email?: string
}
async function join({ code, address = newAddress(), email = newEmail() }: Join = {}) {
  const { body } = await call(
    app,
    'POST',
    '/waitlist/join',
    { email, referralCode: code },
    { 'x-forwarded-for': address },
  )
  const [member] = await app.db.select().from(members).where(eq(members.email, email))
  return { id: member!.id, email, code: body.referralCode as string }
}
type Joined = Awaited<ReturnType<typeof join>>

/** Creates someone with a place on the waitlist and an account. */
async function makeReferrer(address = newAddress()) {
  const joined = await join({ address })
  const person = await makePerson(app, { email: joined.email })
  await person.call('GET', '/dashboard')
  return { ...joined, person }
}

async function confirm({ id }: Pick<Joined, 'id'>) {
  const token = memberToken(app.env.authSecret, 'confirm').seal(id)
  expect((await call(app, 'GET', `/waitlist/confirm?token=${encodeURIComponent(token)}`)).status).toBe(302)
}

/** Lets 48 hours pass for everyone who has confirmed, and starts rewards. */
async function passTwoDays() {
  await backdateRewards(app, 48)
  await giveRewards(app.db)
}

const bronzeOf = async ({ person }: { person: Person }) =>
  (await person.client.billing.rewards({})).rewards.find(({ achievement }) => achievement === 'bronze')
const planOf = async ({ person }: { person: Person }) => (await person.client.billing.overview()).level
const confirmedIn = async (some: Joined[]) => {
  for (const member of some) await confirm(member)
}
const inHours = (hours: number) => expect.closeTo(Date.now() + hours * 3_600_000, -5)

it('80 joins from one address with made-up addresses earn badges and places, and no month', async () => {
  const referrer = await makeReferrer()
  const address = newAddress()
  for (let i = 0; i < 80; i += 1) {
    // The limit of joins per minute is another protection.
    await resetRateLimits(app)
    await join({ code: referrer.code, address, email: newEmail('made-up.example') })
  }
  await checkMailServers({ ...app.services, db: app.db })
  await passTwoDays()
  const { rewards } = await referrer.person.client.billing.rewards({})
  expect(rewards.filter(({ status }) => status === 'given').map(({ achievement }) => achievement)).toEqual(['pioneer'])
  expect(await planOf(referrer)).toBe('free')
  const { achievements, referralCount } = (await referrer.person.call('GET', '/dashboard')).body
  expect(achievements).toEqual(expect.arrayContaining(['bronze', 'silver', 'viral']))
  expect(referralCount).toBe(20)
})

describe('a month of Pro', () => {
  it('starts 48 hours after enough referred members have confirmed, not before', async () => {
    const referrer = await makeReferrer()
    const friends = [await join({ code: referrer.code }), await join({ code: referrer.code })]
    await confirmedIn(friends)
    expect(await bronzeOf(referrer)).toBeUndefined()
    friends.push(await join({ code: referrer.code }))
    expect(await bronzeOf(referrer)).toMatchObject({ status: 'held', confirmed: 2, needed: 3, startsAt: null })

    await confirm(friends[2]!)
    const held = await bronzeOf(referrer)
    expect(held).toMatchObject({ status: 'held', confirmed: 3, needed: 3 })
    expect(Date.parse(held?.startsAt ?? '')).toEqual(inHours(48))
    await giveRewards(app.db)
    expect(await planOf(referrer)).toBe('free')

    await passTwoDays()
    expect(await bronzeOf(referrer)).toMatchObject({ status: 'given' })
    expect(await planOf(referrer)).toBe('pro')
    const { rewards } = await referrer.person.client.billing.overview()
    expect(Date.parse(rewards.grants[0]?.grantedAt ?? '')).toEqual(inHours(0))
  })

  it('counts a friend who confirms by signing up', async () => {
    const referrer = await makeReferrer()
    const friends = [
      await join({ code: referrer.code }),
      await join({ code: referrer.code }),
      await join({ code: referrer.code }),
    ]
    for (const { email } of friends) await (await makePerson(app, { email })).call('GET', '/dashboard')
    expect(await bronzeOf(referrer)).toMatchObject({ confirmed: 3 })
  })

  it.each([
    ['the same /24', '203.0.113.7', '203.0.113.250'],
    ['the same /48', '2001:db8:7:1::1', '2001:db8:7:ffff::1'],
  ])(
    'does not count friends from the network of the referrer until an operator allows it (%s)',
    async (_, own, near) => {
      const referrer = await makeReferrer(own)
      const friends = [
        await join({ code: referrer.code, address: near }),
        await join({ code: referrer.code }),
        await join({ code: referrer.code }),
      ]
      await confirmedIn(friends)
      expect(await bronzeOf(referrer)).toMatchObject({ confirmed: 2, startsAt: null })
      const { held } = await operator.client.operator.held({ pageSize: 100 })
      expect(held.find(({ memberId }) => memberId === friends[0]!.id)).toMatchObject({ reason: 'own_network' })

      await operator.client.operator.release({ memberId: friends[0]!.id })
      expect(await bronzeOf(referrer)).toMatchObject({ confirmed: 3 })
      await operator.client.operator.undo({ memberId: friends[0]!.id })
      expect(await bronzeOf(referrer)).toMatchObject({ confirmed: 2, startsAt: null })
      await operator.client.operator.refuse({ memberId: friends[0]!.id })
      expect((await operator.call('POST', `/operator/referrals/${friends[0]!.id}/release`)).body.code).toBe(
        'REFERRAL_STATE',
      )
      expect((await referrer.person.call('GET', '/dashboard')).body.referralCount).toBe(3)
    },
  )

  it('does not count friends from where the referrer has signed in', async () => {
    const referrer = await makeReferrer()
    await useFrom(app, { userId: referrer.person.id }, '192.0.2.10')
    const { id } = await join({ code: referrer.code, address: '192.0.2.99' })
    const [row] = await app.db.select().from(referrals).where(eq(referrals.memberId, id))
    expect(row).toMatchObject({ status: 'credited', rewardHold: 'own_network' })
  })

  it('suspects nobody on this machine', async () => {
    const referrer = await makeReferrer('127.0.0.1')
    const { id } = await join({ code: referrer.code, address: '127.0.0.1', email: newEmail('made-up.example') })
    await checkMailServers({ ...app.services, db: app.db })
    const [row] = await app.db.select().from(referrals).where(eq(referrals.memberId, id))
    expect(row).toMatchObject({ status: 'credited', rewardHold: null, mailCheckAt: null })
  })

  it('does not count friends whose domain has no mail server; no answer is not suspicious', async () => {
    const referrer = await makeReferrer()
    app.sso.setMail('null.example', ['.'])
    const friends = []
    for (const domain of ['nowhere.example', 'null.example', 'mail.example'])
      friends.push(await join({ code: referrer.code, email: newEmail(domain) }))
    const silent = { hasMailServer: () => Promise.reject(new DnsUnavailable(null)), txt: async () => [] }
    await checkMailServers({ db: app.db, dns: silent })
    const holds = async () =>
      (
        await app.db.select().from(referrals).where(eq(referrals.referrerId, referrer.id)).orderBy(referrals.createdAt)
      ).map(({ rewardHold, mailCheckAt }) => [rewardHold, mailCheckAt !== null])
    expect(await holds()).toEqual(Array(3).fill([null, true]))
    await makeMailCheckDue(app, { referrerId: referrer.id })
    await checkMailServers({ ...app.services, db: app.db })
    expect(await holds()).toEqual([
      ['no_mail_server', false],
      ['no_mail_server', false],
      [null, false],
    ])
    await confirmedIn(friends)
    expect(await bronzeOf(referrer)).toMatchObject({ confirmed: 1 })
  })

  it('is kept once it was given, and not given if a credit is reverted within the 48 hours', async () => {
    const makeTrio = async () => {
      const referrer = await makeReferrer()
      const friends = [
        await join({ code: referrer.code, email: newEmail('mailinator.com') }),
        await join({ code: referrer.code }),
        await join({ code: referrer.code }),
      ]
      await operator.client.operator.release({ memberId: friends[0]!.id })
      await confirmedIn(friends)
      return { referrer, friends }
    }
    const [rewarded, lost] = [await makeTrio(), await makeTrio()]
    await operator.client.operator.undo({ memberId: lost.friends[0]!.id })
    await passTwoDays()
    expect([await planOf(rewarded.referrer), await planOf(lost.referrer)]).toEqual(['pro', 'free'])
    await operator.client.operator.undo({ memberId: rewarded.friends[0]!.id })
    expect(await planOf(rewarded.referrer)).toBe('pro')
  })

  it('stays if an earlier version granted it', async () => {
    const referrer = await makeReferrer()
    await grantReward(app, referrer.id, referrer.person.id)
    expect(await planOf(referrer)).toBe('pro')
  })
})

it('the viral reward waits for five confirmed friends of one day, and the global one for nobody', async () => {
  const referrer = await makeReferrer()
  const friends = []
  for (let i = 0; i < 5; i += 1) friends.push(await join({ code: referrer.code }))
  const viral = async () =>
    (await referrer.person.client.billing.rewards({})).rewards.find(({ achievement }) => achievement === 'viral')
  expect(await viral()).toMatchObject({ status: 'held', confirmed: 0, needed: 5 })
  const { rewards } = await referrer.person.client.billing.overview()
  expect(rewards.achievements).not.toContain('viral')
  await confirmedIn(friends)
  await backdateCredits(app, { memberId: friends[0]!.id }, 1)
  await confirm(await join({ code: referrer.code }))
  await passTwoDays()
  expect(await viral()).toMatchObject({ status: 'given', confirmed: 5 })
  expect((await referrer.person.client.billing.overview()).rewards.achievements).toContain('viral')
})
