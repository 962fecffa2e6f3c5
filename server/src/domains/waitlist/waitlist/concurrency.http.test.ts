import { randomBytes } from 'node:crypto'
import { SPOTS_PER_REFERRAL } from '@x-automated/contract/waitlist/waitlist'
import { and, asc, desc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { clearOfMidnight } from '../../../../test/clear-of-midnight.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { letCreditsPass } from '../../../../test/waitlist.ts'
import { Refusal } from '../../../refusal.ts'
import type { RunningServer } from '../../../start.ts'
import { refuseReferral, releaseReferral, undoDecision } from '../../overview/operator/decisions.ts'
import { memberToken } from './members.ts'
import { members, referrals } from './tables.ts'
import { anonymizeMember, confirmMember } from './waitlist.ts'

/**
 * Runs random concurrent joins, referrals, holds, decisions and confirmations on two processes.
 * Afterwards, places are 1…n, counts equal credited referrals, and leaderboards equal a recount.
 */
let app: TestApp
let strict: RunningServer
let people: Person[]
beforeAll(async () => {
  await clearOfMidnight()
  app = await openApp({ env: { TRUST_PROXY: 'loopback' } })
  strict = await app.startAnother({ env: { TRUST_PROXY: 'loopback', WAITLIST_CONFIRM: 'required' } })
  people = await Promise.all(Array.from({ length: 4 }, () => makePerson(app)))
})

// Any member, or one of a few: this creates leaders and ties.
const whose = fc.oneof(fc.nat(999), fc.nat(150)).map((n) => n / 1_000)
/** A random step. `who` and `whose` select among current members. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('join' as const),
      // Few names, so that some join twice concurrently.
      name: fc.nat(60),
      isDisposable: fc.boolean(),
      needsConfirmation: fc.boolean(),
      whose,
      network: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('personJoins' as const),
      who: fc.nat(3),
      whose,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('setReferrer' as const),
      who: fc.nat(3),
      whose,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('release' as const, 'refuse' as const, 'undo' as const, 'confirm' as const),
      whose,
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

let run = 0
/** Decisions that took effect in any run. */
const happened = new Set<string>()
const countries = ['8.8.8', '81.2.69', '133.11.0', '200.160.2']
let address = 0

async function take(step: Step): Promise<void> {
  const context = { ...app.services, db: app.db }
  switch (step.do) {
    case 'join': {
      const server = step.needsConfirmation ? strict : { url: app.origin }
      const domain = step.isDisposable ? 'mailinator.com' : 'example.com'
      const email = `n${run}x${step.name}@${domain}`
      const headers = { 'x-forwarded-for': `${countries[step.network]}.${address++ % 250}` }
      const body = { email, referralCode: await someCode(step.whose) }
      const { status } = await call({ url: `${server.url}/api` }, 'POST', '/waitlist/join', body, headers)
      // On a busy machine, a call may wait for a connection too long.
      expect([200, 429, 503]).toContain(status)
      return
    }
    case 'personJoins': {
      const person = people[step.who]!
      await person.call('GET', '/dashboard')
      const body = { email: person.email, referralCode: await someCode(step.whose) }
      await call(app, 'POST', '/waitlist/join', body, { 'x-forwarded-for': `198.18.${address++ % 250}.1` })
      return
    }
    case 'setReferrer': {
      const { status } = await people[step.who]!.call('POST', '/referrals', {
        referralCode: await someCode(step.whose),
      })
      expect([200, 400, 503]).toContain(status)
      return
    }
    case 'confirm': {
      const [member] = await app.db
        .select({ id: members.id })
        .from(members)
        .orderBy(asc(members.id))
        .offset(pick(step.whose, await app.db.$count(members)))
        .limit(1)
      if (member) await confirmMember(context, memberToken(app.env.authSecret, 'confirm').seal(member.id))
      return
    }
    default: {
      // Mostly decidable referrals, occasionally others.
      const fitting = step.do === 'undo' ? isNotNull(referrals.decidedAt) : eq(referrals.status, 'held')
      const among = and(isNotNull(referrals.holdReason), step.whose < 0.9 ? fitting : undefined)
      const [referral] = await app.db
        .select()
        .from(referrals)
        .where(among)
        .orderBy(asc(referrals.memberId))
        .offset(pick(step.whose, await app.db.$count(referrals, among)))
        .limit(1)
      if (!referral) return
      const decisions = {
        release: () => releaseReferral({ ...context, ...pickServer(step.whose) }, people[0]!.id, referral.memberId),
        refuse: () => refuseReferral(context, people[0]!.id, referral.memberId),
        undo: () => undoDecision(context, people[0]!.id, referral.memberId),
      }
      try {
        await decisions[step.do]()
        happened.add(step.do)
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'REFERRAL_STATE') throw error
      }
    }
  }
}

