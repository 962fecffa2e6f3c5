import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InputOf } from '@x-automated/contract/contract'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { LEASE_SECONDS } from '@x-automated/contract/outreach/sending'
import type { WaitReason } from '@x-automated/contract/outreach/sending-settings'
import { leftoverIn, MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { refusalText, type SkipReason } from '@x-automated/contract/reason'
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { parseTime } from '../../../db/parse-time.ts'
import { executePrepared } from '../../../db/prepared.ts'
import { transact } from '../../../db/transact.ts'
import type { JobQueue } from '../../../ports.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { leads, lostHandleReason, mayGoOut, sampleReason } from '../../leads/leads/tables.ts'
import { suppressionReason } from '../../leads/suppressions/tables.ts'
import { allowanceOf, beyondPlan, use } from '../../platform/billing/service.ts'
import { requireConnectedAccount } from '../../platform/x-account/service.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { deleteAppClaims } from '../../platform/x-apps/tables.ts'
import { fundsRefusal } from '../../platform/x-costs/service.ts'
import { campaigns, waitsForOlder } from '../campaigns/tables.ts'
import { isChatUnread, isReplyKnown } from '../replies/tables.ts'
import { claimThatLeavesTheDay, lastHandOver, pauseSecondsOf, type SendingEnv } from '../sending-settings/service.ts'
import {
  type AccountApp,
  appTurn,
  blindSecondsOf,
  CHAT_UNREAD_SECONDS,
  claimCooldown,
  extensionOf,
  intervalSeconds,
  knownSecondsOf,
  type Locked,
  limitsOf,
  lockDue,
  lockFor,
  manualSender,
  needsRead,
  nextSend,
  RETRY_MS,
  requestRead,
  reschedule,
  type Sender,
  SIMULATION,
  TURN_SECONDS,
  workerOf,
} from './limits.ts'
import { compileTemplate, lockLeads, lockQueueing, openDirectCampaign, readTemplate } from './queue.ts'
import { LEAD_MISSING, recordOutcome } from './record.ts'
import {
  pauseForPlaceholder,
  reasonToStop,
  release,
  resetLastClaims,
  resetLeadStatus,
  shownLeftover,
  skipMessage,
} from './stop.ts'
import { FIRST_OF, isFirstInQueue, isFollowUpOf, isInQueue } from './tables.ts'

/** What a claim returns: a message, or why there is none. */
type Answer =
  | ({ kind: 'claimed' } & Taken)
  /** `isTurn`: another campaign on the account sends first. */
  | { kind: 'wait'; until: Date; reason: WaitReason | null; now: Date; isTurn?: true; locked: Locked }
  /** Nothing to claim now. `locked`: null if its campaign may not send. */
  | { kind: 'nothing'; locked: Locked | null }
  /** No due account is free. */
  | { kind: 'idle' }

interface Taken {
  id: string
  lease: string
  leaseExpiresAt: Date
  message: string
  /** Null if the lead was deleted. */
  lead: { id: string; handle: string; xUserId: string | null; isIdChecked: boolean } | null
  suppressed: SkipReason | null
  /** When an earlier attempt may first have sent it; null if none can have. */
  triedSince: Date | null
  /** A person queued it again since then, after looking at its conversation. */
  isDecided: boolean
  /** The interval to the account's next message, in seconds. */
  pauseSeconds: number
  sender: Sender
  locked: Locked
}

/** The campaign to claim from, which the caller has locked, and possibly one message of it. */
interface Scope {
  /** With the account whose follow-ups are claimed, or that sends its first messages. */
  campaign: { id: string; workspaceId: string; xAccountId: string | null }
  isFollowUp?: boolean
  dmId?: string
}

/** A claim looks at no more messages whose people must be left alone for now. */
const DELAYS_MAX = 50

/**
 * Claims a message for one X account, if its limits allow it and no older campaign sends first:
 * the next of the account that has been due longest, or of a campaign. Everyone claims here.
 */
async function claim(tx: Db, env: SendingEnv, sender: Sender, scope: Scope | 'due'): Promise<Answer> {
  const found =
    scope === 'due' ? await lockDue(tx, env) : await lockFor(tx, env, sender, scope.campaign, scope.isFollowUp ?? false)
  if (!found) return { kind: 'idle' }
  const locked = limitsOf(env, sender, found)
  const { account, now } = locked
  for (let delays = 0; ; ) {
    const next = locked.campaignId ? await take(tx, env, sender, locked, scope === 'due' ? null : scope.dmId) : null
    const leftover = next?.lease && next.lead && !next.isFilled ? leftoverIn(next.message) : null
    if (leftover && next?.lease && locked.campaignId) {
      await release(tx, sql`id = ${next.id} and lease = ${next.lease}`)
      const { workspaceId, campaignId } = locked
      if (next.isOfCampaign)
        await pauseForPlaceholder(tx, { workspaceId, campaignId, xAccountId: account?.id ?? null }, leftover)
      else
        await skipMessage(tx, next.id, {
          reason: { code: 'placeholder', params: { written: shownLeftover(leftover) } },
        })
    } else if (next?.lease) {
      const taken = { ...next, lease: next.lease, sender, locked }
      if (taken.lead || !sender.skips) return { kind: 'claimed', ...taken }
      await recordOutcome(tx, taken, { wasSent: false, reason: LEAD_MISSING })
    } else if (next?.stopped && !next.isWaiting && !next.isLocked)
      await skipMessage(tx, next.id, { reason: next.stopped })
    else if (next?.isDelayed && delays < DELAYS_MAX) delays += 1
    else {
      const waitMs = waitMsOf(next, sender)
      const until = waitMs === null ? (next?.until ?? null) : new Date(now.getTime() + waitMs)
      // If the limits allow it, something else may be due before this message.
      const limitedUntil = waitMs === null ? (next?.limitedUntil ?? null) : until
      if (scope === 'due' && account) await reschedule(tx, account.id, now, limitedUntil)
      if (!until) return { kind: 'nothing', locked }
      const reason = waitMs === null ? (next?.limitedBy ?? null) : null
      return { kind: 'wait', until, reason, now, locked, ...(next?.isWaiting ? { isTurn: true } : {}) }
    }
  }
}

/** How long to wait before another look, if the limits do not decide; null: they do. */
function waitMsOf(next: Awaited<ReturnType<typeof take>>, sender: Sender): number | null {
  if (next?.isWaiting) return TURN_SECONDS * 1_000
  if (next?.isLocked) return RETRY_MS
  return next?.isBlind ? blindSecondsOf(sender) * 1_000 : null
}

/** The account that has to be read before a follow-up leaves; null: none, or somebody has asked for it. */
function unreadAccountOf(answer: Answer): string | null {
  if (answer.kind === 'idle' || !answer.locked?.needsRead) return null
  return answer.locked.account?.xUserId ?? null
}

type NextRow = {
  lastAt: string | null
  leavesAt: string | null
  appTurnAt: string | null
  id: string | null
  isOfCampaign: boolean
  /** See `dms.is_filled`. */
  isFilled: boolean
  dueAt: string
  triedAt: string | null
  isDecided: boolean
  message: string
  isWaiting: boolean
  /** Someone else has locked the lead. */
  isLocked: boolean
  stopped: SkipReason | null
  isClaimed: boolean
  /** It is due again later. */
  isDelayed: boolean
  /** Its account has to be read first. */
  isBlind: boolean
  needsRead: boolean
  leadId: string | null
  handle: string
  leadXUserId: string | null
  /** X has shown the id with the handle. */
  isIdChecked: boolean
  suppressed: SkipReason | null
}

/**
 * Finds the campaign's next message that no one has locked, and claims it if it is due and nothing
 * speaks against it: then it has a lease. Null: nothing is queued.
 */
async function take(tx: Db, env: SendingEnv, sender: Sender, locked: Locked, dmId?: string | null) {
  const { byApi, byHand, isAnswer, maySend, skips } = sender
  const { account, cap, campaignId, claims, claimedAt, isFollowUp, now } = locked
  const app = byApi && locked.app?.dailyLimit != null ? locked.app : null
  const lease = randomUUID()
  const pauseSeconds = pauseSecondsOf(locked.accountLimits, env)
  const accountId = sql`${account?.id ?? null}::uuid`
  const isNext = isFollowUp ? isFollowUpOf(accountId) : isFirstInQueue
  const mayBeBlind = isFollowUp && maySend
  const xUserId = sql`${account?.xUserId ?? null}::text`
  // A campaign that a worker claims from is not locked, so it is checked again.
  const isSending = [
    ...(isAnswer ? [] : [sql`c.status = 'active'`]),
    ...(byApi ? [sql`c.channel = 'api'`] : []),
    ...(byApi && !isFollowUp && !isAnswer ? [sql`c.x_account_id = ${accountId}`] : []),
  ]
  // Within one campaign, the delay of its step decides.
  const apartUntil = byHand
    ? sql`null::timestamptz`
    : sql`case when c.kind = 'direct' or l.last_claimed_campaign_id is distinct from c.id then l.last_claimed_at + interval '1 day' end`
  const chatReadAt = mayBeBlind
    ? sql`case when ${isChatUnread(xUserId, sql`l.x_user_id`)} then before.at + make_interval(secs => ${CHAT_UNREAD_SECONDS}) end`
    : sql`null::timestamptz`
  const isWithinLimits = claimCooldown(env, sender, locked, { lastAt: null, leavesAt: null, appTurnAt: null }) === null
  const isIntervalOver = sender.hasInterval
    ? sql`coalesce(last_at, '-infinity') <= at + make_interval(secs => ${-intervalSeconds(env, sender, locked)})`
    : sql`true`
  const nextSendAt = sql`${nextSend(now, pauseSeconds).toISOString()}::timestamptz`
  const { rows } = await executePrepared<NextRow>(
    tx,
    sql`
    with before as materialized (
      select ${claimedAt}::timestamptz as at, (${lastHandOver(claims)}) as last_at,
        (${claimThatLeavesTheDay(claims, cap.cap)}) + interval '1 day' as leaves_at,
        (${appTurn(app, account?.id ?? null)}) as app_turn_at,
        ${mayBeBlind ? sql`not ${isReplyKnown(xUserId, knownSecondsOf(sender))}` : sql`false`} as is_blind,
        ${mayBeBlind ? needsRead(xUserId, knownSecondsOf(sender)) : sql`false`} as needs_read
    ), head as materialized (
      select * from dms
      where campaign_id = ${campaignId} and ${isNext} ${dmId ? sql`and id = ${dmId}` : sql``}
      order by due_at, id limit 1 for update skip locked
    ), person as materialized (
      -- Two accounts must not message one person at the same time.
      select l.* from head d join leads l on l.id = d.lead_id for no key update of l skip locked
    ), next as materialized (
      select d.*, c.kind, ${isFollowUp ? sql`false` : waitsForOlder('c')} as is_waiting,
        d.lead_id is not null and l.id is null as is_locked,
        coalesce(${sampleReason('l', env)}, ${maySend && !byApi ? lostHandleReason('l') : sql`null::jsonb`}, ${skips ? reasonToStop('l', 'd') : sql`null::jsonb`}) as stopped,
        greatest(${apartUntil}, ${chatReadAt}) as later_at
      from head d cross join before join campaigns c on c.id = d.campaign_id left join person l on l.id = d.lead_id
      where ${sql.join([sql`true`, ...isSending], sql` and `)}
    ), free as materialized (
      select next.*, coalesce(later_at > at, false) as is_too_soon from next, before
      where due_at <= at and not is_blind and not is_waiting and not is_locked and stopped is null
    ), delayed as (
      update dms d set due_at = later_at, updated_at = at
      from free, before where d.id = free.id and is_too_soon
      returning d.id
    ), claimed as (
      update dms d set lease = ${lease}, holder = ${sender.holder}, x_account_id = ${accountId},
        ${maySend ? sql`attempts = d.attempts + 1, tried_at = coalesce(d.tried_at, at), is_handed_over = false,` : sql``}
        claimed_at = at, lease_expires_at = at + make_interval(secs => ${LEASE_SECONDS}), updated_at = at
      from free, before
      where d.id = free.id and not is_too_soon and ${isWithinLimits}::boolean and leaves_at is null and app_turn_at is null and ${isIntervalOver}
      returning d.id, d.lead_id, d.campaign_id, free.kind
    ), contact as (
      update leads l set last_claimed_at = at, last_claimed_campaign_id = claimed.campaign_id
      from claimed, before where l.id = claimed.lead_id ${isAnswer ? sql`and false` : sql``}
    ), schedule as (
      update x_accounts set next_send_at = ${byHand ? sql`greatest(next_send_at, ${nextSendAt})` : nextSendAt},
        follow_ups_in_row = case when claimed.kind = 'direct' then follow_ups_in_row else ${isFollowUp ? sql`follow_ups_in_row + 1` : sql`0`} end
      from claimed where x_accounts.id = ${accountId} ${byHand ? sql`and next_send_at is not null` : sql``}
    )${app ? sql`, app_claim as (${insertAppClaim(app, accountId)})` : sql``}
    select last_at as "lastAt", leaves_at as "leavesAt", app_turn_at as "appTurnAt",
      n.id, n.kind = 'campaign' as "isOfCampaign", n.is_filled as "isFilled", n.due_at as "dueAt", n.tried_at as "triedAt", coalesce(n.requeued_at > coalesce(n.claimed_at, n.tried_at), false) as "isDecided", n.message, n.stopped, n.is_waiting as "isWaiting", n.is_locked as "isLocked",
      exists (select from delayed) as "isDelayed", exists (select from claimed) as "isClaimed", is_blind as "isBlind", needs_read as "needsRead",
      l.id as "leadId", l.twitter_handle as handle, l.x_user_id as "leadXUserId", l.x_user_checked_at is not null as "isIdChecked", ${suppressionReason('l')} as suppressed
    from before left join next n on true left join person l on l.id = n.lead_id`,
  )
  const row = one(rows)
  locked.needsRead ||= row.needsRead
  if (!row.id) return null
  const cooldown = claimCooldown(env, sender, locked, {
    lastAt: parseTime(row.lastAt),
    leavesAt: parseTime(row.leavesAt),
    appTurnAt: parseTime(row.appTurnAt),
  })
  const untilMs = Math.max(new Date(row.dueAt).getTime(), cooldown?.until.getTime() ?? 0)
  return {
    ...readNext(row),
    id: row.id,
    lease: row.isClaimed ? lease : null,
    leaseExpiresAt: new Date(now.getTime() + LEASE_SECONDS * 1_000),
    pauseSeconds,
    limitedUntil: cooldown?.until ?? null,
    limitedBy: cooldown?.reason ?? null,
    until: new Date(untilMs),
  }
}

/** SQL over `claimed` and `before`: counts the claim toward the app's 24 hours. */
function insertAppClaim({ clientId }: AccountApp, accountId: SQL): SQL {
  return sql`insert into x_app_claims (dm_id, client_id, x_account_id, claimed_at)
      select claimed.id, ${clientId}, ${accountId}, at from claimed, before
      on conflict (dm_id) do update set client_id = excluded.client_id, x_account_id = excluded.x_account_id, claimed_at = excluded.claimed_at`
}

function readNext(row: NextRow) {
  return {
    isOfCampaign: row.isOfCampaign,
    message: row.message,
    lead: row.leadId
      ? { id: row.leadId, handle: row.handle, xUserId: row.leadXUserId, isIdChecked: row.isIdChecked }
      : null,
    suppressed: row.suppressed,
    stopped: row.stopped,
    isWaiting: row.isWaiting,
    isLocked: row.isLocked,
    isFilled: row.isFilled,
    isDelayed: row.isDelayed,
    isBlind: row.isBlind,
    triedSince: parseTime(row.triedAt),
    isDecided: row.isDecided,
  }
}

// By workers

/** A message that this process has claimed. */
export interface Claimed extends Omit<Taken, 'leaseExpiresAt' | 'locked'> {
  campaignId: string
  workspaceId: string
  /** The X account that sends it. */
  accountId: string
  /** That account's user id at X. */
  senderId: string
  app: AccountApp
  /** `performance.now()` before the claim began. */
  claimedAt: number
  /** `performance.now()` once every other transaction sees the claim; by default `claimedAt`. */
  visibleAt?: number
}

/** A message that was claimed for a connected account. */
function claimedFrom({ locked, leaseExpiresAt: _, ...taken }: Taken): Omit<Claimed, 'claimedAt'> {
  const { account, app, campaignId, workspaceId } = locked
  if (!account || !app || !campaignId) throw new Error('a worker claimed without an account')
  return { ...taken, campaignId, workspaceId, accountId: account.id, senderId: account.xUserId, app }
}

/** How long this process waits with its next claim while replies arrive faster than they are stored. */
const YIELD_MS = 50
/** By `performance.now()`. */
let yieldsUntil = 0

/**
 * Claims the next message of the account that has been due longest. In a burst of replies it waits a
 * little, since they stop messages: more slowly, but all accounts still send.
 * @returns `claimed`: null if that account must wait. `isIdle`: no due account is free to claim.
 * `unread`: an X user for whom the caller calls `requestRead`; null: none
 */
export async function claimDue(
  db: Db,
  workerId: number,
  env: SendingEnv,
): Promise<{ claimed: Claimed | null; isIdle: boolean; unread: string | null }> {
  const yieldMs = yieldsUntil - performance.now()
  if (yieldMs > 0) await sleep(yieldMs)
  const claimedAt = performance.now()
  const answer = await db.transaction((tx) => claim(tx, env, workerOf(workerId), 'due'))
  if (answer.kind !== 'idle' && answer.locked?.areRepliesBehind) yieldsUntil = performance.now() + YIELD_MS
  const [isIdle, unread] = [answer.kind === 'idle', unreadAccountOf(answer)]
  if (answer.kind !== 'claimed') return { claimed: null, isIdle, unread }
  return { claimed: { ...claimedFrom(answer), claimedAt, visibleAt: performance.now() }, isIdle, unread }
}

/**
 * Releases claims that committed after the worker lost its connection. Call it only while the
 * worker is not claiming. @param knownIds messages that the worker may have handed to X
 */
export async function releaseLostClaims(db: Db, workerId: number, knownIds: readonly string[]): Promise<void> {
  const isLost = sql`lease_expires_at is not null and holder = ${workerOf(workerId).holder} and not outcome_unknown
    and id <> all(${sql.param([...knownIds])}::uuid[])`
  await transact(db, (tx) => release(tx, isLost))
}

// By extensions and the simulated queue

/** `remember` stores the answer in the transaction that claims, so that a retry gets it again. */
type ClaimContext = Pick<RequestContext, 'db' | 'remember'> & { env: SendingEnv; jobs: Pick<JobQueue, 'reschedule'> }

/**
 * Gives the next message of one campaign to an extension. Leaves expired leases to `expireLeases`.
 * @throws Refusal CAMPAIGN_NOT_FOUND, _CHANNEL or _STATE
 */
export async function claimOne(context: ClaimContext, actor: Actor, { id, holder }: InputOf<'campaigns', 'claim'>) {
  const { db } = context
  const [campaign] = await db
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, actor.workspaceId)))
  if (campaign?.kind !== 'campaign') throw new Refusal('CAMPAIGN_NOT_FOUND')
  if (campaign.channel === 'api') throw new Refusal('CAMPAIGN_CHANNEL')
  if (campaign.status !== 'active')
    throw new Refusal('CAMPAIGN_STATE', `This campaign is ${campaign.status}. Only active campaigns send messages.`)
  const { taken, waits } = await claimByExtension(context, actor, holder, [id])
  if (taken) return toClaimAnswer(taken)
  return nothingDue(waits.length > 0 ? Math.min(...waits.map(secondsOf)) : await secondsUntilLeaseExpires(db, [id]))
}

