import type { PauseReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { reasonValue } from '../../../db/reasons.ts'
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
  const last = await countLast(tx, dmId, REFUSALS_OF, sql`status <> 'queued'`, sql`refusal = 'refused'`)
  if (!last) return
  const { refusalPercent } = await findProtection(tx, last.workspaceId)
  if (last.matching * 100 < refusalPercent * REFUSALS_OF) return
  await pause(tx, last, { code: 'refusals', params: { refused: last.matching, of: last.total } })
}

/** Pauses the campaign of a message that led to an opt-out, after too many of them. */
export async function checkOptOuts(tx: Db, dmId: string): Promise<void> {
  const isOptOut = sql`exists (select from replies r where r.dm_id = recent.id and r.opted_out)`
  const last = await countLast(tx, dmId, OPT_OUTS_OF, sql`sent_at is not null`, isOptOut)
  if (!last || last.total < OPT_OUTS_FROM) return
  const { optOutsPerHundred } = await findProtection(tx, last.workspaceId)
  if (last.matching < optOutsPerHundred) return
  await pause(tx, last, { code: 'opt_outs', params: { optOuts: last.matching, of: last.total } })
}

/** Whether most of a campaign's last messages reached a closed inbox. */
export async function hasClosedInboxes(db: Db, workspaceId: string, campaignId: string): Promise<boolean> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from dms where campaign_id = ${campaignId} and status = 'failed' and refusal = 'closed' order by created_at desc, id desc limit 1`)
  const last =
    rows[0] && (await countLast(db, rows[0].id, REFUSALS_OF, sql`status <> 'queued'`, sql`refusal = 'closed'`))
  if (!last) return false
  const { closedInboxPercent } = await findProtection(db, workspaceId)
  return last.matching * 100 >= closedInboxPercent * REFUSALS_OF
}

type Last = { campaignId: string; workspaceId: string; xAccountId: string; total: number; matching: number }

/** Counts the last messages of a message's campaign since it was activated; null: it is a direct one. */
async function countLast(db: Db, dmId: string, most: number, which: SQL, matching: SQL): Promise<Last | null> {
  const { rows } = await db.execute<Last>(sql`
    select c.id as "campaignId", c.workspace_id as "workspaceId", m.x_account_id as "xAccountId", counted.*
    from dms m join campaigns c on c.id = m.campaign_id cross join lateral (
      select count(*)::int as total, (count(*) filter (where ${matching}))::int as matching from (
        select * from (
          select * from dms where x_account_id = m.x_account_id and claimed_at is not null order by claimed_at desc limit ${CLAIMS_CHECKED}
        ) claimed
        where campaign_id = c.id and claimed_at >= coalesce(c.watched_from, '-infinity') and ${which} order by claimed_at desc limit ${most}
      ) recent
    ) counted
    where m.id = ${dmId} and c.kind = 'campaign'`)
  return rows[0] ?? null
}

async function pause(tx: Db, { campaignId, xAccountId }: Last, reason: PauseReason): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    update campaigns set status = 'paused', reason = ${reasonValue(reason)}, pause_reason = null, updated_at = now()
    where id = ${campaignId} and status = 'active'`)
  if (rowCount) await endTurn(tx, xAccountId)
}
