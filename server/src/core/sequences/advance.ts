import type { EnrollmentReason, SkipReason } from '@x-automated/contract/reason'
import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { attemptEach } from '../../attempt-each.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { transact } from '../../db/transact.ts'
import { unreadSince, xAccounts } from '../../domains/platform/x-account/tables.ts'
import { pauseForPlaceholder } from '../campaigns/pause.ts'
import { completeIfDone } from '../campaigns/run.ts'
import { campaignLock } from '../messages/account-lock.ts'
import { countedColumns, countMessages, deleteMessages, updateMessages } from '../messages/counts.ts'
import { lockQueueing } from '../messages/locks.ts'
import type { QueuedStep } from '../messages/queue.ts'
import { refund } from '../messages/quota.ts'
import { wakeAccount } from '../messages/schedule.ts'
import { type LimitsRow, parseLimits, type SendingEnv } from '../messages/sending-state.ts'
import { allowanceOf, publishEvents, use } from '../neighbors.ts'
import { countedLead, countLeads } from '../people/lead-counts.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { isRestorable } from '../tables/removals.ts'
import { enrollments, type VersionStep } from '../tables/sequences.ts'
import { suppressionReason } from '../tables/suppressions.ts'
import { type Decision, type DueAccount, decide, READING_MS } from './decide.ts'
import { UNIT_MS } from './delays.ts'
import { findSteps, queuedStep, unreadableIn } from './sequence.ts'
import { findTests } from './tests.ts'

type Campaign = typeof campaigns.$inferSelect

/** How soon to check again if the wait has no known end. */
const LOOK_AGAIN_MS = 15 * UNIT_MS.minutes
/** Maximum number of campaigns per call. */
const CAMPAIGNS_MAX = 20
/** Maximum number of enrollments per transaction. */
const BATCH_SIZE = 1_000

/**
 * Checks due enrollments of active campaigns, and queues their follow-ups. Any number of processes
 * may call it. @returns whether more may be due
 */
export async function queueFollowUps(db: Db, env: SendingEnv): Promise<boolean> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id
    from campaigns
    where status = 'active' and follow_up_due_at <= now()
    order by follow_up_due_at
    limit ${CAMPAIGNS_MAX}`)
  let isMore = false
  await attemptEach(rows, async ({ id }) => {
    try {
      isMore = (await transact(db, (tx) => queueBatch(tx, env, id))) || isMore
    } catch (error) {
      await lookAgainLater(db, id)
      throw error
    }
  })
  return isMore
}

type Due = {
  id: string
  leadId: string
  isMissing: boolean
  suppressed: SkipReason | null
  version: number
  state: 'active' | 'paused'
  code: EnrollmentReason['code'] | null
  accountId: string | null
  lastStepId: string | null
  lastStepNumber: number | null
  lastSentAt: string | null
  skippedStepId: string | null
  skippedStepNumber: number | null
  skippedAt: string | null
  nextStepNumber: number | null
  pausedUntil: string | null
  wasRead: boolean
  sentStepIds: string[]
  /** The queued message that the pause holds. */
  heldId: string | null
  /** The first message waits for a later part of the launch. */
  isUnqueued: boolean
  now: string
}

/** Queues follow-ups for a batch of a campaign's due enrollments. @returns whether the batch was full */
async function queueBatch(tx: Db, env: SendingEnv, campaignId: string): Promise<boolean> {
  const campaign = await openCampaign(tx, campaignId)
  if (!campaign) return false
  const left = await lockPlan(tx, campaign)
  if (left === 0) {
    await lookAgainLater(tx, campaignId)
    return false
  }
  const size = Math.min(BATCH_SIZE, left)
  const accounts = await findAccounts(tx, env, campaign)
  const ready = whereReady(campaign, accounts)
  const due = await lockDue(tx, campaign, ready, size)
  const steps = await findVersions(tx, campaign, due)
  const unreadable = unreadableIn([...steps.values()].flat())
  if (unreadable) {
    await pauseForPlaceholder(tx, { ...campaign, campaignId }, unreadable)
    return false
  }
  const changes = due.map((row) => ({ one: row, change: changeOf(row, steps, accounts) }))
  await dropHeld(tx, changes)
  const released = await applyMoves(tx, campaign, changes)
  const queued = await applyQueued(tx, campaign, changes)
  const isFull = due.length === size
  if (due.length > 0) await publishEvents(tx, campaign.workspaceId, 'campaign', [campaignId])
  if (!(await scheduleNext(tx, campaign, { ready, isFull, isChanged: due.length > 0 }))) return false
  const closed = changes.filter(({ change }) => change.kind === 'end').length
  if (closed > 0) await completeIfDone(tx, campaignId, -closed)
  const accountIds = [...new Set([...released, ...queued])].filter((id) => id !== null)
  if (campaign.channel === 'api') for (const id of accountIds.sort()) await wakeAccount(tx, id)
  if (queued.length > 0) await use(tx, campaign.workspaceId, 'dms', queued.length)
  return isFull
}

/**
 * Locks a campaign, so that no pause or edit of it commits before this transaction. Null: it is not
 * active, or is being paused or edited.
 */
async function openCampaign(tx: Db, id: string): Promise<Campaign | null> {
  // The next statement sees any pause or edit that committed before this lock was taken.
  const lock = await tx.execute<{ isTaken: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(${campaignLock(sql`${id}::text`)}) as "isTaken"`,
  )
  const [campaign] = await tx.select().from(campaigns).where(eq(campaigns.id, id))
  return one(lock.rows).isTaken && campaign?.status === 'active' ? campaign : null
}