/** What a campaign may send next. */
type Turn = { id: string; isFollowUp: boolean; xAccountId: string | null }

function scopeOf(campaign: typeof campaigns.$inferSelect, { isFollowUp, xAccountId }: Turn): Scope {
  return { campaign: { ...campaign, xAccountId: isFollowUp ? xAccountId : campaign.xAccountId }, isFollowUp }
}

/**
 * The order in which campaigns claim: due follow-ups, longest due first, then first messages in the
 * order of the ids. If a first message must come before more follow-ups, those are last.
 */
async function findTurns(db: Db, ids: readonly string[]): Promise<Turn[]> {
  const { rows } = await db.execute<{ id: string; xAccountId: string; isLast: boolean }>(sql`
    select c.id, f.x_account_id as "xAccountId", a.follow_ups_in_row >= ${FIRST_OF - 1} as "isLast"
    from campaigns c cross join lateral (
      select x_account_id, due_at from dms where campaign_id = c.id and ${isInQueue} and is_follow_up and due_at <= now() order by due_at, id limit 1
    ) f join x_accounts a on a.id = f.x_account_id
    where c.id = any(${sql.param(ids)}::uuid[]) order by f.due_at`)
  const followUps = (isLast: boolean) =>
    rows.filter((row) => row.isLast === isLast).map(({ id, xAccountId }) => ({ id, xAccountId, isFollowUp: true }))
  const firsts = ids.map((id) => ({ id, xAccountId: null, isFollowUp: false }))
  return [...followUps(false), ...firsts, ...followUps(true)]
}

