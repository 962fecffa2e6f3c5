import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { expireWeek } from '../waitlist/credits.ts'
import { members } from '../waitlist/tables.ts'

const REFERRERS = 12

let app: TestApp
/** Some of the referrers have an account. */
const people: Person[] = []

/**
 * Referrers with credits in the weekly counts, some expired since the job last ran. Some lose all
 * credits, some fall behind others, and the last ones lose none.
 */
beforeAll(async () => {
  app = await openApp()
  await app.db.execute(sql`
    insert into users (email, normalized_email, referral_code, joined_at, position)
    select name, name, 'code' || n, now(), n
    from (select n, 'member' || n || '@example.com' as name from generate_series(1, ${REFERRERS} * 8) as n) as new`)
  await app.db.execute(sql`update waitlist_state set joined = ${REFERRERS} * 8`)
  // Member 12 + 7 (r - 1) + k is the k-th referral of referrer r; those with k <= r mod 5 have
  // expired.
  await app.db.execute(sql`
    insert into referrals (member_id, referrer_id, status, moved, credit_number, credited_at, in_week)
    select referred.id, referrer.id, 'credited', true, referred.position,
      now() - case when k <= r % 5 then interval '8 days' else interval '1 day' end, true
    from generate_series(1, ${REFERRERS}) as r, generate_series(1, 7) as k
    join lateral (select 1) as one on true,
      lateral (select id from users where position = r) as referrer,
      lateral (select id, position from users where position = ${REFERRERS} + 7 * (r - 1) + k) as referred
    where k <= 1 + r % 4 + r % 3`)
  await app.db.execute(sql`
    insert into referral_counts (period, member_id, referral_count, last_credit)
    select 'week', referrer_id, count(*), max(credit_number) from referrals group by 2`)
  for (const position of [1, 4, 6, 9, 11, 12]) {
    const person = await makePerson(app)
    people.push(person)
    await app.db.update(members).set({ accountUserId: null }).where(eq(members.accountUserId, person.id))
    await app.db.update(members).set({ accountUserId: person.id }).where(eq(members.position, position))
  }
})

interface Row {
  id: string
  rank: number
  referralCount: number
}

async function recount(): Promise<{ id: string; referralCount: number }[]> {
  const { rows } = await app.db.execute<{ id: string; referralCount: number }>(sql`
    select referrer_id as id, count(*)::int as "referralCount" from referrals
    where credited_at > now() - interval '7 days' group by 1 order by count(*) desc, max(credit_number)`)
  return rows
}

async function expectWeekToBeExact(): Promise<void> {
  const exact = await recount()
  const byPage: Row[] = []
  const byCursor: Row[] = []
  let cursor = ''
  for (let page = 1; (page - 1) * 2 < exact.length; page++) {
    byPage.push(...(await call(app, 'GET', `/leaderboard?period=week&pageSize=2&page=${page}`)).body.leaderboard)
    const { body } = await call(app, 'GET', `/leaderboard?period=week&pageSize=2${cursor}`)
    expect(body.total).toBe(exact.length)
    byCursor.push(...body.leaderboard)
    cursor = `&cursor=${body.cursor}`
  }
  for (const listed of [byPage, byCursor]) {
    expect(listed.map(({ id, referralCount }) => ({ id, referralCount }))).toEqual(exact)
    expect(listed.map(({ rank }) => rank)).toEqual(exact.map((_, i) => i + 1))
  }
  for (const person of people) {
    const [member] = await app.db.select().from(members).where(eq(members.accountUserId, person.id))
    const { own } = (await person.call('GET', '/leaderboard?period=week')).body
    expect(own?.rank ?? 0).toBe(exact.findIndex(({ id }) => id === member?.id) + 1)
  }
}

const expired = async () => {
  const { rows } = await app.db.execute<{ n: number }>(
    sql`select count(*)::int as n from referrals where in_week and credited_at <= now() - interval '7 days'`,
  )
  return rows[0]?.n ?? 0
}

describe('the weekly leaderboard', () => {
  it('ignores credits that expired since the job ran, in rows, ranks and totals', async () => {
    expect(await expired()).toBeGreaterThan(10)
    await expectWeekToBeExact()
  })

  it('can be read while another transaction locks the waitlist', async () => {
    await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from waitlist_state for update`)
      const readers = Array.from({ length: 10 }, () => call(app, 'GET', '/leaderboard?period=week'))
      const waited = new Promise((_, reject) => setTimeout(() => reject(new Error('readers wait for the lock')), 5_000))
      await Promise.race([Promise.all(readers), waited])
    })
    expect(await expired()).toBeGreaterThan(10)
  })

  it('is the same after the job ran', async () => {
    await expireWeek(app.db)
    expect(await expired()).toBe(0)
    await expectWeekToBeExact()
  })
})
