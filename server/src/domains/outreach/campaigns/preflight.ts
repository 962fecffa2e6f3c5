import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import { LEADS_CHECKED_MAX, type Preflight, type PreflightWarning } from '@x-automated/contract/outreach/preflight'
import { readSegments, type Segment, type UnknownVariable } from '@x-automated/contract/outreach/template'
import type { SkipReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../../actor.ts'
import { find } from '../../../core/campaigns/campaign.ts'
import { hasClosedInboxes } from '../../../core/campaigns/pause.ts'
import { billOf, placeholdersWithFallback } from '../../../core/campaigns/states.ts'
import { isLinked, resolveAccount, type XAccount } from '../../../core/messages/accounts.ts'
import { reasonToSkip } from '../../../core/messages/eligibility.ts'
import { renderedMessage } from '../../../core/messages/render.ts'
import { findProtection, findSendingState, isBasisRequired } from '../../../core/messages/sending-state.ts'
import { findStored } from '../../../core/people/list-entries.ts'
import { findSteps, limitsOf, queuedStep } from '../../../core/sequences/sequence.ts'
import { activeVariants, allowedBy, newSteps, ONE_STEP } from '../../../core/sequences/steps.ts'
import { campaigns, isSentNow } from '../../../core/tables/campaigns.ts'
import { isIdConfirmed, leads } from '../../../core/tables/leads.ts'
import type { VersionStep } from '../../../core/tables/sequences.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { SignedInContext } from '../../../requests/context.ts'
import { usageOf } from '../../platform/billing/plan.ts'
import { findSpending } from '../../platform/x-costs/limit.ts'
import { detection } from '../replies/detection.ts'
import { type Plan, rehearse } from '../sequences/rehearsal.ts'
import { membersOf } from './preparing.ts'

const lead = alias(leads, 'l')

// Who a campaign messages, when and at what cost.

type Context = Pick<SignedInContext, 'db' | 'env' | 'x'>

/** A campaign that has not been launched, or one in a form. */
interface Planned {
  /** NO_ID if the campaign is not saved. */
  id: string
  /** Null if the list was deleted. */
  leadListId: string | null
  steps: readonly VersionStep[]
  channel: 'api' | 'extension'
  xAccountId: string | null
  allowRepeat: boolean
  allowReplied: boolean
}

/** Checks a campaign that has not been saved. @throws Refusal LEAD_LIST_NOT_FOUND, X_ACCOUNT_NOT_FOUND */
export async function preflight(
  context: Context,
  actor: Actor,
  { steps, messageTemplate = '', reengagement, xAccountId, ...input }: InputOf<'campaigns', 'preflight'>,
): Promise<PreflightAnswer> {
  const inputs = steps ?? [{ ...ONE_STEP, variants: [{ messageTemplate, weight: 1, isActive: true }] }]
  const planned = newSteps({ steps: inputs, reengagement })
  return check(context, actor, { ...input, id: NO_ID, steps: planned, xAccountId: xAccountId ?? null })
}

/** Checks a saved campaign; if it was launched, only what is left to send. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function preflightOf(context: Context, actor: Actor, id: string): Promise<PreflightAnswer> {
  const { db } = context
  const campaign = await find(db, actor, id)
  const { rows } = await db.execute<{ version: number; isLaunched: boolean }>(
    sql`select version, queued_at is not null as "isLaunched" from campaigns where id = ${id}`,
  )
  const { version, isLaunched } = one(rows)
  const steps = await findSteps(db, { id, workspaceId: actor.workspaceId, version })
  return isLaunched ? checkRest(context, actor, campaign, steps) : check(context, actor, { ...campaign, steps })
}

/** A preflight with dates that have not been converted to text. */
type PreflightAnswer = Omit<Preflight, 'waitUntil' | 'firstSendAt' | 'lastSendAt' | 'plan'> & {
  waitUntil: Date | null
  firstSendAt: Date | null
  lastSendAt: Date | null
  plan: Awaited<ReturnType<typeof usageOf>>['usage']
}

async function check(context: Context, actor: Actor, planned: Planned): Promise<PreflightAnswer> {
  const { db, env, x } = context
  const { workspaceId } = actor
  const list = planned.leadListId === null ? null : await findStored(db, actor, planned.leadListId)
  const account = await resolveAccount(db, workspaceId, planned.xAccountId)
  const members = list ? membersOf(actor, list) : sql`select null::uuid as id where false`
  const skip = reasonToSkip(
    lead,
    { ...planned, kind: 'campaign', xAccountId: account?.id ?? null },
    await isBasisRequired(db, env, workspaceId),
    env,
  )
  const { leads, skipped } = await countReasons(db, members, skip)
  const willSend = leads - skipped.reduce((sum, { count }) => sum + count, 0)
  const { usage } = await usageOf(db, workspaceId, 'dms')
  const { limits } = await limitsOf(db, workspaceId)
  const steps = allowedBy(limits, planned.steps)
  const ahead = await countAhead(db, actor, planned.xAccountId ?? (isLinked(account) ? account.id : null))
  const followUps = followUpsOf(steps)
  const people = Math.min(willSend, usage.remaining ?? willSend)
  const due = partsOf(willSend - people, usage.resetsAt, usage.limit)
  const dates = await findDates(context, actor, planned.channel, account, { ahead, people, followUps, due })
  const messages = await renderFirst(
    db,
    planned.id,
    steps,
    sql`(select id, row_number() over () as number from (${members} limit ${LEADS_CHECKED_MAX}) few(id)) m
      join leads l on l.id = m.id left join lateral (${skip}) skip on true
      where skip.reason is null order by m.number limit ${SHOWN}`,
  )
  const detected = await detectionFor(db, actor, followUps)
  const messageCount = willSend * (1 + followUps.length)
  const lookups = willSend * (await lookupShare(db, sql`${members} limit ${LEADS_CHECKED_MAX}`, skip))
  const billCents =
    x &&
    billOf(
      { channel: planned.channel, people: willSend, messages: messageCount, lookups, days: dates.perDay.length },
      x,
    )
  const closed = skipped.find(({ reason }) => reason.code === 'closed_inbox')?.count ?? 0
  const filled = await countMissing(db, planned.id, members, steps)
  const { closedInboxPercent } = await findProtection(db, workspaceId)
  const warnings: Record<PreflightWarning, boolean> = {
    plan: willSend > people,
    no_basis: skipped.some(({ reason }) => reason.code === 'no_basis'),
    no_detection: detected === 'off',
    no_x_account: planned.channel === 'api' && account?.status !== 'connected',
    closed_inboxes: closed > 0 && closed * 100 >= closedInboxPercent * leads,
    never_ends: willSend > 0 && dates.lastSendAt === null,
    spending: await exceedsLimit(db, workspaceId, billCents),
    no_first_name: filled.missing.some(({ place: variable }) => /^\{first_name[|}]/.test(variable)),
  }
  return {
    leads,
    willSend,
    limitNow: people,
    waitUntil: willSend > people ? usage.resetsAt : null,
    skipped,
    messages,
    ...filled,
    ahead,
    ...dates,
    costCents: costOf(x, planned.channel, messageCount, followUps),
    billCents,
    plan: usage,
    warnings: namesOf(warnings),
  }
}

/** Checks what a launched campaign has left to send. */
async function checkRest(
  context: Context,
  actor: Actor,
  campaign: Awaited<ReturnType<typeof find>>,
  steps: readonly VersionStep[],
): Promise<PreflightAnswer> {
  const { db, x } = context
  const { id, channel, xAccountId, status } = campaign
  const isOver = status === 'completed' || status === 'archived'
  const account = await resolveAccount(db, actor.workspaceId, xAccountId)
  const { rows: queued } = await db.execute<RenderedMessage>(sql`
    select l.id as "leadId", l.twitter_handle as "twitterHandle", d.step_number as "stepNumber",
      d.variant_id as "variantId", d.message
    from (
      select *
      from dms
      where campaign_id = ${id} and status = 'queued' and lease_expires_at is null and not is_held and not is_follow_up
      order by due_at, id limit ${SHOWN}
    ) d join leads l on l.id = d.lead_id order by d.due_at, d.id`)
  const waiting = await renderFirst(
    db,
    id,
    steps,
    sql`(
      select *
      from enrollments
      where workspace_id = ${actor.workspaceId} and campaign_id = ${id} and is_unqueued and state = 'active'
      order by id limit ${SHOWN - queued.length}
    ) e join leads l on l.id = e.lead_id order by e.id`,
  )
  const { usage } = await usageOf(db, actor.workspaceId, 'dms')
  const followUps = followUpsOf(steps)
  const plan: Plan = isOver
    ? { ahead: 0, people: 0, followUps, due: [] }
    : await planOfRest(db, actor, campaign, followUps, usage.limit)
  const { ahead, people } = plan
  const dates = await findDates(context, actor, channel, account, plan)
  const inFollowUps = plan.due.reduce((sum, cohort) => sum + cohort.people * (followUps.length - cohort.followUp), 0)
  const left = people * (1 + followUps.length) + inFollowUps
  const open = isOver ? 0 : campaign.openEnrollments
  const unsent = people + plan.due.reduce((sum, cohort) => sum + (cohort.followUp < 0 ? cohort.people : 0), 0)
  const lookups = unsent * (await lookupShare(db, unsentOf(actor, id)))
  const billCents = x && billOf({ channel, people: open, messages: left, lookups, days: dates.perDay.length }, x)
  return {
    leads: campaign.totalLeadsInList,
    willSend: open,
    limitNow: people,
    waitUntil: unsent > people ? campaign.nextPartAt : null,
    skipped: await findSkipped(db, id),
    messages: [...withVariantNames(steps, queued), ...waiting],
    checked: 0,
    missing: [],
    ahead,
    ...dates,
    costCents: costOf(x, channel, left, followUps),
    billCents,
    plan: usage,
    warnings: namesOf({
      closed_inboxes: !isOver && (await hasClosedInboxes(db, actor.workspaceId, id, account?.id ?? null)),
      no_x_account: !isOver && channel === 'api' && account?.status !== 'connected',
      never_ends: left > 0 && dates.lastSendAt === null,
      spending: await exceedsLimit(db, actor.workspaceId, billCents),
    }),
  }
}

type Detected = Awaited<ReturnType<typeof detection>>['state'] | null

/** The state of reply detection; null: the campaign has no follow-ups, so it needs no detection. */
async function detectionFor(db: Db, actor: Actor, followUps: Plan['followUps']): Promise<Detected> {
  return followUps.length === 0 ? null : (await detection(db, actor)).state
}

/**
 * X's charge for messages, in cents; null if free. With follow-ups, each message also costs one read,
 * because the conversation is read before a follow-up.
 */
function costOf(x: Context['x'], channel: Planned['channel'], messages: number, followUps: Plan['followUps']) {
  const sending = channel === 'api' ? (x?.sendPriceCents ?? 0) : 0
  const reading = followUps.length > 0 ? (x?.readPriceCents ?? 0) : 0
  return sending + reading > 0 ? Math.ceil((sending + reading) * messages) : null
}

/** The skipped people, by reason. */
async function findSkipped(db: Db, campaignId: string): Promise<Skipped[]> {
  const { rows } = await db.execute<Skipped>(sql`
    select reason, count, array(
      select l.twitter_handle
      from unnest(first) with ordinality f(id, place)
      join leads l on l.id = f.id
      order by place) as sample
    from (
      select reason, count(*)::int as count,
        (array_agg(lead_id order by created_at, id) filter (where lead_id is not null))[1:3] as first
      from dms where campaign_id = ${campaignId} and status = 'failed' and reason is not null group by reason
    ) skipped order by count desc, reason`)
  return rows
}

/** The plan of what a launched campaign has left to send. @param limit messages per month; null: no limit */
async function planOfRest(
  db: Db,
  actor: Actor,
  { id, xAccountId, nextPartAt }: Awaited<ReturnType<typeof find>>,
  followUps: Plan['followUps'],
  limit: number | null,
): Promise<Plan> {
  const { rows: due } = await db.execute<{ number: number; at: string; people: number }>(sql`
    select next_step_number as number, date_trunc('hour', next_at) as at, count(*)::int as people from enrollments
    where workspace_id = ${actor.workspaceId} and campaign_id = ${id} and next_at is not null and next_step_number > 1
    group by 1, 2`)
  const { rows: counts } = await db.execute<{ firsts: number; unqueued: number }>(sql`
    select firsts_queued_count as firsts, (
      select count(*)::int
      from enrollments
      where workspace_id = ${actor.workspaceId} and campaign_id = ${id} and is_unqueued and state = 'active'
    ) as unqueued
    from campaigns where id = ${id}`)
  const { firsts, unqueued } = one(counts)
  return {
    ahead: await countAhead(db, actor, xAccountId, id),
    people: firsts,
    followUps,
    due: [
      ...due
        .filter(({ number }) => number - 2 < followUps.length)
        .map(({ number, at, people }) => ({ followUp: number - 2, at: new Date(at), people })),
      ...partsOf(unqueued, nextPartAt, limit),
    ],
  }
}

const namesOf = (warnings: Partial<Record<PreflightWarning, boolean>>) =>
  Object.entries(warnings).flatMap(([name, applies]) => (applies ? [name as PreflightWarning] : []))

/** When people waiting for plan quota get their first message. @param limit messages per month; null: no limit */
function partsOf(people: number, nextPartAt: Date | null, limit: number | null): Plan['due'] {
  const parts: { followUp: number; at: Date; people: number }[] = []
  for (let left = people; left > 0 && nextPartAt && limit !== 0; ) {
    const at = new Date(nextPartAt)
    at.setUTCMonth(at.getUTCMonth() + parts.length)
    const part = Math.min(left, limit ?? left)
    parts.push({ followUp: -1, at, people: part })
    left -= part
  }
  return parts
}

/** The delays of all steps but the first. */
function followUpsOf(steps: readonly VersionStep[]): Plan['followUps'] {
  return steps.flatMap(({ kind, delay }) =>
    delay ? [kind === 'reengagement' ? { afterDays: delay.amount } : delay] : [],
  )
}

/** When the messages would be sent, by the rules of sending. X's API limits do not apply to the extension. */
async function findDates(
  { db, env }: Context,
  { workspaceId }: Actor,
  channel: Planned['channel'],
  account: XAccount | null,
  plan: Plan,
) {
  const { accountLimits, limits, before, now } = await findSendingState(db, env, { workspaceId, account, channel })
  return rehearse(plan, { accountLimits, limits, before }, now)
}

type Skipped = { reason: SkipReason; count: number; sample: string[] }

/** Counts a list's leads and, by reason, those who are skipped. */
async function countReasons(db: Db, members: SQL, skip: SQL): Promise<{ leads: number; skipped: Skipped[] }> {
  const { rows } = await db.execute<Omit<Skipped, 'reason'> & { reason: SkipReason | null }>(sql`
    select skip.reason, count(*)::int as count,
      coalesce((array_agg(l.twitter_handle) filter (where skip.reason is not null))[1:3], '{}') as sample
    from (${members}) m(id) join leads l on l.id = m.id left join lateral (${skip}) skip on true
    group by 1 order by 2 desc, 1`)
  return {
    leads: rows.reduce((sum, { count }) => sum + count, 0),
    skipped: rows.flatMap(({ reason, ...row }) => (reason ? [{ reason, ...row }] : [])),
  }
}

/**
 * The share of people whose X id is looked up before their first message. @param from a query: ids
 * of leads, at most LEADS_CHECKED_MAX @param skip as in `countReasons`; skipped people do not count
 */
async function lookupShare(db: Db, from: SQL, skip: SQL = sql`select null as reason`): Promise<number> {
  const { rows } = await db.execute<{ share: number }>(sql`
    select coalesce(avg((not ${isIdConfirmed(lead)})::int), 0)::float as share
    from (${from}) m(id) join leads l on l.id = m.id left join lateral (${skip}) skip on true where skip.reason is null`)
  return one(rows).share
}

/** SQL: people of a launched campaign whose first message has not been sent, at most LEADS_CHECKED_MAX. */
function unsentOf({ workspaceId }: Actor, campaignId: string): SQL {
  return sql`select lead_id from enrollments where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
    and state in ('active', 'paused') and last_sent_at is null limit ${LEADS_CHECKED_MAX}`
}

/** Whether a bill exceeds what the workspace's spending limit leaves this month. */
async function exceedsLimit(db: Db, workspaceId: string, billCents: number | null): Promise<boolean> {
  const spending = billCents === null ? null : await findSpending(db, workspaceId)
  return spending !== null && (billCents ?? 0) > spending.limitCents - spending.mills / 10
}

/**
 * Counts the queued first messages that are sent before a campaign's. @param accountId null: of the
 * workspace's campaigns without an account
 */
async function countAhead(db: Db, { workspaceId }: Actor, accountId: string | null, id?: string): Promise<number> {
  const { rows } = await db.execute<{ ahead: number }>(sql`
    select coalesce(sum(firsts_queued_count), 0)::int as ahead from campaigns
    where status = 'active' and dms_queued_count > 0 and ${isSentNow(campaigns)}
      and ${accountId ? sql`x_account_id = ${accountId}` : sql`x_account_id is null and workspace_id = ${workspaceId} and kind = 'campaign'`}
      and ${id ? sql`(kind = 'direct' or (created_at, id) < (select created_at, id from campaigns where id = ${id}))` : sql`true`}`)
  return one(rows).ahead
}

/** How many messages a pre-flight shows. */
const SHOWN = 3

type RenderedMessage = Omit<Preflight['messages'][number], 'variant'> & { variantId: string }

/** Renders the first message for each person. @param people SQL after `from`, with their leads as `l` */
async function renderFirst(db: Db, campaignId: string, steps: readonly VersionStep[], people: SQL) {
  const [first] = steps
  if (!first) return []
  const { variantId, message } = queuedStep(campaignId, first, 1, null, (text) =>
    readSegments(text).map((part) => (isKnown(part) ? part : { kind: 'words', words: part.written })),
  )
  const { rows } = await db.execute<RenderedMessage>(sql`
    select l.id as "leadId", l.twitter_handle as "twitterHandle", 1 as "stepNumber",
      ${variantId} as "variantId", ${message} as message
    from ${people}`)
  return withVariantNames(steps, rows)
}

function withVariantNames(steps: readonly VersionStep[], messages: readonly RenderedMessage[]) {
  const names = new Map(steps.flatMap(({ variants }) => variants.map(({ id, name }) => [id, name])))
  return messages.map(({ variantId, ...message }) => ({ ...message, variant: names.get(variantId) ?? '' }))
}

const isKnown = (segment: Segment | UnknownVariable): segment is Segment => segment.kind !== 'unknown'

/** Counts, for each placeholder, how many of the list's first leads would use its fallback. */
async function countMissing(db: Db, campaignId: string, members: SQL, steps: readonly VersionStep[]) {
  const texts = steps.flatMap(activeVariants).map(({ messageTemplate }) => messageTemplate)
  const places = placeholdersWithFallback(texts.flatMap((text) => readSegments(text).filter(isKnown)))
  const counts = places.map(
    ({ part }) => sql`(count(*) filter (where ${renderedMessage(lead, [part], campaignId)} = ''))::int`,
  )
  const { rows } = await db.execute<{ checked: number; counts: number[] }>(sql`
    select count(*)::int as checked, array[${sql.join([...counts, sql`0`], sql`, `)}] as counts
    from (
      select l.workspace_id, l.id, l.name, l.first_name, l.twitter_handle, l.metadata
      from (${members} limit ${LEADS_CHECKED_MAX}) m(id)
      join leads l on l.id = m.id
    ) l`)
  const row = one(rows)
  return {
    checked: row.checked,
    missing: places
      .map(({ place: placeholder }, i) => ({ place: placeholder, leads: row.counts[i] ?? 0 }))
      .filter((entry) => entry.leads > 0),
  }
}
