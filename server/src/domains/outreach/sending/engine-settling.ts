import { sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { livingWorkers } from '../../../jobs/liveness.ts'
import { XError } from '../../../outside/x.ts'
import type { Needs, Timing } from './engine.ts'
import { findInConversation, lookUp, pauseCampaignsOf, verdictOf } from './engine-sending.ts'
import { OUTCOME_UNKNOWN, recordOutcome } from './service-outcomes.ts'
import { wakeAccount } from './service-schedule.ts'
import { releaseIfArchived } from './service-stopping.ts'

/**
 * Starts settling messages of dead workers and expired leases, whose reports no longer count.
 * Resumes direct messages of reconnected accounts; campaigns wait for a user.
 */
export async function takeOver(db: Db): Promise<void> {
  await db.execute(sql`
    update dms set outcome_unknown = true, due_at = now(), lease = gen_random_uuid(), updated_at = now()
    where lease_expires_at is not null and status = 'queued' and not outcome_unknown and holder like 'worker:%'
      and (lease_expires_at < now() or substr(holder, 8)::bigint not in (${livingWorkers}))`)
  await transact(db, async (tx) => {
    const { rows } = await tx.execute<{ accountId: string }>(sql`
      update campaigns set status = 'active', reason = null, pause_reason = null, updated_at = now()
      where id in (
        select c.id from campaigns c join x_accounts a on a.id = c.x_account_id
        where c.kind = 'direct' and c.status = 'paused' and c.reason is not null and a.status = 'connected' and a.last_connected_at > c.updated_at
        order by c.id for no key update of c)
      returning x_account_id as "accountId"`)
    for (const id of [...new Set(rows.map(({ accountId }) => accountId))].sort()) await wakeAccount(tx, id)
  })
}

const SETTLE_BATCH = 8
/** How long a process has a message to itself while settling it. */
const SETTLE_SECONDS = 60

/**
 * Settles messages with an unknown outcome by reading their conversations.
 * @returns milliseconds until the next is due; null if there is none left
 */
export async function settle(needs: Needs, timing: Timing): Promise<number | null> {
  const { db } = needs.database
  const { rows } = await db.execute<Unsettled>(sql`
    with taken as (
      update dms set due_at = now() + make_interval(secs => ${SETTLE_SECONDS}), lease = gen_random_uuid()
      where id in (
        select id from dms where lease_expires_at is not null and outcome_unknown and status = 'queued' and due_at <= now()
        order by due_at limit ${SETTLE_BATCH} for update skip locked
      )
      returning *
    )
    select t.id, t.lease, t.campaign_id as "campaignId", t.message, t.tried_at as "triedAt",
      (extract(epoch from now() - t.claimed_at) * 1000)::float as "ageMs",
      a.id as "accountId", a.x_user_id as "senderId", l.twitter_handle as handle, l.x_user_id as "leadXUserId"
    from taken t left join x_accounts a on a.id = t.x_account_id left join leads l on l.id = t.lead_id`)
  await Promise.all(rows.map((dm) => settleOne(needs, timing, dm)))
  const { rows: waiting } = await db.execute<{ ms: number | null }>(
    sql`select (extract(epoch from min(due_at) - now()) * 1000)::float as ms from dms where lease_expires_at is not null and outcome_unknown and status = 'queued'`,
  )
  return waiting[0]?.ms ?? null
}

type Unsettled = {
  id: string
  lease: string
  campaignId: string
  message: string
  triedAt: string
  ageMs: number
  accountId: string | null
  senderId: string
  handle: string | null
  leadXUserId: string | null
}

async function settleOne(needs: Needs, timing: Timing, dm: Unsettled): Promise<void> {
  const { db } = needs.database
  const giveUp = () =>
    transact(db, (tx) => recordOutcome(tx, dm, { wasSent: false, errorMessage: OUTCOME_UNKNOWN, outcomeUnknown: true }))
  const { accountId } = dm
  if (!accountId || !dm.handle) {
    await giveUp()
    return
  }
  let eventId: string | null
  try {
    const recipientId = dm.leadXUserId ?? (await lookUp(needs, accountId, dm.handle))
    eventId = recipientId
      ? await findInConversation(needs, {
          id: dm.id,
          accountId,
          senderId: dm.senderId,
          message: dm.message,
          recipientId,
          since: new Date(dm.triedAt),
        })
      : null
  } catch (error) {
    if (!(error instanceof XError)) throw error
    const verdict = verdictOf(error, dm.handle)
    if (verdict.kind === 'failed') await giveUp()
    else if (verdict.kind === 'wait') await checkLater(db, dm, (verdict.until.getTime() - Date.now()) / 1000)
    else await checkLater(db, dm, verdict.kind === 'stop' ? SETTLE_SECONDS : 10)
    if (verdict.kind === 'stop') await transact(db, (tx) => pauseCampaignsOf(tx, accountId, verdict))
    return
  }
  if (eventId) {
    const found = eventId
    await transact(db, (tx) => recordOutcome(tx, dm, { wasSent: true, eventId: found }))
  } else if (dm.ageMs < timing.settleAfterMs) {
    await checkLater(db, dm, (timing.settleAfterMs - dm.ageMs) / 1000)
  } else {
    await transact(db, async (tx) => {
      const { rowCount } = await tx.execute(sql`
        update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, outcome_unknown = false, due_at = now(), updated_at = now()
        where id = ${dm.id} and lease = ${dm.lease} and status = 'queued'`)
      if (rowCount) await releaseIfArchived(tx, sql`${dm.id}`)
      await wakeAccount(tx, accountId)
    })
  }
}

async function checkLater(db: Db, dm: Pick<Unsettled, 'id' | 'lease'>, seconds: number): Promise<void> {
  await db.execute(
    sql`update dms set due_at = now() + make_interval(secs => ${Math.max(0, seconds)}) where id = ${dm.id} and lease = ${dm.lease} and outcome_unknown`,
  )
}
