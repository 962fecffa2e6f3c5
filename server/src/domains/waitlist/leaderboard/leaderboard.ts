import type { InputOf } from '@x-automated/contract/contract'
import { BAD_CURSOR } from '@x-automated/contract/fields'
import { type SQL, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { invalidField } from '../../../refusal.ts'
import { expiredInWeek, periodKey } from '../waitlist/credits.ts'
import type { Member } from '../waitlist/members.ts'
import { maskEmail } from '../waitlist/rules.ts'
import {
  leaderboardTallies,
  leaderboardTies,
  members,
  mostFirst,
  referralCounts,
  referrals,
} from '../waitlist/tables.ts'
import { findMember } from '../waitlist/waitlist.ts'
import { type LeaderboardPlace, readCursor, writeCursor } from './rules.ts'

/** One page of a leaderboard, and the caller's own row. @param userId null for visitors */
export async function leaderboard(
  { db, env }: { db: Db; env: { leaderboardEmailsInFull: boolean } },
  userId: string | null,
  { period, page, pageSize, cursor }: InputOf<'waitlist', 'leaderboard'>,
) {
  const after = cursor === undefined ? null : readCursor(cursor)
  if (cursor !== undefined && !after) throw invalidField('cursor', BAD_CURSOR)
  const key = periodKey(period)
  const lost = period === 'week' ? expiredCredits : noCredits
  const [ranked, total, own] = await Promise.all([
    readRanked(db, key, lost, after, after ? 0 : (page - 1) * pageSize, pageSize + 1),
    readTotal(db, key, lost),
    userId ? findOwnRank(db, key, lost, userId) : null,
  ])
  const before = after ? after.rank : (page - 1) * pageSize
  const rowOf = ({ member, referralCount }: RankedMember, rank: number) => {
    const isOwn = member.id === own?.member.id
    const { id, position, signupDate, achievements } = member
    const email = isOwn || env.leaderboardEmailsInFull ? (member.email ?? '') : maskEmail(member.email ?? '')
    const referralCode = isOwn ? member.referralCode : null
    return { id, rank, email, referralCode, position, signupDate, achievements, referralCount, isOwn }
  }
  const visible = ranked.slice(0, pageSize)
  const last = ranked.length > pageSize ? visible.at(-1) : undefined
  return {
    success: true as const,
    message: 'Leaderboard retrieved',
    leaderboard: visible.map((entry, i) => rowOf(entry, before + i + 1)),
    own: own && rowOf(own, own.rank),
    total,
    page,
    pageSize,
    cursor: last ? writeCursor({ ...last, rank: before + visible.length }) : null,
  }
}

interface RankedMember {
  member: Member
  referralCount: number
  lastCredit: number
}

/** SQL by referrer: expired credits that the counts still contain. Reads subtract them, without locks. */
const expiredCredits = sql`
  select referrer_id, count(*)::int as credits from ${referrals} where ${expiredInWeek} group by 1`
const noCredits = sql`select null::uuid as referrer_id, 0 as credits where false`

/** SQL: the remaining credits of referrers who lost some. They are few, because `expireWeek` runs every minute. */
const remainingOf = (key: SQL) => sql`
  select c.member_id, c.referral_count as counted, c.referral_count - lost.credits as referral_count, c.last_credit
  from lost join ${referralCounts} c on c.period = ${key} and c.member_id = lost.referrer_id`

async function readRanked(
  db: Db,
  key: SQL,
  lost: SQL,
  behind: LeaderboardPlace | null,
  offset: number,
  limit: number,
): Promise<RankedMember[]> {
  const isListed = behind
    ? sql`
      referral_count > 0 and (${mostFirst}, last_credit) > (${-behind.referralCount}::int, ${behind.lastCredit}::bigint)`
    : sql`referral_count > 0`
  // Select ids first, because on late pages the index alone is enough.
  const ranked = sql`(
    with lost as materialized (${lost})
    (select member_id, referral_count, last_credit from ${referralCounts}
      where period = ${key} and ${isListed} and member_id not in (select referrer_id from lost)
      order by ${mostFirst}, last_credit limit ${offset + limit})
    union all
    select member_id, referral_count, last_credit from (${remainingOf(key)}) as remaining where ${isListed}
    order by 2 desc, 3 offset ${offset} limit ${limit}
  ) as ranked`
  return db
    .select({
      member: members,
      referralCount: sql<number>`ranked.referral_count`,
      lastCredit: sql<number>`ranked.last_credit`.mapWith(Number),
    })
    .from(ranked)
    .innerJoin(members, sql`${members.id} = ranked.member_id`)
    .orderBy(sql`-ranked.referral_count`, sql`ranked.last_credit`)
}

/** The number of ranked members: the sum of all tallies, without referrers who have lost all credits. */
async function readTotal(db: Db, key: SQL, lost: SQL): Promise<number> {
  const { rows } = await db.execute<{ total: string }>(sql`
    with lost as materialized (${lost})
    select (select coalesce(sum(members), 0) from ${leaderboardTallies} where period = ${key})
      - (select count(*) from (${remainingOf(key)}) as remaining where counted > 0 and referral_count <= 0) as total`)
  return Number(one(rows).total)
}

/** Credits per bucket of leaderboard_ties; its triggers use the same value. */
const TIE_BUCKET = 1024

/**
 * The rank of an account's member, by number of referrals, then by last credit. Stored counts include
 * expired credits, so referrers who lost some are counted separately.
 */
async function findOwnRank(
  db: Db,
  key: SQL,
  lost: SQL,
  userId: string,
): Promise<(RankedMember & { rank: number }) | null> {
  const member = await findMember(db, userId)
  if (!member) return null
  const { rows } = await db.execute<{ referralCount: number; lastCredit: string; ahead: string }>(sql`
    with lost as materialized (${lost}),
    remaining as materialized (${remainingOf(key)}),
    own as materialized (
      select c.referral_count - coalesce(lost.credits, 0) as referral_count, c.last_credit,
        c.last_credit / ${TIE_BUCKET}::bigint as bucket
      from ${referralCounts} c left join lost on lost.referrer_id = c.member_id
      where c.period = ${key} and c.member_id = ${member.id})
    select own.referral_count as "referralCount", own.last_credit as "lastCredit",
      (
        select coalesce(sum(members), 0)
        from ${leaderboardTallies}
        where period = ${key} and referral_count > own.referral_count
      )
      + (select coalesce(sum(members), 0) from ${leaderboardTies}
         where period = ${key} and referral_count = own.referral_count and bucket < own.bucket)
      + (select count(*) from ${referralCounts} where period = ${key} and referral_count > 0 and ${mostFirst} = -own.referral_count
         and last_credit >= own.bucket * ${TIE_BUCKET}::bigint and last_credit < own.last_credit)
      - (
        select count(*)
        from remaining
        where counted > 0 and (-counted, last_credit) < (-own.referral_count, own.last_credit)
      )
      + (select count(*) from remaining where referral_count > 0
         and (-referral_count, last_credit) < (-own.referral_count, own.last_credit)) as ahead
    from own where own.referral_count > 0`)
  const [own] = rows
  return own
    ? { member, referralCount: own.referralCount, lastCredit: Number(own.lastCredit), rank: Number(own.ahead) + 1 }
    : null
}
