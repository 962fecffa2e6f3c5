import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../../db/open.ts'
import type { Email } from '../../../emails/email.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { Outbox } from '../../../ports.ts'
import { notifyOwners } from '../notifications/notifications.ts'
import { fundsText } from './rules.ts'

/*
 * X responds with 402 to every call of an app without credits. The product then makes no more calls
 * with that app, and all work that needs one waits. Once an hour, one call tries X again. If it
 * succeeds, all of the app's work is made due.
 */

const TRY_SECONDS = 3_600
/** If an app's credits keep running out, this is reported once in this time. */
const ALARM_SECONDS = 86_400

/** The error of calls that are not made because their app has no credits. */
export function outOfFunds(isOwnApp: boolean, tryAt: Date): XError {
  return new XError('funds', fundsText(isOwnApp), tryAt)
}

/** Makes all work of an app wait, after X has responded that it has no credits. @returns the next try */
export async function markFundsEmpty(db: Db, appId: string): Promise<Date> {
  const { rows } = await db.execute<{ tryAt: string }>(sql`
    with marked as (
      update x_apps
      set funds_empty_since = now(), funds_try_at = now() + make_interval(secs => ${TRY_SECONDS}), updated_at = now()
      where id = ${appId} and funds_empty_since is null returning funds_try_at
    )
    select coalesce(
      (select funds_try_at from marked), (select funds_try_at from x_apps where id = ${appId}), now()
    ) as "tryAt"`)
  return new Date(rows[0]?.tryAt ?? Date.now())
}

/**
 * Makes a call without an account, or for one that is being connected. @param isTry calls even
 * while the app has no credits; a success shows that it has credits again @throws XError; after
 * `funds`, the app makes no more calls
 */
export async function withFunds<T>(db: Db, appId: string, call: () => Promise<T>, isTry = false): Promise<T> {
  const { rows } = await db.execute<{ isOwn: boolean; tryAt: string | null }>(sql`
    select workspace_id is not null as "isOwn",
      case when funds_empty_since is not null then coalesce(funds_try_at, now()) end as "tryAt"
    from x_apps where id = ${appId}`)
  const isOwn = rows[0]?.isOwn ?? false
  const tryAt = rows[0]?.tryAt
  if (tryAt && !isTry) throw outOfFunds(isOwn, new Date(tryAt))
  const result = await call().catch(async (error) => {
    const isEmpty = error instanceof XError && error.kind === 'funds'
    throw isEmpty ? outOfFunds(isOwn, await markFundsEmpty(db, appId)) : error
  })
  if (tryAt) await markFundsReturned(db, appId)
  return result
}

/** Lets an app make calls again. `findReturned` lists the app until everything was resumed. */
export async function markFundsReturned(db: Db, appId: string): Promise<void> {
  await db.execute(sql`
    update x_apps set funds_empty_since = null, updated_at = now() where id = ${appId} and funds_empty_since is not null`)
}

/** Reserves the apps whose next try is due. No other process tries them within the hour. */
export async function takeTries(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    update x_apps set funds_try_at = now() + make_interval(secs => ${TRY_SECONDS}), updated_at = now()
    where funds_empty_since is not null and funds_try_at <= now() returning id`)
  return rows.map(({ id }) => id)
}

/** The apps that have credits again, with the workspaces whose work waits. */
export async function findReturned(db: Db): Promise<{ id: string; workspaceIds: string[] }[]> {
  const { rows } = await db.execute<{ id: string; workspaceIds: string[] }>(sql`
    select app.id, array(
      select distinct a.workspace_id::text from x_accounts a where a.x_app_id = app.id order by 1
    ) as "workspaceIds"
    from x_apps app where app.funds_empty_since is null and app.funds_try_at is not null`)
  return rows
}

/** Completes the return of an app's credits, unless they have run out again. */
export async function finishReturn(db: Db, appId: string): Promise<void> {
  await db.execute(sql`
    update x_apps set funds_try_at = null, updated_at = now() where id = ${appId} and funds_empty_since is null`)
}

interface AlarmContext {
  db: Db
  outbox: Outbox
  origin: string
  env: { operators: readonly string[] }
  log: FastifyBaseLogger
}

/** Notifies people once about each app without credits: the owners who brought it, or the operators. */
export async function alarmOfFunds({ db, outbox, origin, env, log }: AlarmContext): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string; workspaceId: string | null }>(sql`
      update x_apps set funds_alarmed_at = now()
      where funds_empty_since is not null and (funds_alarmed_at is null
        or (funds_alarmed_at < funds_empty_since and funds_alarmed_at < now() - make_interval(secs => ${ALARM_SECONDS})))
      returning id, workspace_id as "workspaceId"`)
    for (const { id, workspaceId } of rows) {
      if (workspaceId) await notifyOwners(tx, workspaceId, 'funds', {})
      else
        await outbox.postAll(
          tx,
          env.operators.map((to) => fundsEmptyEmail(to, origin)),
        )
      const text = 'the X app has no credits left: nothing is sent or read until X accepts a call again'
      log.error({ err: new Error(text), xAppId: id }, text)
    }
  })
}

/** Notifies an operator that the server's X app has no credits. */
function fundsEmptyEmail(to: string, origin: string): Email {
  return {
    to,
    subject: 'The X app of X-Automated has no credits left',
    lines: [
      'X answers that the app has no credits, or that its spending limit is reached. Nothing is sent or read for any workspace, and nobody is skipped.',
      'Add credits in the Developer Console at console.x.com, or raise its spending limit. We try again every hour, and then everything continues.',
    ],
    action: { label: 'View X credits', link: `${origin}/operator?tab=x-credits` },
    closing: "You're receiving this because you operate X-Automated.",
  }
}
