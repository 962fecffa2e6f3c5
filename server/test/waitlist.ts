import { eq, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import {
  joinAddresses,
  members,
  referralCounts,
  referrals,
  rewardGrants,
} from '../src/domains/waitlist/waitlist/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes the waitlist directly in the database. Each function changes all members or referrals that `which` selects.

type Members = Which<typeof members>
type Member = typeof members.$inferSelect
type Referrals = Which<typeof referrals>

/** Inserts a member, by default without a position. */
export async function insertMember(
  { db }: Writer,
  values: { email: string; referralCode: string; position?: number },
): Promise<Member> {
  const [member] = await db
    .insert(members)
    .values({ normalizedEmail: values.email, ...(values.position && { joinedAt: new Date() }), ...values })
    .returning()
  return member!
}

/**
 * Fills the first positions of an empty waitlist. The member at position n is n@example.com, with
 * the code `code<n>`.
 */
export async function fillWaitlist({ db }: Writer, count: number): Promise<void> {
  await db.execute(sql`
    insert into users (email, normalized_email, referral_code, joined_at, position)
    select n || '@example.com', n || '@example.com', 'code' || n, now(), n from generate_series(1, ${count}::int) as n`)
  await db.execute(sql`update waitlist_state set joined = ${count}`)
}

/**
 * Credits referrals to the first members of a filled waitlist: member referrers + 7 (r - 1) + k is the
 * k-th referral of referrer r. All are counted in this week, even those with k <= r mod 5, which are
 * eight days old.
 */
export async function creditReferrers({ db }: Writer, referrers: number): Promise<void> {
  await db.execute(sql`
    insert into referrals (member_id, referrer_id, status, moved, credit_number, credited_at, in_week)
    select referred.id, referrer.id, 'credited', true, referred.position,
      now() - case when k <= r % 5 then interval '8 days' else interval '1 day' end, true
    from generate_series(1, ${referrers}) as r, generate_series(1, 7) as k
    join lateral (select 1) as one on true,
      lateral (select id from users where position = r) as referrer,
      lateral (select id, position from users where position = ${referrers} + 7 * (r - 1) + k) as referred
    where k <= 1 + r % 4 + r % 3`)
  await db.execute(sql`
    insert into referral_counts (period, member_id, referral_count, last_credit)
    select 'week', referrer_id, count(*), max(credit_number) from referrals group by 2`)
}

/** Moves an account from its member to the one at this position. */
export async function moveAccount(to: Writer, accountUserId: string, position: number): Promise<void> {
  await removeAccount(to, accountUserId)
  await change(to, { position }, { accountUserId })
}

/** Removes an account from its member. */
export async function removeAccount(to: Writer, accountUserId: string): Promise<void> {
  await change(to, { accountUserId }, { accountUserId: null })
}

/** Changes the members' email address, but not its normalized form. */
export async function readdressMembers(to: Writer, which: Members, email: string): Promise<void> {
  await change(to, which, { email })
}

/** Sets the members' referral code. */
export async function recode(to: Writer, which: Members, referralCode: string): Promise<void> {
  await change(to, which, { referralCode })
}

/** Unsubscribes the members from emails. */
export async function unsubscribeMembers(to: Writer, which: Members): Promise<Member[]> {
  return change(to, which, { unsubscribedAt: new Date() })
}

/** Moves the time at which the members joined `days` days into the past. */
export async function backdateJoins(to: Writer, which: Members, days: number): Promise<void> {
  await change(to, which, { joinedAt: sql`joined_at - make_interval(days => ${days})` })
}

/** Marks the members' email address as confirmed now. */
export async function confirmMembers(to: Writer, which: Members): Promise<void> {
  await change(to, which, { confirmedAt: new Date() })
}

/** Moves all confirmations and the start of all rewards `hours` hours into the past. */
export async function backdateRewards(to: Writer, hours: number): Promise<void> {
  const by = sql`make_interval(hours => ${hours})`
  await change(to, {}, { confirmedAt: sql`confirmed_at - ${by}` })
  await to.db.update(rewardGrants).set({ startsAt: sql`starts_at - ${by}` })
}

/** Grants a month of Pro, as earlier versions did without waiting. */
export async function grantReward({ db }: Writer, memberId: string, accountUserId: string): Promise<void> {
  await db.insert(rewardGrants).values({ memberId, accountUserId, achievement: 'bronze', months: 1 })
}

/** Moves the referrals' credits `days` days into the past, but leaves the counts unchanged. */
export async function backdateCredits({ db }: Writer, which: Referrals, days: number): Promise<void> {
  const creditedAt = sql`credited_at - make_interval(days => ${days})`
  await db.update(referrals).set({ creditedAt }).where(matching(referrals, which))
}

/** Moves the referrals of a member, or of all members, and their counts `days` days into the past. */
export async function letCreditsPass({ db }: Writer, days: number, referrerId?: string): Promise<void> {
  const its = referrerId === undefined ? sql`true` : eq(referralCounts.memberId, referrerId)
  await db.transaction(async (tx) => {
    await backdateCredits({ db: tx }, referrerId === undefined ? {} : { referrerId }, days)
    // In two steps, because a member's counts of two days must not temporarily have the same day.
    await tx.update(referralCounts).set({ period: sql`'was ' || period` }).where(sql`${its} and period ~ '^\\d'`)
    await tx
      .update(referralCounts)
      .set({ period: sql`to_char(substr(period, 5)::date - ${days}::int, 'YYYY-MM-DD')` })
      .where(sql`${its} and period like 'was %'`)
  })
}

/** Makes the lookup of the mail servers of the referred members' addresses due now. */
export async function makeMailCheckDue({ db }: Writer, which: Referrals): Promise<void> {
  await db.update(referrals).set({ mailCheckAt: new Date() }).where(matching(referrals, which))
}

/** Backdates the member's join from their network address to `days` days ago. */
export async function ageJoinAddress({ db }: Writer, memberId: string, days: number): Promise<void> {
  const createdAt = sql`now() - make_interval(days => ${days})`
  await db.update(joinAddresses).set({ createdAt }).where(eq(joinAddresses.memberId, memberId))
}

function change({ db }: Writer, which: Members, set: PgUpdateSetSource<typeof members>): Promise<Member[]> {
  return db.update(members).set(set).where(matching(members, which)).returning()
}
