import type { CampaignWait } from '@x-automated/contract/outreach/sending-settings'
import { HOUR_MS } from '@x-automated/contract/time'
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'
import { usageOf } from '../neighbors.ts'
import { dms, isFirstInQueue, isInQueue } from '../tables/messages.ts'
import { waitsForRead } from '../tables/replies.ts'
import { findCurrentAccount } from './accounts.ts'
import { type Cooldown, holdOf } from './limits.ts'
import { findSendingState, type SendingEnv } from './sending-state.ts'

// What campaigns wait for

interface Sending {
  id: string
  status: string
  dmsQueuedCount: number
  waiting: boolean
  channel: 'api' | 'extension'
  xAccountId: string | null
  /** When people who wait for plan quota get their message; null: nobody waits. */
  nextPartAt: Date | null
  nextFollowUpAt: Date | null
}
type Wait = { reason: CampaignWait['reason']; until: Date | null }
type WithWait<C> = C & { waitingFor: Wait | null }
interface Needs {
  db: Db
  env: SendingEnv
  actor: Pick<Actor, 'workspaceId'>
}

/** Adds what each campaign waits for. Queries once per X account, not per campaign. */
export async function withWaits<C extends Sending>(needs: Needs, campaigns: readonly C[]): Promise<WithWait<C>[]> {
  const { db } = needs
  const { workspaceId } = needs.actor
  const active = campaigns.filter(({ status }) => status === 'active')
  const sending = active.filter((campaign) => campaign.dmsQueuedCount > 0 && !campaign.waiting)
  const ids = [...new Set(active.map(({ xAccountId }) => xAccountId))].filter((id) => id !== null)
  const accounts = ids.length > 0 ? await db.select().from(xAccounts).where(inArray(xAccounts.id, ids)) : []
  const connected = new Set(accounts.filter(({ status }) => status === 'connected').map(({ id }) => id))
  const sendingIds = sending.map(({ id }) => id)
  const [limitsOf, blind, delayed] = await Promise.all([
    findCooldowns(needs, sending),
    findBlind(db, sendingIds),
    findDelayed(db, sendingIds),
  ])
  const soon = new Date(Date.now() + HOUR_MS)
  const mayLackRoom = campaigns.some(({ nextFollowUpAt }) => nextFollowUpAt && nextFollowUpAt < soon)
  const usage = mayLackRoom ? (await usageOf(db, workspaceId, 'dms')).usage : null
  const planResetsAt = usage?.remaining === 0 ? usage.resetsAt : null
  const waitOf = (campaign: C): Wait | null => {
    if (campaign.status !== 'active') return null
    if (campaign.channel === 'api' && !connected.has(campaign.xAccountId ?? ''))
      return { reason: 'account', until: null }
    if (campaign.waiting) return { reason: 'turn', until: null }
    if (!sending.includes(campaign)) return planWaitOf(campaign, planResetsAt)
    const own: Wait | null =
      delayed.get(campaign.id) ?? (blind.has(campaign.id) ? { reason: 'detection', until: null } : null)
    return holdOf(limitsOf(campaign), own)
  }
  return campaigns.map((campaign) => ({ ...campaign, waitingFor: waitOf(campaign) }))
}

/** Campaigns whose next message is a follow-up that waits for a read of its account. */
async function findBlind(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await db.execute<{ id: string }>(sql`
    select c.id from campaigns c cross join lateral (
      select *
      from dms
      where campaign_id = c.id and ${isInQueue} and is_follow_up and due_at <= now()
      order by due_at, id
      limit 1
    ) d
    where c.id = any(${sql.param(ids)}::uuid[]) and c.firsts_queued_count = 0 and ${waitsForRead(alias(dms, 'd'))}`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Until when the next message of each campaign waits, because another campaign has messaged the
 * lead or X did not show whether the lead can be messaged.
 */
async function findDelayed(db: Db, ids: readonly string[]): Promise<Map<string, Wait & { until: Date }>> {
  if (ids.length === 0) return new Map()
  const head = (which: SQL) => sql`(
    select lead_id, due_at, inbox_unclear_until
    from dms
    where campaign_id = c.id and ${which}
    order by due_at, id
    limit 1)`
  const isApart = sql`
    coalesce(l.last_claimed_at > now() - interval '1 day' and l.last_claimed_campaign_id is distinct from c.id, false)`
  const { rows } = await db.execute<{ id: string; reason: 'day_apart' | 'inbox_unclear'; until: string }>(sql`
    select c.id, case when ${isApart} then 'day_apart' else 'inbox_unclear' end as reason,
      greatest(d.due_at, case when ${isApart} then l.last_claimed_at + interval '1 day' end) as until
    from campaigns c cross join lateral (
      select *
      from (${head(isFirstInQueue)} union all ${head(sql`${isInQueue} and is_follow_up`)}) heads
      order by due_at
      limit 1
    ) d join leads l on l.id = d.lead_id
    where c.id = any(${sql.param(ids)}::uuid[]) and d.due_at > now() and (${isApart} or d.inbox_unclear_until > now())`)
  return new Map(rows.map(({ id, reason, until }) => [id, { reason, until: new Date(until) }]))
}

/** Until when a campaign with nothing queued waits for the plan's quota. @param resetsAt null: the plan has room */
function planWaitOf(
  { status, dmsQueuedCount, nextPartAt, nextFollowUpAt }: Sending,
  resetsAt: Date | null,
): Cooldown | null {
  const until = nextPartAt ?? (nextFollowUpAt && resetsAt)
  return status === 'active' && dmsQueuedCount === 0 && until ? { until, reason: 'plan' } : null
}

/** A sender: an X account, or the current account if `xAccountId` is null. */
type SenderOf = Pick<Sending, 'channel' | 'xAccountId'>

/** Finds until when the limits make each of these senders wait, with one query per sender. */
export async function findCooldowns(
  { db, env, actor: { workspaceId } }: Needs,
  senders: readonly SenderOf[],
): Promise<(sender: SenderOf) => Cooldown | null> {
  const keyOf = ({ channel, xAccountId }: SenderOf) => `${channel} ${xAccountId}`
  const cooldowns = new Map<string, Cooldown | null>()
  for (const { channel, xAccountId } of senders) {
    const key = keyOf({ channel, xAccountId })
    if (cooldowns.has(key)) continue
    const [account = null] = xAccountId
      ? await db.select().from(xAccounts).where(eq(xAccounts.id, xAccountId))
      : [await findCurrentAccount(db, workspaceId)]
    const { cooldown, now } = await findSendingState(db, env, { workspaceId, account, channel })
    // Jitter can delay the next message beyond the interval.
    const next = account?.nextSendAt ?? null
    const isPutOff = next !== null && next > (cooldown?.until ?? now)
    cooldowns.set(
      key,
      isPutOff && cooldown?.reason !== 'funds' ? { reason: cooldown?.reason ?? 'pause', until: next } : cooldown,
    )
  }
  return (sender) => cooldowns.get(keyOf(sender)) ?? null
}

/** `withWaits` for one campaign. */
export async function withWait<C extends Sending>(needs: Needs, campaign: C): Promise<WithWait<C>> {
  return one(await withWaits(needs, [campaign]))
}
