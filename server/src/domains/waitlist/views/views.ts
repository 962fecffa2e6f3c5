import type { InputOf } from '@x-automated/contract/contract'
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { members } from '../waitlist/tables.ts'
import { pageOf } from './rules.ts'
import { pageViews } from './tables.ts'

/** After this many rows in a day, views are counted without a referral code, to limit the table. */
const VIEW_ROWS_A_DAY = 10_000
const today = sql<string>`(now() at time zone 'UTC')::date`

/** Counts a view by day, page and known referral code. */
export async function trackView(db: Db, input: InputOf<'waitlist', 'trackView'>) {
  const path = pageOf(input.path)
  const ref = input.ref?.trim() ?? ''
  const isPlausible = ref.length <= 64 && !ref.includes('\u0000')
  if (!isPlausible || !(await countKnownView(db, path, ref))) {
    const isKnown = isPlausible && ref !== '' && (await isCode(db, ref)) && (await hasRoomToday(db))
    await countView(db, path, isKnown ? ref : '')
  }
  return { success: true as const }
}

async function countKnownView(db: Db, path: string, ref: string): Promise<boolean> {
  const counted = await db
    .update(pageViews)
    .set({ views: sql`${pageViews.views} + 1` })
    .where(and(sql`${pageViews.day} = ${today}`, eq(pageViews.path, path), eq(pageViews.ref, ref)))
    .returning({ views: pageViews.views })
  return counted.length > 0
}

async function hasRoomToday(db: Db): Promise<boolean> {
  const rows = sql`select 1 from page_views where day = ${today} limit ${VIEW_ROWS_A_DAY}`
  const { rows: counted } = await db.execute<{ rows: number }>(
    sql`select count(*)::int as rows from (${rows}) as counted`,
  )
  return one(counted).rows < VIEW_ROWS_A_DAY
}

async function countView(db: Db, path: string, ref: string): Promise<void> {
  await db
    .insert(pageViews)
    .values({ day: today, path, ref, views: 1 })
    .onConflictDoUpdate({
      target: [pageViews.day, pageViews.path, pageViews.ref],
      set: { views: sql`${pageViews.views} + 1` },
    })
}

/** Counts a join. @param from the first page of the visit, and its referral code if that is known, else '' */
export async function countJoin(tx: Db, from: { path: string; ref: string }): Promise<void> {
  await tx
    .insert(pageViews)
    .values({ day: today, path: pageOf(from.path), ref: from.ref.trim(), joins: 1 })
    .onConflictDoUpdate({
      target: [pageViews.day, pageViews.path, pageViews.ref],
      set: { joins: sql`${pageViews.joins} + 1` },
    })
}

async function isCode(db: Db, code: string): Promise<boolean> {
  const [member] = await db.select({ id: members.id }).from(members).where(eq(members.referralCode, code))
  return member !== undefined
}

/**
 * Views and joins by UTC day, both ends included, and one page of sources, most joins first.
 * A source is a page, or a referral code with its owner's address.
 */
export async function listViews(db: Db, { from, to, by, page, pageSize }: InputOf<'operator', 'views'>) {
  const source = by === 'page' ? pageViews.path : pageViews.ref
  const inRange = sql`${pageViews.day} between ${from}::date and ${to}::date`
  const views = sql<number>`sum(${pageViews.views})`.mapWith(Number)
  const joins = sql<number>`sum(${pageViews.joins})`.mapWith(Number)
  const [days, grouped, counted] = await Promise.all([
    db.execute<{ day: string; views: number; joins: number }>(sql`
      select day::date::text, coalesce(views, 0)::int as views, coalesce(joins, 0)::int as joins
      from generate_series(${from}::timestamp, ${to}::timestamp, interval '1 day') as day
      left join (
        select day, sum(views) as views, sum(joins) as joins from ${pageViews} where ${inRange} group by 1
      ) as counted using (day)
      order by day`),
    db
      .select({ source, views, joins })
      .from(pageViews)
      .where(inRange)
      .groupBy(source)
      .orderBy(desc(joins), desc(views), asc(source))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db
      .select({ total: sql<number>`count(distinct ${source})`.mapWith(Number) })
      .from(pageViews)
      .where(inRange),
  ])
  const owners =
    by === 'ref' && grouped.length > 0
      ? await findOwners(
          db,
          grouped.map((row) => row.source),
        )
      : new Map()
  const sum = (key: 'views' | 'joins') => days.rows.reduce((all, day) => all + day[key], 0)
  return {
    views: sum('views'),
    joins: sum('joins'),
    days: days.rows,
    sources: grouped.map((row) => ({ ...row, email: (owners.get(row.source) as string | undefined) ?? null })),
    total: one(counted).total,
    page,
    pageSize,
  }
}

/** The owners' addresses by referral code. */
async function findOwners(db: Db, codes: string[]): Promise<Map<string | null, string | null>> {
  const rows = await db
    .select({ code: members.referralCode, email: members.email })
    .from(members)
    .where(inArray(members.referralCode, codes))
  return new Map(rows.map(({ code, email }) => [code, email]))
}
