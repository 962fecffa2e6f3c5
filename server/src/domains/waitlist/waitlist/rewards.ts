import { HOUR_MS } from '@x-automated/contract/time'
import { ACHIEVEMENTS, type Achievement, confirmationsNeeded } from '@x-automated/contract/waitlist/waitlist'
import { and, eq, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { type Dns, DnsUnavailable } from '../../../outside/dns.ts'
import type { WaitlistContext } from '../../../ports.ts'
import { publishEvent } from '../../platform/webhooks/webhooks.ts'
import { changeWaitlist, type LockedWaitlist } from './lock.ts'
import type { Member } from './members.ts'
import { rewardMonths, rewardProgress } from './rules.ts'
import { members, referrals, rewardGrants } from './tables.ts'

/** Publishes earned achievements to webhooks. */
export async function publishEarned(
  tx: Db,
  context: WaitlistContext,
  now: Date,
  memberId: string,
  earned: readonly Achievement[],
  referralCount: number,
): Promise<void> {
  for (const achievement of earned) {
    const data = { memberId, achievement, name: ACHIEVEMENTS[achievement], referralCount, earnedAt: now.toISOString() }
    await publishEvent(tx, context.jobs, { event: 'achievement.earned', at: now, data })
  }
}

/**
 * Stores the rewards of achievements, for the member's account now or once it exists. Those that cost
 * money are held.
 */
export async function grantRewards(
  { tx, now }: LockedWaitlist,
  member: Pick<Member, 'id' | 'accountUserId'>,
  earned: readonly Achievement[],
): Promise<void> {
  if (earned.length === 0) return
  const { id: memberId, accountUserId } = member
  await tx
    .insert(rewardGrants)
    .values(
      earned.map((achievement) => {
        const needed = confirmationsNeeded(achievement)
        const grantedAt = needed > 0 ? null : now
        const months = rewardMonths(achievement)
        return { achievement, months, needed, memberId, accountUserId, earnedAt: now, grantedAt }
      }),
    )
    .onConflictDoNothing()
}

/** Updates when a member's held rewards start. Call it after any change of their referrals. */
export async function scheduleRewards(tx: Db, memberId: string): Promise<void> {
  const held = await tx
    .select({ id: rewardGrants.id, achievement: rewardGrants.achievement })
    .from(rewardGrants)
    .where(and(eq(rewardGrants.memberId, memberId), isNull(rewardGrants.grantedAt)))
  if (held.length === 0) return
  const all = await tx
    .select({ confirmedAt: members.confirmedAt, creditedAt: referrals.creditedAt })
    .from(referrals)
    .innerJoin(members, eq(members.id, referrals.memberId))
    .where(
      and(
        eq(referrals.referrerId, memberId),
        // The condition of an index, which means that the referral is credited.
        isNotNull(referrals.creditNumber),
        isNotNull(members.confirmedAt),
        or(isNull(referrals.rewardHold), eq(referrals.rewardAllowed, true)),
      ),
    )
  const confirmations = all.flatMap(({ confirmedAt, creditedAt }) =>
    confirmedAt && creditedAt ? [{ confirmedAt, day: utcDay(creditedAt) }] : [],
  )
  for (const { id, achievement } of held)
    await tx
      .update(rewardGrants)
      .set(rewardProgress(achievement, confirmations))
      .where(and(eq(rewardGrants.id, id), isNull(rewardGrants.grantedAt)))
}

/** Grants held rewards that are due. */
export async function giveRewards(db: Db): Promise<void> {
  await db.execute(sql`update reward_grants set granted_at = now() where granted_at is null and starts_at <= now()`)
}

/** Number of domains looked up per run. */
const MAIL_CHECKS = 50
/** How many hours a domain that does not respond is tried. */
const MAIL_CHECK_HOURS = 48

/** Looks up whether the domains of referred members can get email. No response is not suspicious. */
export async function checkMailServers({ db, dns }: { db: Db; dns: Dns }): Promise<void> {
  const due = await db
    .select({ memberId: referrals.memberId, email: members.email, createdAt: referrals.createdAt })
    .from(referrals)
    .innerJoin(members, eq(members.id, referrals.memberId))
    .where(lte(referrals.mailCheckAt, sql`now()`))
    .orderBy(referrals.mailCheckAt)
    .limit(MAIL_CHECKS)
  const domainOf = ({ email }: { email: string | null }) => email?.slice(email.lastIndexOf('@') + 1) ?? null
  const domains = [...new Set(due.flatMap((referral) => domainOf(referral) ?? []))]
  const results = new Map(
    await Promise.all(
      domains.map(async (domain) => {
        const hasMailServer = await dns.hasMailServer(domain).catch((error) => {
          if (error instanceof DnsUnavailable) return null
          throw error
        })
        return [domain, hasMailServer] as const
      }),
    ),
  )
  for (const referral of due) {
    const domain = domainOf(referral)
    const hasMailServer = domain === null ? true : (results.get(domain) ?? null)
    const isOld = Date.now() - referral.createdAt.getTime() > MAIL_CHECK_HOURS * HOUR_MS
    await changeWaitlist(db, async ({ tx }) => {
      const [checked] = await tx
        .update(referrals)
        .set({
          mailCheckAt: hasMailServer === null && !isOld ? sql`now() + interval '1 hour'` : null,
          ...(hasMailServer === false && { rewardHold: sql`coalesce(${referrals.rewardHold}, 'no_mail_server')` }),
        })
        .where(eq(referrals.memberId, referral.memberId))
        .returning({ referrerId: referrals.referrerId })
      if (checked && hasMailServer === false) await scheduleRewards(tx, checked.referrerId)
    })
  }
}

/** The date in UTC, such as 2026-11-20. */
export function utcDay(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
