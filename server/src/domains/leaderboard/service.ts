import type { LeaderboardPeriod } from '@x-automated/contract/waitlist'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { invalidField } from '../../refusal.ts'
import { expireWeek, findMember, type Member, maskEmail, periodKey } from '../waitlist/service.ts'
import { leaderboardTallies, leaderboardTies, members, mostFirst, referralCounts } from '../waitlist/tables.ts'
import { readCursor, writeCursor } from './rules.ts'

interface LeaderboardInput {
  period: LeaderboardPeriod
  page: number
  pageSize: number
  cursor?: string
}

/**
 * One page of a leaderboard, and the caller's own row wherever it stands.
 * @param userId the account that asks; null for a visitor
 * @throws Refusal INVALID_INPUT: a cursor that is none
 */
export async function leaderboard(
  { db, env }: { db: Db; env: { leaderboardEmailsInFull: boolean } },
  userId: string | null,
  { period, page, pageSize, cursor }: LeaderboardInput,
) {
  const place = cursor === undefined ? null : readCursor(cursor)
  if (cursor !== undefined && !place) throw invalidField('cursor', 'is not a cursor of the leaderboard')
  if (period === 'week') await expireWeek(db)
  const key = periodKey(period)
  const behind = place && sql`(${mostFirst}, last_credit) > (${-place.referralCount}::int, ${place.lastCredit}::bigint)`
  const [standings, total, own] = await Promise.all([
    readStandings(db, and(inPeriod(key), behind ?? undefined), place ? 0 : (page - 1) * pageSize, pageSize + 1),
    readTotal(db, key),
    userId ? findOwnStanding(db, key, userId) : null,
  ])
  const before = place ? place.rank : (page - 1) * pageSize
  const rowOf = ({ member, referralCount }: Standing, rank: number) => {
    const isOwn = member.id === own?.member.id
    const { id, position, signupDate, achievements } = member
    const email = isOwn || env.leaderboardEmailsInFull ? (member.email ?? '') : maskEmail(member.email ?? '')
    const referralCode = isOwn ? member.referralCode : null
    return { id, rank, email, referralCode, position, signupDate, achievements, referralCount, isOwn }
  }
  const shown = standings.slice(0, pageSize)
  const last = standings.length > pageSize ? shown.at(-1) : undefined
  return {
    success: true as const,
    message: 'Leaderboard retrieved',
    leaderboard: shown.map((standing, i) => rowOf(standing, before + i + 1)),
    own: own && rowOf(own, own.rank),
    total,
    page,
    pageSize,
    cursor: last ? writeCursor({ ...last, rank: before + shown.length }) : null,
  }
}

interface Standing {
  member: Member
  referralCount: number
  lastCredit: number
}

const inPeriod = (key: SQL) => sql`${referralCounts.period} = ${key} and ${referralCounts.referralCount} > 0`

async function readStandings(db: Db, where: SQL | undefined, offset: number, limit: number): Promise<Standing[]> {
  // The ids first: far down, the index alone tells them.
  const ranked = db
    .select({
      memberId: referralCounts.memberId,
      referralCount: referralCounts.referralCount,
      lastCredit: referralCounts.lastCredit,
    })
    .from(referralCounts)
    .where(where)
    .orderBy(asc(mostFirst), asc(referralCounts.lastCredit))
    .offset(offset)
    .limit(limit)
    .as('ranked')
  return db
    .select({ member: members, referralCount: ranked.referralCount, lastCredit: ranked.lastCredit })
    .from(ranked)
    .innerJoin(members, eq(members.id, ranked.memberId))
    .orderBy(sql`-${ranked.referralCount}`, asc(ranked.lastCredit))
}

/** Members who stand on a leaderboard: a sum over the different counts that there are. */
async function readTotal(db: Db, key: SQL): Promise<number> {
  const [row] = await db
    .select({ total: sql<number>`coalesce(sum(${leaderboardTallies.members}), 0)`.mapWith(Number) })
    .from(leaderboardTallies)
    .where(sql`${leaderboardTallies.period} = ${key}`)
  return row?.total ?? 0
}

/** Credits of one bucket of leaderboard_ties, as its triggers have it. */
const TIE_BUCKET = 1024

/** Where an account's member stands: those with more, those with as many in earlier buckets, and the few before it in its own. */
async function findOwnStanding(db: Db, key: SQL, userId: string): Promise<(Standing & { rank: number }) | null> {
  const member = await findMember(db, userId)
  if (!member) return null
  const [standing] = await db
    .select({ referralCount: referralCounts.referralCount, lastCredit: referralCounts.lastCredit })
    .from(referralCounts)
    .where(and(inPeriod(key), eq(referralCounts.memberId, member.id)))
  if (!standing) return null
  const { referralCount, lastCredit } = standing
  const bucket = Math.floor(lastCredit / TIE_BUCKET)
  const { rows } = await db.execute<{ ahead: string }>(sql`
    select (select coalesce(sum(members), 0) from ${leaderboardTallies} where period = ${key} and referral_count > ${referralCount})
      + (select coalesce(sum(members), 0) from ${leaderboardTies}
         where period = ${key} and referral_count = ${referralCount} and bucket < ${bucket})
      + (select count(*) from ${referralCounts} where period = ${key} and referral_count > 0 and ${mostFirst} = ${-referralCount}::int
         and last_credit >= ${bucket * TIE_BUCKET}::bigint and last_credit < ${lastCredit}::bigint) as ahead`)
  return { member, referralCount, lastCredit, rank: Number(rows[0]?.ahead ?? 0) + 1 }
}
