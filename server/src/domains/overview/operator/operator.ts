import type { InputOf } from '@x-automated/contract/contract'
import type { OperatorAction } from '@x-automated/contract/overview/operator'
import { MEMBER_RESULTS_MAX } from '@x-automated/contract/overview/operator-limits'
import { and, asc, desc, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { normalizeEmail } from '../../../mailbox.ts'
import type { WaitlistContext } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { credit, type Referral, revertCredit, storeDecision } from '../../waitlist/waitlist/credits.ts'
import { invitationEmail } from '../../waitlist/waitlist/emails.ts'
import { changeWaitlist, type LockedWaitlist } from '../../waitlist/waitlist/lock.ts'
import { addresseeOf, type Member, markNextInvited } from '../../waitlist/waitlist/members.ts'
import { scheduleRewards } from '../../waitlist/waitlist/rewards.ts'
import { members, referralCounts, referrals, waitlistDays } from '../../waitlist/waitlist/tables.ts'
import { count } from '../../waitlist/waitlist/waitlist.ts'
import { operatorLog } from './tables.ts'

/** Services that operator actions use. */
interface OperatorContext extends WaitlistContext {
  db: Db
  log: FastifyBaseLogger
}

const offsetOf = ({ page, pageSize }: InputOf<'operator', 'log'>) => (page - 1) * pageSize

// Reading

/** The waitlist's totals, and its last days up to today (UTC), from daily counts. */
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

/** Members by position, by code or by the start of the address, and one more than a page shows. */
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

/** SQL: the referral waits for an operator, either to be credited or to count for rewards. */
const isHeld = sql`(${referrals.status} = 'held'
  or (${referrals.status} = 'credited' and ${referrals.rewardHold} is not null and ${referrals.rewardAllowed} is null))`

/** Referrals held for review, oldest first. */
export async function listHeld(db: Db, paging: InputOf<'operator', 'held'>) {
  const referrer = db.select({ id: members.id, email: members.email }).from(members).as('referrer')
  const [held, total] = await Promise.all([
    db
      .select({
        memberId: referrals.memberId,
        email: members.email,
        referrerEmail: referrer.email,
        reason: sql<
          NonNullable<Referral['holdReason']>
        >`case ${referrals.status} when 'held' then ${referrals.holdReason} else ${referrals.rewardHold} end`,
        country: referrals.country,
        createdAt: referrals.createdAt,
      })
      .from(referrals)
      .innerJoin(members, eq(members.id, referrals.memberId))
      .innerJoin(referrer, eq(referrer.id, referrals.referrerId))
      .where(isHeld)
      .orderBy(asc(referrals.createdAt), asc(referrals.memberId))
      .limit(paging.pageSize)
      .offset(offsetOf(paging)),
    db.$count(referrals, isHeld),
  ])
  return { held, total, ...paging }
}

// Deciding

/**
 * Credits a held referral now or, if confirmation is required, once the member confirms. A referral
 * that is already credited then counts for rewards, too. @throws Refusal REFERRAL_NOT_FOUND,
 * REFERRAL_STATE
 */
export async function releaseReferral(context: OperatorContext, operatorId: string, memberId: string) {
  return decide(
    context,
    { operatorId, action: 'release', memberId },
    ['held', 'credited'],
    async (waitlist, referral) => {
      const { tx, now } = waitlist
      if (referral.status === 'credited') return decideReward(tx, referral, true)
      const decision = { decidedAt: now, decidedBy: operatorId, rewardAllowed: true }
      await storeDecision(tx, memberId, decision)
      const [member] = await tx.select().from(members).where(eq(members.id, memberId))
      if (context.env.waitlistConfirmRequired && !member?.confirmedAt)
        await storeDecision(tx, memberId, { status: 'unconfirmed' })
      else await credit(waitlist, context, referral)
    },
  )
}

/** Refuses to credit a held referral, or to count a credited one for rewards. @throws Refusal REFERRAL_NOT_FOUND, REFERRAL_STATE */
export async function refuseReferral(context: OperatorContext, operatorId: string, memberId: string) {
  return decide(context, { operatorId, action: 'refuse', memberId }, ['held', 'credited'], ({ tx, now }, referral) => {
    if (referral.status === 'credited') return decideReward(tx, referral, false)
    return storeDecision(tx, memberId, { status: 'refused', decidedAt: now, decidedBy: operatorId })
  })
}

/** @param isAllowed null: holds it again @throws Refusal REFERRAL_STATE: it is not held, or already decided */
async function decideReward(tx: Db, referral: Referral, isAllowed: boolean | null): Promise<void> {
  const { memberId, referrerId, rewardHold, rewardAllowed } = referral
  if (!rewardHold || (isAllowed === null) === (rewardAllowed === null)) throw new Refusal('REFERRAL_STATE')
  await storeDecision(tx, memberId, { rewardAllowed: isAllowed })
  await scheduleRewards(tx, referrerId)
}

/** Holds a decided referral again. Reverts its credit, but not the position it gained. */
export async function undoDecision(context: OperatorContext, operatorId: string, memberId: string) {
  const decided: Referral['status'][] = ['credited', 'refused', 'unconfirmed']
  return decide(context, { operatorId, action: 'undo', memberId }, decided, async (waitlist, referral) => {
    if (!referral.holdReason) return decideReward(waitlist.tx, referral, null)
    if (!referral.decidedAt) throw new Refusal('REFERRAL_STATE')
    await revertCredit(waitlist, referral)
    await storeDecision(waitlist.tx, memberId, {
      status: 'held',
      decidedAt: null,
      decidedBy: null,
      rewardAllowed: null,
    })
  })
}

async function decide(
  context: OperatorContext,
  done: Done & { memberId: string },
  from: Referral['status'][],
  decision: (waitlist: LockedWaitlist, referral: Referral) => Promise<unknown>,
) {
  await changeWaitlist(context.db, async (waitlist) => {
    const [referral] = await waitlist.tx.select().from(referrals).where(eq(referrals.memberId, done.memberId))
    if (!referral) throw new Refusal('REFERRAL_NOT_FOUND')
    if (!from.includes(referral.status)) throw new Refusal('REFERRAL_STATE')
    await decision(waitlist, referral)
    await note({ ...context, db: waitlist.tx }, done)
  })
  return { success: true as const }
}

/** Invites the next members by position and emails them. Parallel calls invite nobody twice. */
export async function inviteNext(context: OperatorContext, operatorId: string, howMany: number) {
  const invited = await changeWaitlist(context.db, async ({ tx, now }) => {
    const reached = await markNextInvited({ tx, now }, howMany)
    const addressees = reached.map((member) => addresseeOf(context, member)).filter((to) => to !== null)
    await context.outbox.postAll(tx, addressees.map(invitationEmail))
    if (reached.length > 0) await note({ ...context, db: tx }, { operatorId, action: 'invite', count: reached.length })
    return reached.length
  })
  return { success: true as const, invited }
}

// The audit log

interface Done {
  operatorId: string
  action: OperatorAction
  memberId?: string
  count?: number
}

async function note({ db, log }: Pick<OperatorContext, 'db' | 'log'>, done: Done): Promise<void> {
  await db.insert(operatorLog).values(done)
  log.info(done, 'operator action')
}

/** How many of the newest entries the pages show. */
const LOG_SHOWN = 1_000

/** One page of operator actions, newest first. */
export async function listLog(db: Db, paging: InputOf<'operator', 'log'>) {
  const [actions, total] = await Promise.all([
    db
      .select({
        id: operatorLog.id,
        action: operatorLog.action,
        operatorEmail: authUsers.email,
        memberEmail: members.email,
        count: operatorLog.count,
        at: operatorLog.createdAt,
      })
      .from(operatorLog)
      .leftJoin(authUsers, eq(authUsers.id, operatorLog.operatorId))
      .leftJoin(members, eq(members.id, operatorLog.memberId))
      .orderBy(desc(operatorLog.createdAt), desc(operatorLog.id))
      .limit(paging.pageSize)
      .offset(Math.min(offsetOf(paging), LOG_SHOWN)),
    db.execute<{ total: number }>(
      sql`select count(*)::int as total from (select from ${operatorLog} limit ${LOG_SHOWN}) as newest`,
    ),
  ])
  return { actions, total: one(total.rows).total, ...paging }
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
