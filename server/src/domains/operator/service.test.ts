import { randomBytes } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import { eq, isNotNull, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { call, makePerson, type Person } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { isOperator } from '../auth/service.ts'
import { listViews } from '../views/service.ts'
import { forgetOld } from '../waitlist/service.ts'
import { joinAddresses, members, referralCounts, referrals, rewardGrants } from '../waitlist/tables.ts'
import {
  exportMembers,
  growth,
  inviteNext,
  listHeld,
  refuseReferral,
  releaseReferral,
  searchMembers,
  undoDecision,
} from './service.ts'

let app: TestApp
let operator: Person
beforeAll(async () => {
  app = await openApp({ env: { TRUST_PROXY: 'loopback' } })
  operator = await makePerson(app)
})

let address = 0
const newEmail = (domain = 'example.com') => `m${randomBytes(5).toString('hex')}@${domain}`
async function join(email = newEmail(), referralCode?: string) {
  const headers = { 'x-forwarded-for': `198.18.${++address % 250}.1` }
  const { body } = await call(app, 'POST', '/waitlist/join', { email, referralCode }, headers)
  const [member] = await app.db.select().from(members).where(eq(members.email, email))
  return { ...(body as { position: number; referralCode: string }), email, id: member!.id }
}
const context = () => ({ ...app.services, db: app.db })
const positionOf = async (id: string) => (await app.db.select().from(members).where(eq(members.id, id)))[0]!.position
const creditsOf = async (id: string) =>
  (await app.db.select().from(referralCounts).where(eq(referralCounts.memberId, id))).map((row) => row.referralCount)

describe('held referrals', () => {
  let referrer: Awaited<ReturnType<typeof join>>
  let held: Awaited<ReturnType<typeof join>>
  beforeEach(async () => {
    referrer = await join()
    held = await join(newEmail('mailinator.com'), referrer.referralCode)
  })

  it('are listed with who brought whom, and why', async () => {
    const { held: rows, total } = await listHeld(app.db, { page: 1, pageSize: 100 })
    expect(rows.find((row) => row.memberId === held.id)).toMatchObject({
      email: held.email,
      referrerEmail: referrer.email,
      reason: 'disposable_domain',
    })
    expect(total).toBe(rows.length)
  })

  it('count once released; undone they count no more, but the position stays; released again they move nobody', async () => {
    await releaseReferral(context(), operator.id, held.id)
    const moved = await positionOf(referrer.id)
    expect(await creditsOf(referrer.id)).toEqual([1, 1, 1])
    expect(moved).toBe(Math.max(1, referrer.position - 5))

    await undoDecision(context(), held.id)
    expect(await creditsOf(referrer.id)).toEqual([0, 0, 0])
    expect(await positionOf(referrer.id)).toBe(moved)
    expect((await listHeld(app.db, { page: 1, pageSize: 100 })).held.map((row) => row.memberId)).toContain(held.id)

    await releaseReferral(context(), operator.id, held.id)
    expect(await creditsOf(referrer.id)).toEqual([1, 1, 1])
    expect(await positionOf(referrer.id)).toBe(moved)
  })

  it('keep what a release earned when it is undone, and grant it once', async () => {
    const others = [
      await join(newEmail('yopmail.com'), referrer.referralCode),
      await join(newEmail('yopmail.com'), referrer.referralCode),
    ]
    for (const { id } of [held, ...others]) await releaseReferral(context(), operator.id, id)
    await undoDecision(context(), held.id)
    await releaseReferral(context(), operator.id, held.id)
    const [member] = await app.db.select().from(members).where(eq(members.id, referrer.id))
    expect(member!.achievements.filter((key) => key === 'bronze')).toHaveLength(1)
    expect(await app.db.select().from(rewardGrants).where(eq(rewardGrants.memberId, referrer.id))).toHaveLength(1)
  })

  it('refused count nothing, until that is undone', async () => {
    await refuseReferral(context(), operator.id, held.id)
    expect(await creditsOf(referrer.id)).toEqual([])
    await expect(releaseReferral(context(), operator.id, held.id)).rejects.toMatchObject({ code: 'REFERRAL_STATE' })
    await undoDecision(context(), held.id)
    await releaseReferral(context(), operator.id, held.id)
    expect(await creditsOf(referrer.id)).toEqual([1, 1, 1])
  })

  it('are decided once, however many operators decide at the same time', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => releaseReferral(context(), operator.id, held.id)),
    )
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    expect(await creditsOf(referrer.id)).toEqual([1, 1, 1])
  })

  it('refuse what is not theirs to decide', async () => {
    const plain = await join(newEmail(), referrer.referralCode)
    await expect(undoDecision(context(), plain.id)).rejects.toMatchObject({ code: 'REFERRAL_STATE' })
    await expect(undoDecision(context(), held.id)).rejects.toMatchObject({ code: 'REFERRAL_STATE' })
    await expect(refuseReferral(context(), operator.id, referrer.id)).rejects.toMatchObject({
      code: 'REFERRAL_NOT_FOUND',
    })
  })
})

