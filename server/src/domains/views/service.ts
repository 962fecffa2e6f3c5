import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { members } from '../waitlist/tables.ts'
import { pageOf } from './rules.ts'
import { pageViews } from './tables.ts'

/** Rows of a day beyond which views are counted without their referral code, so that nobody can fill the table. */
const VIEW_ROWS_A_DAY = 10_000
const today = sql<string>`(now() at time zone 'UTC')::date`

/** Counts a view by day, page and known referral code. */
export async function trackView(db: Db, input: { path: string; ref?: string }) {
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
  const { rows: found } = await db.execute<{ rows: string }>(sql`select count(*) as rows from (${rows}) as counted`)
  return Number(found[0]?.rows) < VIEW_ROWS_A_DAY
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

/** @param ref the code that brought them, '' for none */
export async function countJoin(tx: Db, ref: string): Promise<void> {
  await tx
    .insert(pageViews)
    .values({ day: today, path: '/waitlist', ref: ref.trim(), joins: 1 })
    .onConflictDoUpdate({
      target: [pageViews.day, pageViews.path, pageViews.ref],
      set: { joins: sql`${pageViews.joins} + 1` },
    })
}

async function isCode(db: Db, code: string): Promise<boolean> {
  const [found] = await db.select({ id: members.id }).from(members).where(eq(members.referralCode, code))
  return found !== undefined
}

/** Views and joins by UTC day, page and referral code, between two days inclusive ('2026-11-20'), newest first, most viewed first. */
export async function listViews(db: Db, { from, to }: { from: string; to: string }) {
  return db
    .select()
    .from(pageViews)
    .where(and(sql`${pageViews.day} >= ${from}::date`, sql`${pageViews.day} <= ${to}::date`))
    .orderBy(sql`${pageViews.day} desc`, sql`${pageViews.views} desc`, asc(pageViews.path), asc(pageViews.ref))
}
