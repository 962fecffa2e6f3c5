import type { PauseReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { reasonValue } from '../../../db/reasons.ts'
import { publishEvents } from '../../platform/events/service.ts'
import { findProtection } from '../sending-settings/service.ts'
import { endTurn } from './limits.ts'
import type { dms } from './tables.ts'

/*
 * A campaign pauses itself when X or people reject too many of its messages. Only bad news is a
 * reason to look, so a message that goes well costs nothing.
 */

export type XRefusal = NonNullable<(typeof dms.$inferSelect)['refusal']>

const REFUSALS_OF = 50
const OPT_OUTS_OF = 100
/** Opt-outs of fewer messages say little. */
const OPT_OUTS_FROM = 50
/** Claims of the account to look through for those of one campaign. */
const CLAIMS_CHECKED = 1_000

/** Stores why X did not take a failed message, and pauses its campaign after too many refusals. */
export async function recordRefusal(tx: Db, dmId: string, refusal: XRefusal): Promise<void> {
  await tx.execute(sql`update dms set refusal = ${refusal} where id = ${dmId}`)
  if (refusal === 'closed') return
  const last = await countLast(tx, campaignOf(dmId), REFUSALS_OF, sql`status <> 'queued'`, sql`refusal = 'refused'`)
  if (!last) return
  const { refusalPercent } = await findProtection(tx, last.workspaceId)
  if (last.matching * 100 < refusalPercent * REFUSALS_OF) return
  await pause(tx, last, { code: 'refusals', params: { refused: last.matching, of: last.total } })
}

/** Pauses the campaign of a message that led to an opt-out, after too many of them. */
export async function checkOptOuts(tx: Db, dmId: string): Promise<void> {
  const isOptOut = sql`exists (select from replies r where r.dm_id = recent.id and r.opted_out)`
  const last = await countLast(tx, campaignOf(dmId), OPT_OUTS_OF, sql`sent_at is not null`, isOptOut)
  if (!last || last.total < OPT_OUTS_FROM) return
  const { optOutsPerHundred } = await findProtection(tx, last.workspaceId)
  if (last.matching < optOutsPerHundred) return
  await pause(tx, last, { code: 'opt_outs', params: { optOuts: last.matching, of: last.total } })
}

/** Whether most of a campaign's last messages from an account met a closed inbox. */
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

/** SQL of the campaign of a message, and of the account that sent it. */
const campaignOf = (dmId: string) => sql`select campaign_id as id, x_account_id from dms where id = ${dmId}`

/** Counts the last messages of a campaign from an account since it was activated; null: it is 'Direct'. */
async function countLast(db: Db, campaign: SQL, most: number, which: SQL, matching: SQL): Promise<Last | null> {
  const { rows } = await db.execute<Last>(sql`
    select c.id as "campaignId", c.workspace_id as "workspaceId", looked.x_account_id as "xAccountId", counted.*
    from (${campaign}) looked join campaigns c on c.id = looked.id cross join lateral (
      select count(*)::int as total, (count(*) filter (where ${matching}))::int as matching from (
        select * from (
          select * from dms where x_account_id = looked.x_account_id and claimed_at is not null order by claimed_at desc limit ${CLAIMS_CHECKED}
        ) claimed
        where campaign_id = c.id and claimed_at >= coalesce(c.watched_from, '-infinity') and ${which} order by claimed_at desc limit ${most}
      ) recent
    ) counted
    where c.kind = 'campaign'`)
  return rows[0] ?? null
}

async function pause(tx: Db, { workspaceId, campaignId, xAccountId }: Last, reason: PauseReason): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    update campaigns set status = 'paused', reason = ${reasonValue(reason)}, pause_reason = null, updated_at = now()
    where id = ${campaignId} and status = 'active'`)
  if (!rowCount) return
  await endTurn(tx, xAccountId)
  await publishEvents(tx, workspaceId, 'campaign', [campaignId])
}