/** Serializes with a pause: either this sees it, or it waits for this transaction. */
async function lockCampaign(tx: Db, { workspaceId }: Actor, id: string) {
  const [campaign] = await tx
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, workspaceId)))
    .for('no key update')
  return campaign
}

/** Like `claimOne`, for the oldest active extension campaign with a due message. */
export async function claimAny(
  context: ClaimContext,
  actor: Actor,
  { holder, signedInAs }: InputOf<'campaigns', 'claimAny'>,
) {
  const { db } = context
  const found = await findSendable(
    db,
    actor,
    sql`${campaigns.channel} = 'extension' and ${campaigns.kind} = 'campaign'`,
  )
  // Campaigns of other accounts come last: claiming one makes the extension report the mismatch.
  const sendable = found.filter(({ handle }) => !isDifferentAccount(handle, signedInAs))
  const ids = (sendable.length > 0 ? sendable : found).map(({ id }) => id)
  const { taken, waits } = await claimByExtension(context, actor, holder, ids)
  if (taken) return toClaimAnswer(taken)
  const ends = (await secondsUntilLeaseExpires(db, ids)) ?? Number.POSITIVE_INFINITY
  const soonest = Math.min(ends, ...waits.map(secondsOf))
  return nothingDue(Number.isFinite(soonest) ? soonest : null)
}

