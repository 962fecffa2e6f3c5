import { X_APP_DAILY_LIMIT } from '@x-automated/contract/platform/x-apps'
import { eq, sql } from 'drizzle-orm'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { xApps } from '../../domains/platform/x-apps/tables.ts'
import type { Env } from '../../env.ts'
import { isInDayOf } from '../tables/app-claims.ts'

/** Limits of at least this number count as no limit: nobody sends as many messages a day. */
const LIMIT_MAX = 100_000

/**
 * How many messages an app may send in 24 hours; null: no limit. @param fromHeaders X's last
 * reported limit; null: not reported yet
 */
export function dailyLimitOf(fromHeaders: number | null, isRealX: boolean): number | null {
  const limit = fromHeaders ?? (isRealX ? X_APP_DAILY_LIMIT : null)
  return limit !== null && limit < LIMIT_MAX ? limit : null
}

/** An app's usage of its limit in the last 24 hours. */
interface AppDay {
  limit: number
  /** The number of claimed messages that count toward the limit. */
  used: number
  /** When the app may send again, if it has reached the limit or X has told it to wait; null: now. */
  until: Date | null
  /** The number of accounts with something to send. */
  accounts: number
}

/**
 * How many of the app's messages one account may send now and in every 24 hours. Accounts take
 * turns, so all get the same share.
 */
export function shareOf({ limit, used, until, accounts }: AppDay): { now: number; perDay: number } {
  const left = until ? 0 : Math.max(0, limit - used)
  return { now: Math.floor(left / accounts), perDay: Math.max(1, Math.floor(limit / accounts)) }
}

// Usage of the last 24 hours

export type AppEnv = Pick<Env, 'isRealX' | 'x'>

/**
 * An app's usage in the last 24 hours; null if it has no daily limit. @param accountId is counted
 * as an account with something to send
 */
export async function findAppDay(
  db: Db,
  env: AppEnv,
  xAppId: string,
  accountId: string | null,
): Promise<AppDay | null> {
  const row = await findApp(db, env, xAppId)
  const limit = dailyLimitOf(row?.dailyLimit ?? null, env.isRealX)
  if (!row || limit === null) return null
  const { clientId } = row
  const { rows } = await db.execute<{
    used: number
    leavesAt: string | null
    restsUntil: string | null
    accounts: number
  }>(sql`
    select (select count(*)::int from x_app_claims where ${isInDayOf(clientId)}) as used, (
        select claimed_at + interval '1 day' from x_app_claims where ${isInDayOf(clientId)}
        order by claimed_at desc offset ${Math.max(0, limit - 1)} limit 1
      ) as "leavesAt", (
        select rests_until from x_apps where id = ${xAppId} and rests_until > now()
      ) as "restsUntil", (
        select count(*)::int from x_accounts a join x_apps x on x.id = a.x_app_id
        where coalesce(x.client_id, ${operatorClientId(env)}) = ${clientId} and a.status = 'connected'
          and (a.next_send_at is not null or a.id = ${accountId}::uuid)
      ) as accounts`)
  const { used, accounts, ...times } = one(rows)
  const [leavesAt, restsUntil] = [parseTime(times.leavesAt), parseTime(times.restsUntil)]
  const until =
    leavesAt && restsUntil ? new Date(Math.max(leavesAt.getTime(), restsUntil.getTime())) : (leavesAt ?? restsUntil)
  return { limit, used, until, accounts: Math.max(1, accounts) }
}

/** Finds an X app, with its client id at X; undefined if the app was removed. */
export async function findApp(db: Db, env: AppEnv, xAppId: string) {
  const [row] = await db.select().from(xApps).where(eq(xApps.id, xAppId))
  return row && { ...row, clientId: row.clientId ?? operatorClientId(env) }
}

/** The operator's app has no client id in the database: X_CLIENT_ID names it. */
const operatorClientId = ({ x }: AppEnv) => x?.clientId ?? ''

/** Deletes claims that no longer count. */
export async function purgeAppClaims(db: Db): Promise<void> {
  await db.execute(sql`delete from x_app_claims where claimed_at < now() - interval '1 day'`)
}
