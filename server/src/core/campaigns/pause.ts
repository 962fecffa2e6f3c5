import { setTimeout as sleep } from 'node:timers/promises'
import type { PauseReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { reasonValue } from '../../db/reasons.ts'
import { campaignLock } from '../messages/account-lock.ts'
import { endTurn } from '../messages/schedule.ts'
import { findProtection } from '../messages/sending-state.ts'
import { publishEvents } from '../neighbors.ts'
import { countInFlight, type dms } from '../tables/messages.ts'
import { notifyOfCampaigns } from './run.ts'

/** Why campaigns are paused, and X's own explanation. */
export interface Pause {
  reason: PauseReason
  xMessage: string | null
}

/**
 * Pauses the account's API campaigns and stores the reason. Also pauses `campaignId`, whose
 * follow-ups alone the account may send. Direct messages wait until more are queued or the account
 * is reconnected.
 */
export async function pauseCampaignsOf(
  tx: Db,
  { accountId, campaignId }: { accountId: string; campaignId: string },
  { reason, xMessage }: Pause,
): Promise<void> {
  const { rows } = await tx.execute<{ id: string; workspaceId: string }>(sql`
    update campaigns
    set status = 'paused', reason = ${reasonValue(reason)}, pause_reason = ${xMessage}, updated_at = now()
    where id in (
      select id
      from campaigns
      where (x_account_id = ${accountId} or id = ${campaignId}) and status = 'active' and channel = 'api'
      order by id
      for update
    )
    returning id, workspace_id as "workspaceId"`)
  const [first] = rows
  if (!first) return
  const ids = rows.map(({ id }) => id)
  await notifyOfCampaigns(tx, ids)
  await publishEvents(tx, first.workspaceId, 'campaign', ids)
}

/*
 * A campaign is paused automatically when X or recipients reject too many of its messages. This is
 * checked only after a rejection, so that a successful message costs no query.
 */

export type XRefusal = NonNullable<(typeof dms.$inferSelect)['refusal']>

const REFUSALS_OF = 50
/** This many requests that X rejected with the same error pause the campaign. */
const ALIKE_MAX = 3
const FORBIDDEN_OF = 20
const FORBIDDEN_MAX = 5
const OPT_OUTS_OF = 100
/** With fewer messages than this, the share of opt-outs means little. */
const OPT_OUTS_FROM = 50
/** How many of the account's last claims are searched for claims of one campaign. */
const CLAIMS_CHECKED = 1_000

/** Stores why X did not accept a failed message, and pauses its campaign after too many refusals. */
export async function recordRefusal(tx: Db, dmId: string, refusal: XRefusal): Promise<void> {
  await tx.execute(sql`update dms set refusal = ${refusal} where id = ${dmId}`)
  if (refusal === 'closed') return
  const countRefused = (which: SQL) => countLast(tx, campaignOf(dmId), REFUSALS_OF, sql`status <> 'queued'`, which)
  const last = await countRefused(sql`refusal <> 'closed'`)
  if (!last) return
  const isAlike = sql`refusal = 'invalid' and error_message = (select error_message from dms where id = ${dmId})`
  const alike = refusal === 'invalid' ? ((await countRefused(isAlike))?.matching ?? 0) : 0
  const { refusalPercent } = await findProtection(tx, last.workspaceId)
  if (alike < ALIKE_MAX && last.matching * 100 < refusalPercent * REFUSALS_OF) return
  await pauseItself(tx, last, { code: 'refusals', params: { refused: last.matching, of: last.total } })
}

/**
 * Pauses the account's campaigns after X has forbidden too many of its last messages: X may be
 * rejecting the account, not the recipients. Runs in its own transaction, because it locks other
 * campaigns. @param xMessage X's own explanation
 */
export async function checkForbidden(
  tx: Db,
  { id, accountId, campaignId }: { id: string; accountId: string; campaignId: string },
  xMessage: string | null,
): Promise<void> {
  const { rows } = await tx.execute<{ refused: number; of: number }>(sql`
    select (count(*) filter (where refusal = 'forbidden'))::int as refused, count(*)::int as of from (
      select d.refusal from dms d, (select watched_from from campaigns where id = ${campaignId}) c
      where d.x_account_id = (select x_account_id from dms where id = ${id})
        and d.claimed_at is not null
        and d.status <> 'queued'
        and d.claimed_at >= coalesce(c.watched_from, '-infinity')
      order by d.claimed_at desc limit ${FORBIDDEN_OF}
    ) recent`)
  const { refused, of } = one(rows)
  if (refused < FORBIDDEN_MAX) return
  await pauseCampaignsOf(
    tx,
    { accountId, campaignId },
    { reason: { code: 'refusals', params: { refused, of } }, xMessage },
  )
}

/** Pauses a campaign after too many opt-outs. @param dmId the message that led to the latest one */
export async function checkOptOuts(tx: Db, dmId: string): Promise<void> {
  const isOptOut = sql`exists (select from replies r where r.dm_id = recent.id and r.opted_out)`
  const last = await countLast(tx, campaignOf(dmId), OPT_OUTS_OF, sql`sent_at is not null`, isOptOut)
  if (!last || last.total < OPT_OUTS_FROM) return
  const { optOutsPerHundred } = await findProtection(tx, last.workspaceId)
  if (last.matching < optOutsPerHundred) return
  await pauseItself(tx, last, { code: 'opt_outs', params: { optOuts: last.matching, of: last.total } })
}

/** Whether closed inboxes reached the workspace's limit among the campaign's last messages from an account. */
export async function hasClosedInboxes(
  db: Db,
  workspaceId: string,
  campaignId: string,
  xAccountId: string | null,
): Promise<boolean> {
  const which = sql`select ${campaignId}::uuid as id, ${xAccountId}::uuid as x_account_id`
  const last = await countLast(db, which, REFUSALS_OF, sql`status <> 'queued'`, sql`refusal = 'closed'`)
  if (!last) return false
  const { closedInboxPercent } = await findProtection(db, workspaceId)
  return last.matching * 100 >= closedInboxPercent * REFUSALS_OF
}

type Last = { campaignId: string; workspaceId: string; xAccountId: string; total: number; matching: number }

/** SQL: selects the campaign of a message and the account that sent it. */
const campaignOf = (dmId: string) => sql`select campaign_id as id, x_account_id from dms where id = ${dmId}`

/**
 * Counts a campaign's last messages from an account since the campaign was activated; null for the
 * campaign 'Direct'.
 */
async function countLast(db: Db, campaign: SQL, most: number, which: SQL, matching: SQL): Promise<Last | null> {
  const { rows } = await db.execute<Last>(sql`
    select c.id as "campaignId", c.workspace_id as "workspaceId", looked.x_account_id as "xAccountId", counted.*
    from (${campaign}) looked join campaigns c on c.id = looked.id cross join lateral (
      select count(*)::int as total, (count(*) filter (where ${matching}))::int as matching from (
        select * from (
          select *
          from dms
          where x_account_id = looked.x_account_id and claimed_at is not null
          order by claimed_at desc
          limit ${CLAIMS_CHECKED}
        ) claimed
        where campaign_id = c.id and claimed_at >= coalesce(c.watched_from, '-infinity') and ${which}
        order by claimed_at desc
        limit ${most}
      ) recent
    ) counted
    where c.kind = 'campaign'`)
  return rows[0] ?? null
}

/** Pauses a campaign whose next message would show an unfilled variable. @param written the variable as written */
export async function pauseForPlaceholder(
  tx: Db,
  campaign: { workspaceId: string; campaignId: string; xAccountId: string | null },
  written: string,
): Promise<void> {
  await pauseItself(tx, campaign, { code: 'placeholder', params: { written: shownLeftover(written) } })
}

/** Shortens an unfilled variable for the parameters of a reason. */
export const shownLeftover = (written: string) => written.slice(0, 100).toWellFormed()

async function pauseItself(
  tx: Db,
  { workspaceId, campaignId, xAccountId }: { workspaceId: string; campaignId: string; xAccountId: string | null },
  reason: PauseReason,
): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    update campaigns set status = 'paused', reason = ${reasonValue(reason)}, pause_reason = null, updated_at = now()
    where id = ${campaignId} and status = 'active'`)
  if (!rowCount) return
  await notifyOfCampaigns(tx, [campaignId])
  await endTurn(tx, xAccountId)
  await publishEvents(tx, workspaceId, 'campaign', [campaignId])
}

/**
 * How long a pause waits for claims, which take milliseconds. A hung worker checks the campaign
 * again before it sends, so a pause need not wait for it.
 */
const CLAIM_WAIT_SECONDS = 2

/**
 * Keeps workers from claiming messages of this campaign until the transaction ends, unless a claim
 * takes longer than CLAIM_WAIT_SECONDS. Claimed messages are not affected.
 */
export async function blockNewClaims(tx: Db, campaignId: string): Promise<void> {
  try {
    await tx.transaction(async (nested) => {
      await nested.execute(sql`set local lock_timeout = ${`${CLAIM_WAIT_SECONDS}s`}`.inlineParams())
      await nested.execute(sql`select pg_advisory_xact_lock(${campaignLock(sql`${campaignId}::text`)})`)
      await nested.execute(sql`set local lock_timeout = 0`)
    })
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } }
    if ((cause?.code ?? code) !== LOCK_NOT_AVAILABLE) throw error
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

const IN_FLIGHT_CHECK_MS = 100

/**
 * Waits until no sender owns a message of the campaign. @param deadline a time of performance.now()
 * @param db a pool, never a transaction: no lock may be held while waiting
 */
export async function waitForInFlight(
  db: Db,
  campaignId: string,
  deadline: number,
  signal?: AbortSignal,
): Promise<void> {
  while (performance.now() < deadline && !signal?.aborted) {
    const { rows } = await db.execute<{ count: number }>(
      sql`select ${countInFlight(sql`${campaignId}::uuid`)} as count`,
    )
    if (one(rows).count === 0) return
    await sleep(IN_FLIGHT_CHECK_MS, undefined, { signal }).catch(() => {})
  }
}
