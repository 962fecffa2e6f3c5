import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { creditReferrers, fillWaitlist, moveAccount } from '../../../../test/waitlist.ts'
import { expireWeek } from '../waitlist/credits.ts'
import { members } from '../waitlist/tables.ts'

const REFERRERS = 12

let app: TestApp
/** Some of the referrers have an account. */
const people: Person[] = []

/**
 * Referrers with credits in the weekly counts, some expired since `expireWeek` last ran. Some lose all
 * credits, some fall behind others, and the last ones lose none.
 */
beforeAll(async () => {
  app = await openApp()
  await fillWaitlist(app, REFERRERS * 8)
  await creditReferrers(app, REFERRERS)
  for (const position of [1, 4, 6, 9, 11, 12]) {
    const person = await makePerson(app)
    people.push(person)
    await moveAccount(app, person.id, position)
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