function isDifferentAccount(handle: string | null, signedInAs: string | undefined): boolean {
  return handle !== null && signedInAs !== undefined && handle.toLowerCase() !== signedInAs.toLowerCase()
}

/** The workspace's active campaigns with queued messages, oldest first. */
function findSendable(db: Db, { workspaceId }: Actor, which: SQL) {
  return db
    .select({ id: campaigns.id, handle: xAccounts.handle })
    .from(campaigns)
    .leftJoin(xAccounts, eq(xAccounts.id, campaigns.xAccountId))
    .where(
      and(
        eq(campaigns.workspaceId, workspaceId),
        eq(campaigns.status, 'active'),
        gt(campaigns.dmsQueuedCount, 0),
        which,
      ),
    )
    .orderBy(asc(campaigns.createdAt), asc(campaigns.id))
}

async function claimByExtension(context: ClaimContext, actor: Actor, holder: string, ids: readonly string[]) {
  const { db, env, remember } = context
  const keep = (tx: Db, taken: Taken) => remember(tx, toClaimAnswer(taken))
  const claimed = await claimFirst(db, env, actor, extensionOf(holder), ids, keep)
  for (const xUserId of claimed.unread) await requestRead(context, xUserId)
  return claimed
}

/**
 * Claims from the first of these campaigns that allows it. Each transaction locks one account.
 * @param db the pool @param keep runs in the transaction that claims
 * @returns `unread`: the X users whose accounts have to be read for follow-ups
 */