const pick = (whose: number, length: number) => Math.floor(whose * length)
const pickServer = (whose: number) => ({ env: whose < 0.5 ? app.env : strict.services.env })

async function someCode(whose: number): Promise<string> {
  const total = await app.db.$count(members, isNotNull(members.referralCode))
  const [member] = await app.db
    .select({ code: members.referralCode })
    .from(members)
    .where(isNotNull(members.referralCode))
    .orderBy(asc(members.signupDate))
    .offset(pick(whose, total))
    .limit(1)
  return member?.code ?? 'nobody'
}

async function checkPlaces(): Promise<void> {
  const rows = await app.db
    .select({ position: members.position })
    .from(members)
    .where(gt(members.position, 0))
    .orderBy(asc(members.position))
  expect(rows.map((row) => row.position)).toEqual(rows.map((_, i) => i + 1))
  expect((await call(app, 'GET', '/waitlist/count')).body.count).toBe(rows.length)
}

/** Recounts the leaderboard of a period from the credited referrals. */
async function recount(since: ReturnType<typeof sql>) {
  const { rows } = await app.db.execute<{ id: string; credits: number }>(sql`
    select referrer_id as id, count(*)::int as credits from referrals join users on users.id = referrer_id and users.email is not null
    where status = 'credited' and credited_at > ${since}
    group by 1 order by count(*) desc, max(credit_number) asc`)
  return rows
}

const SINCE = {
  alltime: sql`'-infinity'::timestamptz`,
  week: sql`now() - interval '7 days'`,
  today: sql`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`,
}

interface Row {
  id: string
  rank: number
  referralCount: number
}
async function checkLeaderboards(): Promise<void> {
  for (const [period, since] of Object.entries(SINCE)) {
    const naive = await recount(since)
    const rows: Row[] = []
    let cursor = ''
    do {
      const { body } = await call(app, 'GET', `/leaderboard?period=${period}&pageSize=7${cursor}`)
      expect(body.total).toBe(naive.length)
      rows.push(...body.leaderboard)
      cursor = body.cursor && `&cursor=${body.cursor}`
    } while (cursor)
    expect(rows.map((row) => ({ id: row.id, credits: row.referralCount }))).toEqual(naive)
    expect(rows.map((row) => row.rank)).toEqual(rows.map((_, i) => i + 1))
    for (const person of people) {
      const [member] = await app.db.select({ id: members.id }).from(members).where(eq(members.accountUserId, person.id))
      const { own } = (await person.call('GET', `/leaderboard?period=${period}&pageSize=1`)).body
      expect(own?.rank ?? 0).toBe(naive.findIndex((row) => row.id === member?.id) + 1)
    }
  }
}