/** Locks the plan and returns how many messages it has left. */
async function lockPlan(tx: Db, { workspaceId }: Campaign): Promise<number> {
  if (Number.isFinite((await allowanceOf(tx, workspaceId, 'dms')).left)) await lockQueueing(tx, workspaceId)
  return (await allowanceOf(tx, workspaceId, 'dms')).left
}

/** Locks the campaign and stores when it is checked next. @returns false: another change holds the lock */
async function scheduleNext(
  tx: Db,
  { id, workspaceId }: Campaign,
  { ready, isFull, isChanged }: { ready: SQL; isFull: boolean; isChanged: boolean },
): Promise<boolean> {
  // If other processes are changing everything that is due, they may hold the campaign's lock.
  const strength = isChanged ? sql`for no key update` : sql`for no key update skip locked`
  const { rows: locked } = await tx.execute(sql`select from campaigns where id = ${id} ${strength}`)
  if (locked.length === 0) return false
  // Read after taking the lock: any change of an enrollment's time has committed, or will lower
  // this time later.
  const theirs = sql`workspace_id = ${workspaceId} and campaign_id = ${id}`
  await tx.execute(sql`
    update campaigns set follow_up_due_at = case
      when ${isFull}::boolean or exists (select ${ready}) then now()
      else least((select min(next_at) from enrollments where ${theirs} and next_at > now()),
        case when exists (select from enrollments where ${theirs} and next_at <= now()) then ${LATER} end) end
    where id = ${id}`)
  return true
}

const LATER = sql`now() + make_interval(secs => ${LOOK_AGAIN_MS / 1_000})`

async function lookAgainLater(db: Db, campaignId: string): Promise<void> {
  await db.update(campaigns).set({ followUpDueAt: LATER }).where(eq(campaigns.id, campaignId))
}

/**
 * SQL that starts with `from`: due enrollments `e` of leads `l`. Leaves out those that wait for
 * their account, for X to report reads, or for a deleted lead; they keep the time at which they
 * were due.
 */