async function claimFirst(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  sender: Sender,
  ids: readonly string[],
  keep: (tx: Db, taken: Taken) => Promise<void> = async () => {},
) {
  const waits: Extract<Answer, { kind: 'wait' }>[] = []
  const unread = new Set<string>()
  for (const turn of await findTurns(db, ids)) {
    const answer = await transact(db, async (tx): Promise<Answer> => {
      const campaign = await lockCampaign(tx, actor, turn.id)
      // It may have changed since it was found.
      if (campaign?.status !== 'active' || (sender.maySend && campaign.channel === 'api'))
        return { kind: 'nothing', locked: null }
      const answer = await claim(tx, env, sender, scopeOf(campaign, turn))
      if (answer.kind === 'claimed') await keep(tx, answer)
      return answer
    })
    const account = unreadAccountOf(answer)
    if (account) unread.add(account)
    if (answer.kind === 'claimed') return { taken: answer, waits, unread }
    if (answer.kind === 'wait') waits.push(answer)
  }
  return { taken: null, waits, unread }
}

/** A message that the simulated queue has claimed. */
export interface SimulatedClaim {
  dmId: string
  lease: string
  campaignId: string
  handle: string
}

/**
 * Claims the workspace's next message for the simulated queue, oldest campaign first.
 * @returns null if nothing is queued
 */