async function checkCounts(): Promise<void> {
  const rows = await app.db.execute(sql`
    select u.id from users u
    left join (select referrer_id, count(*) as credits from referrals where status = 'credited' group by 1) r on r.referrer_id = u.id
    left join referral_counts c on c.member_id = u.id and c.period = 'alltime'
    where u.email is not null and coalesce(r.credits, 0) <> coalesce(c.referral_count, 0)`)
  expect(rows.rows).toEqual([])
  // Everyone with enough credits has the tier. Reverted credits leave their achievements.
  const { rows: tiers } = await app.db.execute(sql`
    select u.id from users u join referral_counts c on c.member_id = u.id and c.period = 'alltime'
    where (c.referral_count >= 3 and not 'bronze' = any(u.achievements)) or (c.referral_count >= 10 and not 'silver' = any(u.achievements))`)
  expect(tiers).toEqual([])
}

/** Outcomes that must occur for the test to be meaningful. */
const SEEN = ['credited', 'held', 'refuse', 'release', 'unconfirmed', 'undo']
async function whatWasSeen(): Promise<string[]> {
  const kinds = await app.db.selectDistinct({ status: referrals.status }).from(referrals)
  return SEEN.filter((kind) => happened.has(kind) || kinds.some(({ status }) => status === kind))
}

it('keeps places 1…n, counts equal to credits, and leaderboards equal to a recount', async () => {
  const sequences = fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 45 }), async (steps) => {
    run += 1
    const waiting = [...steps]
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) await take(next)
      }),
    )
    await checkPlaces()
    await checkCounts()
    await checkLeaderboards()
    await letCreditsPass(app, 3)
    await checkLeaderboards()
  })
  await fc.assert(sequences, { numRuns: 3, endOnFailure: true })
  // Three runs nearly always contain every outcome.
  while (run < 12 && (await whatWasSeen()).length < SEEN.length)
    await fc.assert(sequences, { numRuns: 1, endOnFailure: true })
  expect(await whatWasSeen()).toEqual(SEEN)
})

it('keeps places unique for 30 concurrent referrals of one member', async () => {
  const email = `${randomBytes(4).toString('hex')}@example.com`
  const headers = () => ({ 'x-forwarded-for': `198.19.${address++ % 250}.1` })
  for (let i = 0; i < 12; i++) await call(app, 'POST', '/waitlist/join', { email: `${i}.${email}` }, headers())
  const { body } = await call(app, 'POST', '/waitlist/join', { email }, headers())
  await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      call(app, 'POST', '/waitlist/join', { email: `f${i}.${email}`, referralCode: body.referralCode }, headers()),
    ),
  )
  await checkPlaces()
  await checkCounts()
  const [leader] = await app.db.select().from(members).where(eq(members.email, email))
  expect(leader!.position).toBe(Math.max(1, body.position - 30 * SPOTS_PER_REFERRAL))
})

it('anonymizeMember leaves an anonymous place', async () => {
  const person = await makePerson(app)
  const headers = () => ({ 'x-forwarded-for': `198.19.${address++ % 250}.2` })
  const own = (await call(app, 'POST', '/waitlist/join', { email: person.email }, headers())).body
  await person.call('GET', '/dashboard')
  const friend = `${randomBytes(4).toString('hex')}@example.com`
  await call(app, 'POST', '/waitlist/join', { email: friend, referralCode: own.referralCode }, headers())
  const [before] = await app.db.select().from(members).where(eq(members.accountUserId, person.id))
  await anonymizeMember(app.db, person.id)
  const [after] = await app.db.select().from(members).where(eq(members.id, before!.id))
  expect(after).toMatchObject({
    email: null,
    normalizedEmail: null,
    referralCode: null,
    accountUserId: null,
    position: before!.position,
  })
  await checkPlaces()
  await checkLeaderboards()
  // The address is free again, and the old code is unknown.
  const again = (
    await call(app, 'POST', '/waitlist/join', { email: person.email, referralCode: own.referralCode }, headers())
  ).body
  expect(again).toMatchObject({ message: 'You are on the waitlist.', success: true })
  const [newest] = await app.db
    .select()
    .from(members)
    .where(and(eq(members.email, person.email)))
    .orderBy(desc(members.signupDate))
  expect(newest).toMatchObject({ position: again.position, referredBy: null })
})
