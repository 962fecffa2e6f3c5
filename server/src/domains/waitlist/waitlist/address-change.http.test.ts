import { randomBytes } from 'node:crypto'
import { and, asc, eq, gt } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { members, referralCounts, referrals, rewardGrants, waitlistState } from './tables.ts'
import { dashboard, findMailboxOwner, moveMember } from './waitlist.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ env: { TRUST_PROXY: 'loopback' } })
})

let address = 0
const newEmail = () => `m${randomBytes(5).toString('hex')}@example.com`
async function join(email: string, referralCode?: string) {
  const headers = { 'x-forwarded-for': `198.18.${++address % 250}.1` }
  const { body } = await call(app, 'POST', '/waitlist/join', { email, referralCode }, headers)
  return body as { position: number; referralCode: string }
}
const context = () => ({ ...app.services, db: app.db })
/** The dashboard of an account's member. */
const standingOf = (person: Person) => dashboard(context(), { userId: person.id })
const entryOf = async (email: string) =>
  (await app.db.select().from(members).where(eq(members.normalizedEmail, email)))[0]

/** Creates an account, optionally joined and with referred friends. */
async function account({ joined = true, friends = 0 } = {}) {
  const person = await makePerson(app)
  if (joined) await join(person.email)
  await standingOf(person)
  const { referralCode } = await standingOf(person)
  for (let n = 0; n < friends; n += 1) await join(newEmail(), referralCode)
  return person
}

/** Creates a waitlist entry without an account. */
async function entry({ friends = 0 } = {}) {
  const email = newEmail()
  const { referralCode } = await join(email)
  for (let n = 0; n < friends; n += 1) await join(newEmail(), referralCode)
  return email
}

describe('moveMember', () => {
  it('moves the entry to the new address and frees the old one', async () => {
    const person = await account({ friends: 1 })
    const before = await standingOf(person)
    const email = newEmail()
    await moveMember(context(), person.id, email)
    expect(await standingOf(person)).toEqual(before)
    expect(before.referralCount).toBe(1)
    const response = await call(app, 'POST', '/waitlist/position', { email })
    expect([response.status, response.body.position]).toEqual([200, before.position])
    expect((await call(app, 'POST', '/waitlist/position', { email: person.email })).status).toBe(404)
    const rejoined = await join(person.email)
    expect(rejoined.referralCode).not.toBe(before.referralCode)
  })

  it('keeps the entry for another spelling of the same mailbox', async () => {
    const person = await account()
    await moveMember(context(), person.id, 'ada.lovelace@gmail.com')
    const before = await standingOf(person)
    await moveMember(context(), person.id, 'AdaLovelace+x@gmail.com')
    expect(await standingOf(person)).toEqual(before)
    expect(await findMailboxOwner(app.db, 'adalovelace@gmail.com')).toBe(person.id)
  })

  it.each([
    ['the own one if both joined', { joined: true }, {}, 'own'],
    ['the other one if it has more referrals', { joined: true }, { friends: 1 }, 'there'],
    ['the own one if referrals are equal', { joined: true, friends: 1 }, { friends: 1 }, 'own'],
    ['the other one if only that joined', { joined: false, friends: 1 }, {}, 'there'],
  ] as const)('keeps %s and anonymizes the other entry', async (_name, mine, theirs, stays) => {
    const [person, email] = [await account(mine), await entry(theirs)]
    const [own, there] = [await standingOf(person), (await entryOf(email))!]
    await moveMember(context(), person.id, email)
    const after = await standingOf(person)
    const survivor = stays === 'own' ? own : there
    expect([after.position, after.referralCode]).toEqual([survivor.position, survivor.referralCode])
    expect(after.achievements).toContain('pioneer')
    expect((await entryOf(email))?.accountUserId).toBe(person.id)
    expect(await entryOf(person.email)).toBeUndefined()

    // Places stay 1…n, and counts equal credited referrals of non-anonymous entries.
    const places = await app.db.select().from(members).where(gt(members.position, 0)).orderBy(asc(members.position))
    expect(places.map(({ position }) => position)).toEqual(places.map((_, i) => i + 1))
    expect((await app.db.select().from(waitlistState))[0]?.joined).toBe(places.length)
    const counts = await app.db.select().from(referralCounts).where(eq(referralCounts.period, 'alltime'))
    for (const { memberId, referralCount } of counts) {
      const isCredited = and(eq(referrals.referrerId, memberId), eq(referrals.status, 'credited'))
      expect(referralCount).toBe(await app.db.$count(referrals, isCredited))
    }
  })

  it('keeps the referrer of either entry, unless it is the other one', async () => {
    const [person, email] = [await account({ joined: false }), await entry()]
    const { referralCode } = await standingOf(await account())
    await person.client.waitlist.refer({ referralCode })
    await moveMember(context(), person.id, email)
    expect((await standingOf(person)).isReferred).toBe(true)

    const [self, other] = [await account({ joined: false }), await entry()]
    await self.client.waitlist.refer({ referralCode: (await entryOf(other))!.referralCode! })
    await moveMember(context(), self.id, other)
    expect((await standingOf(self)).isReferred).toBe(false)

    // The entry that is kept was referred by the one that is anonymized.
    const [referrer, referred] = [await account(), newEmail()]
    const joined = await join(referred, (await standingOf(referrer)).referralCode!)
    for (let n = 0; n < 2; n += 1) await join(newEmail(), joined.referralCode)
    await moveMember(context(), referrer.id, referred)
    const { isReferred, referralCount } = await standingOf(referrer)
    expect([isReferred, referralCount]).toEqual([false, 2])
  })

  it('keeps the achievements of both entries, and each reward once', async () => {
    const [person, email] = [await account({ friends: 3 }), await entry({ friends: 4 })]
    expect((await standingOf(person)).achievements).toContain('bronze')
    const [own, there] = [(await entryOf(person.email))!, (await entryOf(email))!]
    await moveMember(context(), person.id, email)
    const { achievements, referralCount } = await standingOf(person)
    expect([achievements.filter((key) => key === 'bronze').length, referralCount]).toEqual([1, 4])
    const grants = await app.db.select().from(rewardGrants).orderBy(asc(rewardGrants.achievement))
    const ofEither = grants.filter(({ memberId }) => memberId === own.id || memberId === there.id)
    expect(ofEither).toMatchObject([
      { achievement: 'bronze', memberId: there.id, accountUserId: person.id },
      { achievement: 'pioneer', memberId: there.id, accountUserId: person.id },
    ])
  })
})
