import type { InputOf } from '@x-automated/contract/contract'
import { MEMBER_RESULTS_MAX } from '@x-automated/contract/overview/operator-limits'
import { and, asc, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { normalizeEmail } from '../../../mailbox.ts'
import type { Member } from '../../waitlist/waitlist/members.ts'
import { members, referralCounts, referrals, waitlistDays } from '../../waitlist/waitlist/tables.ts'
import { count } from '../../waitlist/waitlist/waitlist.ts'
import { isHeld } from './decisions.ts'
import { note, type OperatorContext, offsetOf } from './log.ts'

/** The waitlist's totals, and its growth on each of the last `days` days (UTC), from daily counts. */
export async function growth(db: Db, { days }: InputOf<'operator', 'growth'>) {
  const { rows } = await db.execute<{
    day: string
    joined: number
    confirmed: number
    invited: number
    total: number
    confirmed_total: number
    invited_total: number
  }>(sql`
    select day::text, joined, confirmed, invited, total, confirmed_total, invited_total from (
      select day::date, coalesce(joined, 0) as joined, coalesce(confirmed, 0) as confirmed,
        coalesce(invited, 0) as invited,
        (sum(joined) over so_far)::int as total, (sum(confirmed) over so_far)::int as confirmed_total,
        (sum(invited) over so_far)::int as invited_total
      from generate_series(
        least((select min(day) from ${waitlistDays}), (now() at time zone 'UTC')::date)::timestamp,
        now() at time zone 'UTC', interval '1 day') as day
      left join ${waitlistDays} using (day)
      window so_far as (order by day)) as counted
    order by day desc limit ${days}`)
  const held = await db.$count(referrals, isHeld)
  const [today] = rows
  return {
    members: (await count(db)).count,
    confirmed: today?.confirmed_total ?? 0,
    invited: today?.invited_total ?? 0,
    held,
    days: rows
      .map(({ day, joined, confirmed, invited, total }) => ({ day, joined, confirmed, invited, total: total ?? 0 }))
      .reverse(),
  }
}

/** Members that match `q`. If it is empty, all members by position. */
export async function searchMembers(db: Db, { q, page, pageSize }: InputOf<'operator', 'members'>) {
  if (q === '') {
    // Positions have no gaps, so a page is a range of them and needs no offset.
    const from = offsetOf({ page, pageSize })
    const rows = await readMembers(db, and(gt(members.position, from), lte(members.position, from + pageSize)))
    const total = (await count(db)).count
    return { members: rows.toSorted((a, b) => a.position - b.position), total, page, pageSize, more: false }
  }
  const matchingIds = await findIds(db, q)
  const ids = matchingIds.slice(0, MEMBER_RESULTS_MAX)
  const pageIds = ids.slice(offsetOf({ page, pageSize })).slice(0, pageSize)
  const rows = pageIds.length > 0 ? await readMembers(db, inArray(members.id, pageIds)) : []
  const inOrder = rows.toSorted((a, b) => pageIds.indexOf(a.id) - pageIds.indexOf(b.id))
  return { members: inOrder, total: ids.length, page, pageSize, more: matchingIds.length > ids.length }
}

/** The ids of members by position, code or start of the address. More than MEMBER_RESULTS_MAX: some are left out. */
async function findIds(db: Db, text: string): Promise<string[]> {
  const typed = text.toLowerCase()
  // Stored addresses are normalized, so search also for the normalized text, with and without dots.
  const beginnings = [...new Set([typed, normalizeEmail(typed), typed.replaceAll('.', '')])].filter(
    (start) => start !== '',
  )
  const position = /^#?(\d{1,9})$/.exec(text)?.[1]
  const ids = (where: SQL | undefined) =>
    db
      .select({ id: members.id })
      .from(members)
      .where(where)
      // Uses the index's own order, so that the limit ends the scan early.
      .orderBy(sql`${members.normalizedEmail} using ~<~`)
      .limit(MEMBER_RESULTS_MAX + 1)
  const matches = await Promise.all([
    ...(position && Number(position) > 0 ? [ids(eq(members.position, Number(position)))] : []),
    ids(eq(members.referralCode, text)),
    ...beginnings.map((start) => ids(sql`${members.normalizedEmail} like ${`${start.replace(/[\\%_]/g, '\\$&')}%`}`)),
  ])
  return [...new Set(matches.flat().map((row) => row.id))]
}

async function readMembers(db: Db, where: SQL | undefined) {
  const rows = await db
    .select({ member: members, referralCount: referralCounts.referralCount })
    .from(members)
    .leftJoin(referralCounts, and(eq(referralCounts.memberId, members.id), eq(referralCounts.period, 'alltime')))
    .where(where)
  return rows.map(({ member, referralCount }) => ({ ...member, referralCount: referralCount ?? 0 }))
}

// Export

const EXPORT_BATCH = 1_000

/** Logs the export, then returns all members by id, in batches that bound memory. */
export async function startExport(context: Pick<OperatorContext, 'db' | 'log'>, operatorId: string) {
  const { db } = context
  const total = await db.$count(members)
  await note(context, { operatorId, action: 'export', count: total })
  return { total, batches: readAllMembers(db) }
}

export interface ExportedMember {
  member: Member
  referralCount: number | null
}

async function* readAllMembers(db: Db): AsyncGenerator<ExportedMember[]> {
  let after: string | null = null
  for (;;) {
    const rows: ExportedMember[] = await db
      .select({ member: members, referralCount: referralCounts.referralCount })
      .from(members)
      .leftJoin(referralCounts, and(eq(referralCounts.memberId, members.id), eq(referralCounts.period, 'alltime')))
      .where(after ? gt(members.id, after) : undefined)
      .orderBy(asc(members.id))
      .limit(EXPORT_BATCH)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < EXPORT_BATCH) return
    after = last.member.id
  }
}
