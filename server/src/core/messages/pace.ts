import { LEASE_SECONDS } from '@x-automated/contract/outreach/sending'
import { eq, type SQL, sql } from 'drizzle-orm'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'
import { isInDayOf } from '../tables/app-claims.ts'
import { type AccountApp, type LockedLimits, lockLimits } from './account-lock.ts'
import { type Cooldown, cooldownOf, latest, pauseSecondsOf, unreadCooldown } from './limits.ts'
import type { SenderKind } from './sender.ts'
import { allDay, claimThatLeavesTheDay, lastHandOver, type SendingEnv } from './sending-state.ts'

// The limits

/** The times of past claims that the limits depend on. */
interface Before {
  /** When the last message was claimed or handed over. */
  lastAt: Date | null
  /** When the cap allows the next message, if it is reached. */
  leavesAt: Date | null
  /** When this account may try again, if the app has used up its messages of 24 hours. */
  appTurnAt: Date | null
}

/** How much later an account tries again for each message that it sent in the last 24 hours, in ms. */
const TURN_MS = 20

/**
 * SQL: when the account may try again if the app has used up its messages of 24 hours: when the
 * oldest of them is a day old, plus TURN_MS for each of the account's own, so that accounts that
 * sent less go first. Null: the app has room.
 * @param id a message that does not count
 */
export function appTurn(app: AccountApp | null, accountId: string | null, id: string | null = null): SQL {
  if (app?.dailyLimit == null) return sql`null::timestamptz`
  const isCounted = sql`${isInDayOf(app.clientId)} and dm_id is distinct from ${id}::uuid`
  return sql`select full_day.claimed_at + interval '1 day' + make_interval(secs => ${TURN_MS / 1_000}::float * (
      select count(*) from x_app_claims where ${isCounted} and x_account_id = ${accountId}::uuid))
    from (
      select claimed_at from x_app_claims where ${isCounted}
      order by claimed_at desc offset ${Math.max(0, app.dailyLimit - 1)} limit 1
    ) full_day`
}

/** Until when the account's limits make a sender wait, and why; null: the sender need not wait. */
function limitCooldown(
  env: SendingEnv,
  sender: SenderKind,
  { account, app, accountLimits, cap, now }: LockedLimits,
  { lastAt, leavesAt, appTurnAt }: Before,
): Cooldown | null {
  if (account?.unreadSince) return unreadCooldown(now)
  const before = {
    lastAt: sender.hasInterval ? lastAt : null,
    leavesAt,
    restsUntil: sender.byApi ? (account?.restsUntil ?? null) : null,
    fundsUntil: sender.byApi ? (account?.fundsUntil ?? null) : null,
    appUntil: sender.byApi ? latest(app?.restsUntil ?? null, appTurnAt) : null,
  }
  return cooldownOf(sender.byHand ? allDay(accountLimits) : accountLimits, env, cap, before, now)
}

/** Until when a sender must wait before it claims, and why; null: it may claim. */
export function claimCooldown(
  env: SendingEnv,
  sender: SenderKind,
  locked: LockedLimits,
  before: Before,
): Cooldown | null {
  const { account, now } = locked
  const cooldown = limitCooldown(env, sender, locked, before)
  const intervalEnds = (before.lastAt?.getTime() ?? 0) + 1_000 * intervalSeconds(env, sender, locked)
  const until = new Date(sender.hasInterval ? Math.min(account?.nextSendAt?.getTime() ?? 0, intervalEnds) : 0)
  return until > (cooldown?.until ?? now) ? { until, reason: 'pause' } : cooldown
}

/** Jitter lengthens the interval by up to this share. */
const JITTER = 0.2

/** The interval to the next message with jitter, in seconds. @param random from 0 to 1 */
export function withJitter(intervalSeconds: number, random: number): number {
  return intervalSeconds * (1 + JITTER * random)
}

/**
 * Seconds to wait after a temporary failure at X; doubles each time, up to 300.
 * @param failures consecutive failures, from 1
 */
export function backoffSeconds(failures: number): number {
  return Math.min(300, 5 * 2 ** (Math.max(1, failures) - 1))
}

/**
 * Seconds between an account's last message and the next, with the maximum jitter until the account
 * is due. The schedule does not show the actual jitter, because workers also move it to wait for a
 * turn or for X.
 */
export function intervalSeconds(
  env: SendingEnv,
  { hasInterval }: SenderKind,
  { account, accountLimits, now }: LockedLimits,
): number {
  if (!hasInterval) return 0
  const seconds = pauseSecondsOf(accountLimits, env)
  return account?.nextSendAt && account.nextSendAt > now ? withJitter(seconds, 1) : seconds
}

/**
 * Renews an old claim of a locked message right before it is sent, so that limits count from now.
 * @returns null, or the time before which the account must not send
 */
export async function renewClaim(
  tx: Db,
  env: SendingEnv,
  sender: SenderKind,
  { id, ...whose }: { id: string; workspaceId: string; xAccountId: string | null },
): Promise<Date | null> {
  const locked = await lockLimits(tx, env, sender, whose)
  const { account, app, accountLimits, cap, now, claimedAt } = locked
  const others = sql`${locked.claims} and id <> ${id}`
  const { rows } = await tx.execute<Record<keyof Before, string | null>>(
    sql`
      select (${lastHandOver(others)}) as "lastAt",
        (${claimThatLeavesTheDay(others, cap.cap)}) + interval '1 day' as "leavesAt",
      (${appTurn(app, account?.id ?? null, id)}) as "appTurnAt"`,
  )
  const { lastAt, leavesAt, appTurnAt } = one(rows)
  // Ignore the account's schedule: this message's own claim has set it.
  const cooldown = limitCooldown(env, sender, locked, {
    lastAt: parseTime(lastAt),
    leavesAt: parseTime(leavesAt),
    appTurnAt: parseTime(appTurnAt),
  })
  if (cooldown) return cooldown.until
  const renewed = sql`${claimedAt}::timestamptz`
  await tx.execute(sql`
    update dms
    set claimed_at = ${renewed}, lease_expires_at = ${renewed} + make_interval(secs => ${LEASE_SECONDS}),
      updated_at = ${renewed}
    where id = ${id}`)
  if (app?.dailyLimit != null)
    await tx.execute(sql`update x_app_claims set claimed_at = ${renewed} where dm_id = ${id}`)
  if (!sender.isAnswer)
    await tx.execute(sql`
    update leads set last_claimed_at = ${renewed} where id = (
      select l.id from dms d join leads l on l.id = d.lead_id where d.id = ${id} for no key update of l skip locked)`)
  if (account?.nextSendAt) {
    const next = nextSend(now, pauseSecondsOf(accountLimits, env))
    if (next > account.nextSendAt)
      await tx.update(xAccounts).set({ nextSendAt: next }).where(eq(xAccounts.id, account.id))
  }
  return null
}

/** When an account may send again after a message at `now`, with jitter. */
export function nextSend(now: Date, pauseSeconds: number): Date {
  return new Date(now.getTime() + 1_000 * withJitter(pauseSeconds, Math.random()))
}