function whereReady({ id, workspaceId, xAccountId }: Campaign, accounts: Accounts): SQL {
  const account = sql`coalesce(e.x_account_id, ${xAccountId}::uuid)`
  const live = [...accounts.values()].filter(({ isLive }) => isLive)
  const readSteps = sql`(
    select v.version, s.number
    from sequence_versions v
    cross join lateral jsonb_array_elements(v.steps) with ordinality s(step, number)
    where v.workspace_id = ${workspaceId} and v.campaign_id = ${id} and s.step ->> 'condition' in ('read', 'not_read'))`
  return sql`from enrollments e left join leads l on l.id = e.lead_id
    where e.workspace_id = ${workspaceId}
      and e.campaign_id = ${id}
      and e.next_at <= now()
      and e.state in ('active', 'paused')
      and (l.id is not null or not ${isRestorable(alias(enrollments, 'e'))})
      and (l.id is null or e.is_unqueued or (e.reason ->> 'code' is distinct from 'later' and ${heldOf} is not null)
        or (${account} = any(${sql.param([...accounts.keys()])}::uuid[])
          and (${account} = any(${sql.param(live.map(({ id }) => id))}::uuid[]) or ${wasRead}
            or e.next_at <= now() - make_interval(secs => ${READING_MS / 1_000})
            or (e.version, e.next_step_number) not in ${readSteps})))`
}

/** SQL over an enrollment `e`: its queued message that a pause holds. */
const heldOf = sql`(
  select d.id from dms d where d.lead_id = e.lead_id and d.enrollment_id = e.id and d.status = 'queued' limit 1)`
/** SQL over an enrollment `e`: its last message was read. */
const wasRead = sql`exists (
  select
  from dms d
  where d.campaign_id = e.campaign_id
    and d.step = e.last_ordinal
    and d.lead_id = e.lead_id
    and d.delivered_at is not null)`

/** Locks due enrollments, longest due first. Skips locked ones, which are being changed. */
async function lockDue(tx: Db, { xAccountId }: Campaign, ready: SQL, size: number): Promise<Due[]> {
  const { rows } = await tx.execute<Due>(sql`
    select e.id, e.lead_id as "leadId", l.id is null as "isMissing",
      ${suppressionReason(alias(leads, 'l'))} as suppressed, e.version,
      e.state,
      e.reason ->> 'code' as code, coalesce(e.x_account_id, ${xAccountId}::uuid) as "accountId",
      e.last_step_id as "lastStepId",
      e.last_step_number as "lastStepNumber", e.last_sent_at as "lastSentAt", e.skipped_step_id as "skippedStepId",
      e.skipped_step_number as "skippedStepNumber", e.skipped_at as "skippedAt", e.next_step_number as "nextStepNumber",
      e.paused_until as "pausedUntil", e.is_unqueued as "isUnqueued", now() as now, ${wasRead} as "wasRead",
      ${heldOf} as "heldId", array(
        select distinct d.step_id::text
        from dms d
        where d.lead_id = e.lead_id and d.enrollment_id = e.id and d.sent_at is not null
      ) as "sentStepIds"
    ${ready}
    order by e.next_at, e.id limit ${size} for no key update of e skip locked`)
  return rows
}

/** Loads the steps of every version that a due enrollment follows. */
async function findVersions(tx: Db, campaign: Campaign, due: readonly Due[]) {
  const versions = new Map<number, readonly VersionStep[]>()
  for (const version of new Set(due.map((row) => row.version)))
    versions.set(version, await findSteps(tx, { ...campaign, version }))
  return versions
}

type Accounts = ReadonlyMap<string | null, DueAccount & { id: string }>

/** The accounts that can send follow-ups now. */
async function findAccounts(tx: Db, env: SendingEnv, { workspaceId }: Campaign): Promise<Accounts> {
  const { rows } = await tx.execute<{ id: string; limits: LimitsRow | null; isLive: boolean }>(sql`
    select a.id, to_jsonb(p) as limits, w.webhook_id is not null as "isLive"
    from x_accounts a left join sending_limits p on p.workspace_id = a.workspace_id and p.x_account_id = a.id
      left join reply_watches w on w.x_user_id = a.x_user_id
    where a.workspace_id = ${workspaceId} and a.status = 'connected' and ${unreadSince(alias(xAccounts, 'a'))} is null`)
  return new Map(rows.map(({ limits, ...row }) => [row.id, { ...row, hours: parseLimits(limits, env) }]))
}

type Change =
  | Exclude<Decision, { kind: 'finish' }>
  | { kind: 'end'; state: 'finished' | 'stopped' | 'opted_out'; reason: EnrollmentReason | null; skipped?: Skipped }
  /** The pause is over: the message may be sent, or the first message is queued with the next part. */
  | { kind: 'release'; dmId: string | null }