it('an operator is who has a verified address among OPERATORS', async () => {
  const env = { operators: [operator.email] }
  expect(await isOperator(app.db, env, operator.id)).toBe(true)
  expect(await isOperator(app.db, env, (await makePerson(app)).id)).toBe(false)
  expect(await isOperator(app.db, { operators: [] }, operator.id)).toBe(false)
})

it('search finds by the beginning of an address, as typed, and by code', async () => {
  const name = `ab.${randomBytes(4).toString('hex')}`
  const { referralCode } = await join(`${name}@gmail.com`)
  for (const text of [name.slice(0, 7), name.toUpperCase(), `${name}@gmail.com`, referralCode])
    expect((await searchMembers(app.db, text)).map((row) => row.email)).toEqual([`${name}@gmail.com`])
  for (const text of ['%', '_', 'no such', '\\']) expect(await searchMembers(app.db, text)).toEqual([])
})

it('inviting takes the next by position once, and leaves their places', async () => {
  const before = await app.db.select().from(members).where(isNotNull(members.invitedAt))
  expect(before).toEqual([])
  expect(await inviteNext(context(), 3)).toBe(3)
  expect(await inviteNext(context(), 2)).toBe(2)
  const invited = await app.db.select().from(members).where(isNotNull(members.invitedAt)).orderBy(members.position)
  expect(invited.map((member) => member.position)).toEqual([1, 2, 3, 4, 5])
})

it('the export has every member under the specification’s names, and no formula', async () => {
  const { id } = await join()
  await app.db.update(members).set({ email: '=1+1@example.com' }).where(eq(members.id, id))
  let csv = ''
  for await (const piece of exportMembers(app.db)) csv += piece
  const rows = parse(csv, { columns: true }) as Record<string, string>[]
  expect(rows).toHaveLength(await app.db.$count(members))
  expect(Object.keys(rows[0]!)).toEqual(
    expect.arrayContaining(['id', 'email', 'referral_code', 'referred_by', 'signup_date', 'position', 'achievements']),
  )
  expect(rows.filter((row) => row.email?.startsWith('='))).toEqual([])
  expect(rows.filter((row) => row.email?.startsWith("'=1+1"))).toHaveLength(1)
})

it('growth and views are told by day', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const { body } = await call(app, 'GET', '/waitlist/count')
  expect(await growth(app.db)).toEqual([{ day: today, joins: body.count, total: body.count }])
  await call(app, 'POST', '/track-view', { path: '/waitlist' })
  expect(await listViews(app.db, { from: today, to: today })).toContainEqual(
    expect.objectContaining({ day: today, path: '/waitlist', ref: '', views: 1 }),
  )
})

it('addresses are forgotten after 30 days, day counts after two', async () => {
  const referrer = await join()
  const friend = await join(newEmail(), referrer.referralCode)
  const back = (days: number) => sql`now() - make_interval(days => ${days})`
  await app.db
    .update(joinAddresses)
    .set({ createdAt: back(29) })
    .where(eq(joinAddresses.memberId, referrer.id))
  await app.db
    .update(joinAddresses)
    .set({ createdAt: back(31) })
    .where(eq(joinAddresses.memberId, friend.id))
  await app.db
    .update(referralCounts)
    .set({ period: '2020-01-01' })
    .where(sql`member_id = ${referrer.id} and period ~ '^\\d'`)
  await app.db
    .update(referrals)
    .set({ creditedAt: back(8) })
    .where(eq(referrals.referrerId, referrer.id))
  await forgetOld(app.db)
  const kept = (await app.db.select().from(joinAddresses)).map((row) => row.memberId)
  expect(kept).toContain(referrer.id)
  expect(kept).not.toContain(friend.id)
  const counts = await app.db.select().from(referralCounts).where(eq(referralCounts.memberId, referrer.id))
  expect(counts.map((row) => [row.period, row.referralCount]).sort()).toEqual([
    ['alltime', 1],
    ['week', 0],
  ])
})