export async function claimSimulated(
  db: Db,
  env: SendingEnv,
  actor: Actor,
): Promise<SimulatedClaim | { waitSeconds: number; isTurn: boolean } | null> {
  const ids = (await findSendable(db, actor, sql`true`)).map(({ id }) => id)
  const { taken, waits } = await claimFirst(db, env, actor, SIMULATION, ids)
  if (taken?.lead && taken.locked.campaignId)
    return { dmId: taken.id, lease: taken.lease, campaignId: taken.locked.campaignId, handle: taken.lead.handle }
  if (waits.length === 0) return null
  return {
    waitSeconds: Math.max(1, Math.ceil(Math.min(...waits.map(secondsOf)))),
    isTurn: waits.every(({ isTurn }) => isTurn === true),
  }
}

/**
 * Seconds until the first lease expires; null if no message is claimed. Until then the campaign is
 * not finished.
 */
async function secondsUntilLeaseExpires(db: Db, campaignIds: readonly string[]): Promise<number | null> {
  if (campaignIds.length === 0) return null
  const { rows } = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from min(lease_expires_at) - clock_timestamp())::float as seconds from dms
    where lease_expires_at is not null and campaign_id = any(${sql.param(campaignIds)}::uuid[])`)
  return one(rows).seconds
}

function secondsOf({ until, now }: { until: Date; now: Date }): number {
  return (until.getTime() - now.getTime()) / 1_000
}

function toClaimAnswer({ id: dmId, lease, leaseExpiresAt, lead, message, locked: { sendsAs } }: Taken) {
  if (!lead) throw new Error('a message without a lead was claimed')
  const { id: leadId, handle: twitterHandle, xUserId } = lead
  const body = { dmId, lease, leadId, twitterHandle, xUserId, message, leaseExpiresAt, sendsAs }
  return { status: 200 as const, body }
}

function nothingDue(seconds: number | null) {
  return {
    status: 204 as const,
    ...(seconds === null ? {} : { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } }),
  }
}

// By hand

/**
 * Creates an already claimed direct message, so no worker can take it. @param keep runs in the same
 * transaction @throws Refusal X_NOT_CONNECTED, LEAD_…, PLAN_LIMIT, RATE_LIMITED, INVALID_INPUT
 */
export async function claimDirect(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { leadId, message, templateVariables: { name, handle }, allowRepeat }: InputOf<'messages', 'send'>,
  holder: string,
  keep: (tx: Db, dmId: string) => Promise<void>,
) {
  const template = readTemplate('message', message)
  const { workspaceId } = actor
  return transact(db, async (tx) => {
    const { id: xAccountId } = await requireConnectedAccount(tx, workspaceId)
    await lockQueueing(tx, workspaceId)
    const rendered = compileTemplate(template, {
      name: sql`${name}::text`,
      twitterHandle: sql`${handle}::text`,
      metadata: sql`${leads.metadata}`,
      opener: sql`null::text`,
    })
    const [lead] = await tx
      .select({ text: rendered })
      .from(leads)
      .where(and(eq(leads.id, leadId), eq(leads.workspaceId, workspaceId)))
      .for('no key update')
    if (!lead) throw new Refusal('LEAD_NOT_FOUND')
    const { text } = lead
    if (text.trim() === '') throw invalidField('message', 'Please enter a message to send')
    if (text.length > MESSAGE_MAX)
      throw invalidField(
        'message',
        `This message is longer than ${formatNumber(MESSAGE_MAX)} characters with the variables filled in.`,
      )
    const obstacle = await findObstacle(tx, env, leadId, allowRepeat)
    if (obstacle) throw new Refusal('LEAD_STATE', obstacle)
    const allowance = await allowanceOf(tx, workspaceId, 'dms')
    if (allowance.left < 1) throw beyondPlan(allowance, 'dms')
    const campaignId = await openDirectCampaign(tx, actor, xAccountId)
    const dmId = await queueOne(tx, actor, { campaignId, leadId, text })
    const scope = { campaign: { id: campaignId, workspaceId, xAccountId }, dmId }
    const answer = await claim(tx, env, manualSender(holder, false), scope)
    if (answer.kind === 'wait') throw await beyondCap(tx, answer)
    if (answer.kind !== 'claimed') throw new Refusal('X_NOT_CONNECTED')
    await keep(tx, dmId)
    await use(tx, workspaceId, 'dms', 1)
    return claimedFrom(answer)
  })
}

/** What a member writes in a conversation. */
interface AnswerMessage {
  leadId: string
  accountXUserId: string
  text: string
  /** Refuses it if something was said that its author has not seen. Runs with the lead locked. */
  check(tx: Db): Promise<void>
}

/**
 * Like `claimDirect`, for an answer in the inbox. @throws Refusal X_NOT_CONNECTED, LEAD_STATE,
 * RATE_LIMITED, those of `check`
 */
export async function claimAnswer(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { leadId, accountXUserId, text, check }: AnswerMessage,
  holder: string,
  keep: (tx: Db, dmId: string) => Promise<void>,
) {
  const { workspaceId } = actor
  return transact(db, async (tx) => {
    await lockLeads(tx, sql`select ${leadId}::uuid`)
    const { rows } = await tx.execute<{ reason: SkipReason | null; isSending: boolean; accountId: string | null }>(sql`
      select coalesce(${sampleReason('l', env)}, ${suppressionReason('l')}) as reason, exists (
          select from dms d where d.lead_id = l.id and d.status = 'queued' and d.lease_expires_at is not null
        ) as "isSending", (
          select a.id from x_accounts a where a.workspace_id = l.workspace_id and a.x_user_id = ${accountXUserId} and a.status = 'connected'
        ) as "accountId"
      from leads l where l.id = ${leadId} and l.workspace_id = ${workspaceId}`)
    const [lead] = rows
    if (!lead?.accountId) throw new Refusal('X_NOT_CONNECTED')
    await check(tx)
    if (lead.reason) throw new Refusal('LEAD_STATE', refusalText(lead.reason))
    if (lead.isSending) throw new Refusal('LEAD_STATE', OBSTACLES.sending)
    const campaignId = await openDirectCampaign(tx, actor, lead.accountId, { isAnswer: true })
    const dmId = await queueOne(tx, actor, { campaignId, leadId, text, isAnswer: true })
    const scope = { campaign: { id: campaignId, workspaceId, xAccountId: lead.accountId }, dmId }
    const answer = await claim(tx, env, manualSender(holder, true), scope)
    if (answer.kind === 'wait') throw await beyondCap(tx, answer)
    if (answer.kind !== 'claimed') throw new Refusal('X_NOT_CONNECTED')
    await keep(tx, dmId)
    return claimedFrom(answer)
  })
}

/** Queues a direct message. Only this transaction sees it. */
async function queueOne(
  tx: Db,
  actor: Actor,
  {
    campaignId,
    leadId,
    text,
    isAnswer = false,
  }: { campaignId: string; leadId: string; text: string; isAnswer?: boolean },
): Promise<string> {
  const id = randomUUID()
  await tx.execute(sql`
    with added as (
      insert into dms (id, workspace_id, user_id, lead_id, campaign_id, step, message, is_filled, is_answer)
      select ${id}::uuid, ${actor.workspaceId}::uuid, ${actor.userId}::uuid, ${leadId}::uuid, ${campaignId}::uuid,
        coalesce((select max(step) + 1 from dms where campaign_id = ${campaignId}::uuid and lead_id = ${leadId}::uuid), 0), ${text}, true, ${isAnswer}::boolean
    )
    update leads set dm_status = 'queued', updated_at = now() where id = ${leadId}`)
  return id
}

const OBSTACLES = {
  contacted: 'You have already messaged this lead.',
  queued: 'A message to this lead is already queued.',
  unknown: 'A message to this lead may have been sent. Check the conversation on X first.',
  sending: 'Another message to this person is being sent. Try again in a moment.',
}

/** Why the lead cannot be sent a direct message now, as a text; null if it can. */
async function findObstacle(tx: Db, env: SendingEnv, leadId: string, allowRepeat: boolean): Promise<string | null> {
  const { rows } = await tx.execute<{ reason: SkipReason | null; obstacle: keyof typeof OBSTACLES | null }>(sql`
    select coalesce(${sampleReason('l', env)}, ${suppressionReason('l')}) as reason, case
      when l.contacted_before_at is not null and not ${allowRepeat}::boolean then 'contacted'
      else (
        select case when d.outcome_unknown then 'unknown' when d.status = 'queued' then 'queued' else 'contacted' end
        from dms d join campaigns c on c.id = d.campaign_id
        where d.lead_id = l.id and (
          d.outcome_unknown or (d.status = 'queued' and ${mayGoOut('d', 'c')}) or (d.sent_at is not null and not ${allowRepeat}::boolean))
        order by d.outcome_unknown desc, d.sent_at nulls first limit 1)
      end as obstacle
    from leads l where l.id = ${leadId}`)
  const [found] = rows
  if (found?.reason) return refusalText(found.reason)
  return found?.obstacle ? OBSTACLES[found.obstacle] : null
}

/** Direct messages ignore the interval and the sending window, but not the daily cap and X's limits. */
async function beyondCap(tx: Db, { until, now, reason, locked }: Extract<Answer, { kind: 'wait' }>): Promise<Refusal> {
  if (reason === 'funds') return fundsRefusal(tx, locked.workspaceId)
  return new Refusal('RATE_LIMITED', beyondCapText(reason, locked), {
    retryAfterSeconds: Math.max(1, Math.ceil(secondsOf({ until, now }))),
  })
}

function beyondCapText(reason: WaitReason | null, { account, cap }: Locked): string {
  if (account?.unreadSince)
    return `A backup was restored. X-Automated is still checking X for messages that @${account.handle} has sent since. Try again in a minute.`
  if (reason === 'app') return APP_DAY_USED
  if (reason === 'x') return RATE_LIMITED_BY_X
  return `@${account?.handle} has reached its daily cap of ${formatCount(cap.cap, 'DM')}. Try again later.`
}

export const APP_DAY_USED = 'The X app has sent all messages that X allows it in 24 hours. Try again later.'
export const RATE_LIMITED_BY_X = 'X is limiting messages from this account. Try again later.'

/** Deletes a direct message that was not sent, and refunds it. */
export async function withdrawDirect(
  tx: Db,
  dm: { id: string; lease: string; workspaceId: string; lead: { id: string } | null },
): Promise<void> {
  const isOwned = sql`id = ${dm.id} and lease = ${dm.lease} and status = 'queued' and not outcome_unknown`
  const { rowCount } = await tx.execute(sql`select from dms where ${isOwned} for update`)
  if (!rowCount || !dm.lead) return
  await lockLeads(tx, sql`select ${dm.lead.id}::uuid`)
  const { rows } = await tx.execute<{ isAnswer: boolean }>(
    sql`with withdrawn as (delete from dms where ${isOwned} returning id, is_answer),
        uncounted as (${deleteAppClaims(sql`select id from withdrawn`)})
      select is_answer as "isAnswer" from withdrawn`,
  )
  await resetLastClaims(tx, sql`select ${dm.lead.id}::uuid`)
  if (rows[0]?.isAnswer === false) await use(tx, dm.workspaceId, 'dms', -1)
  await resetLeadStatus(tx, sql`select ${dm.lead.id}::uuid`)
}