type Skipped = { id: string; number: number } | null
type Changed = { one: Due; change: Change }

function changeOf(due: Due, versions: ReadonlyMap<number, readonly VersionStep[]>, accounts: Accounts): Change {
  if (due.isMissing) return { kind: 'end', state: 'stopped', reason: skippedAs('lead_missing') }
  if (due.suppressed) {
    const isOptOut = ['opted_out', 'replied_stop'].includes(String(due.suppressed.params.reason))
    if (isOptOut) return { kind: 'end', state: 'opted_out', reason: { code: 'opt_out', params: {} } }
    return { kind: 'end', state: 'stopped', reason: skippedAs('suppressed', due.suppressed.params) }
  }
  const isLater = due.state === 'paused' && due.code === 'later'
  if (due.isUnqueued) return { kind: 'release', dmId: null }
  if (due.heldId && !isLater) return { kind: 'release', dmId: due.heldId }
  const enrollment = {
    ...due,
    lastSent: referenceOf(due.lastStepId, due.lastStepNumber),
    lastSentAt: parseTime(due.lastSentAt),
    lastSkipped: referenceOf(due.skippedStepId, due.skippedStepNumber),
    skippedAt: parseTime(due.skippedAt),
    pausedUntil: due.state === 'paused' ? parseTime(due.pausedUntil) : null,
    isLater,
  }
  const account = accounts.get(due.accountId)
  if (!account) throw new Error('A person is due whose account cannot send.')
  const decision = decide(enrollment, versions.get(due.version) ?? [], account, new Date(due.now))
  if (decision.kind !== 'finish') return decision
  return { kind: 'end', state: 'finished', reason: null, skipped: decision.skipped }
}

/** Deletes the held messages of people who are not released, because they continue with re-engagement or end. */
async function dropHeld(tx: Db, changes: readonly Changed[]): Promise<void> {
  const ids = changes.flatMap(({ one: { heldId }, change }) => (change.kind === 'release' ? [] : (heldId ?? [])))
  if (ids.length === 0) return
  const those = sql`any(${sql.param(ids)}::uuid[])`
  await refund(tx, sql`id = ${those}`)
  await deleteMessages(tx, sql`id = ${those} and status = 'queued' and lease_expires_at is null`)
}

const skippedAs = (skip: SkipReason['code'], params: SkipReason['params'] = {}): EnrollmentReason => ({
  code: 'skipped',
  params: { ...params, skip },
})
const referenceOf = (id: string | null, number: number | null) => (id && number ? { id, number } : null)

/** Moves enrollments that get no new message. @returns the accounts of released messages */
async function applyMoves(tx: Db, campaign: Campaign, changes: readonly Changed[]): Promise<(string | null)[]> {
  const rows = changes.flatMap(movesOf)
  if (rows.length === 0) return []
  await tx.execute(sql`
    update enrollments e
    set state = x.state, reason = x.reason, next_step_number = x.number, next_at = x.next_at,
      skipped_step_id = coalesce(x.skipped_id, e.skipped_step_id),
      skipped_step_number = coalesce(x.skipped_number, e.skipped_step_number),
      skipped_at = case when x.skipped_id is null then e.skipped_at else now() end, ${CONTINUES}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as x(id uuid, state text, reason jsonb, number int, next_at timestamptz, skipped_id uuid, skipped_number int)
    where e.workspace_id = ${campaign.workspaceId} and e.id = x.id`)
  const releasedIds = changes.flatMap(({ change }) => (change.kind === 'release' && change.dmId) || [])
  if (releasedIds.length === 0) return []
  const released = await updateMessages<{ accountId: string | null }>(
    tx,
    sql`id = any(${sql.param(releasedIds)}::uuid[]) and is_held`,
    sql`is_held = false, due_at = now(), updated_at = now()`,
    sql`case when is_follow_up then x_account_id else ${campaign.xAccountId}::uuid end as "accountId"`,
  )
  return released.map(({ accountId }) => accountId)
}

function movesOf({ one: { id, nextStepNumber }, change }: Changed): object[] {
  switch (change.kind) {
    case 'queue':
      return []
    case 'wait':
      return [{ id, state: 'active', number: change.number, next_at: change.until }]
    case 'skip':
      return [{ id, state: 'active', number: change.number, next_at: change.nextAt, ...skip(change.skipped) }]
    case 'release':
      return [{ id, state: 'active', number: nextStepNumber }]
    case 'end':
      return [{ id, state: change.state, reason: change.reason, ...skip(change.skipped ?? null) }]
  }
}

const skip = (step: Skipped) => (step ? { skipped_id: step.id, skipped_number: step.number } : {})

/** SET clause that resumes enrollment `e`. */
const CONTINUES = sql`
  paused_until = null, resumed_at = case when e.state = 'paused' then now() else e.resumed_at end, updated_at = now()`

/** Queues the next messages, with one statement per step of a version. @returns each message's sending account */
async function applyQueued(tx: Db, campaign: Campaign, changes: readonly Changed[]): Promise<(string | null)[]> {
  const groups = new Map<string, { step: VersionStep; number: number; rows: { id: string; due_at: Date }[] }>()
  for (const { one: row, change } of changes) {
    if (change.kind !== 'queue') continue
    const key = `${row.version} ${change.number}`
    const group = groups.get(key) ?? { step: change.step, number: change.number, rows: [] }
    group.rows.push({ id: row.id, due_at: change.dueAt })
    groups.set(key, group)
  }
  if (groups.size === 0) return []
  const accountIds: (string | null)[] = []
  const tests = await findTests(tx, campaign)
  for (const { step, number, rows } of groups.values()) {
    const queued = queuedStep(campaign.id, step, number, tests.get(step.id)?.shares)
    accountIds.push(...(await queueStep(tx, campaign, queued, rows)))
  }
  return accountIds
}

async function queueStep(
  tx: Db,
  campaign: Campaign,
  { id, number, variantId, message }: QueuedStep,
  people: readonly { id: string; due_at: Date }[],
): Promise<(string | null)[]> {
  const { rows } = await tx.execute<{ accountId: string | null }>(sql`
    with chosen as materialized (
      select e.id, x.due_at from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) as x(id uuid, due_at timestamptz)
        join enrollments e on e.workspace_id = ${campaign.workspaceId} and e.id = x.id
    ), moved as (
      update enrollments e
      set state = 'active', reason = null, next_step_number = ${number}, next_at = null, ${CONTINUES}
      from chosen x where e.workspace_id = ${campaign.workspaceId} and e.id = x.id
    ), added as (
      insert into dms (
        workspace_id, user_id, lead_id, campaign_id, step, enrollment_id, step_id, step_number, variant_id, message,
        is_filled, due_at, is_follow_up, x_account_id
      )
      select e.workspace_id, ${campaign.userId}::uuid, l.id, e.campaign_id,
        coalesce((select max(d.step) + 1 from dms d where d.lead_id = l.id and d.campaign_id = e.campaign_id), 0),
        e.id, ${id}::uuid, ${number}, ${variantId}, ${message}, true, x.due_at, e.last_ordinal is not null,
        case when e.last_ordinal is not null then coalesce(e.x_account_id, ${campaign.xAccountId}::uuid) end
      from chosen x
      join enrollments e on e.workspace_id = ${campaign.workspaceId} and e.id = x.id
      join leads l on l.id = e.lead_id
      order by x.due_at, e.id
      on conflict (campaign_id, step, lead_id) do nothing
      returning lead_id, ${countedColumns()}
    ), ${countMessages({ after: 'added' })}, old as (
      -- Anyone who gets a follow-up has been contacted.
      select ${countedLead()}
      from leads
      where id in (select lead_id from added where not is_follow_up)
      for no key update
    ), marked as (
      update leads
      set dm_status = 'queued', updated_at = now()
      from old
      where leads.id = old.id
      returning ${countedLead()}
    ), ${countLeads({ before: 'old', after: 'marked' }, 'counted_campaigns')}
    select coalesce(x_account_id, ${campaign.xAccountId}::uuid) as "accountId" from added`)
  return rows.map(({ accountId }) => accountId)
}
