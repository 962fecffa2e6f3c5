import { FLIGHT_MAX, type FlightDot } from '@x-automated/contract/outreach/sequences'
import { DAY_MS } from '@x-automated/contract/time'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../../actor.ts'
import { findAccount, findCurrentAccount } from '../../../core/messages/accounts.ts'
import {
  findSendingState,
  type SendingEnv,
  type SendingState,
  secondsToSendFrom,
  warmUpOf,
} from '../../../core/messages/sending-state.ts'
import { findCampaign, findSteps } from '../../../core/sequences/sequence.ts'
import type { campaigns } from '../../../core/tables/campaigns.ts'
import { dms } from '../../../core/tables/messages.ts'
import { enrollments, isEnrollmentOf } from '../../../core/tables/sequences.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'

type Campaign = typeof campaigns.$inferSelect

/** How many of the account's messages `refusals` covers. */
const MESSAGES_CHECKED = 50

/**
 * The messages of the past 24 hours and the next 24 hours. Reads at most one day of the workspace's
 * claims, plus a fixed number of rows. @throws Refusal CAMPAIGN_NOT_FOUND
 */
export async function flight(db: Db, env: SendingEnv, actor: Actor, id: string) {
  const campaign = await findCampaign(db, actor, id)
  const account = campaign.xAccountId
    ? await findAccount(db, actor.workspaceId, campaign.xAccountId)
    : await findCurrentAccount(db, actor.workspaceId)
  const state = await findSendingState(db, env, {
    workspaceId: actor.workspaceId,
    account,
    channel: campaign.channel,
  })
  const [steps, past, next, health] = await Promise.all([
    findSteps(db, campaign),
    findPast(db, campaign),
    campaign.status === 'active' ? findNext(db, campaign) : [],
    findHealth(db, campaign, account?.id ?? null),
  ])
  const names = new Map(steps.flatMap(({ variants }) => variants.map(({ id, name }) => [id, { id, name }] as const)))
  const dot = ({ variantId, ...row }: Row) => ({ ...row, variant: names.get(variantId ?? '') ?? null })
  const until = state.now.getTime() + DAY_MS
  const warmUp = warmUpOf(env, state)
  return {
    past: past.map(dot),
    next: inTurn(next, state)
      .filter(({ at }) => at.getTime() <= until)
      .sort((a, b) => a.at.getTime() - b.at.getTime())
      .slice(0, FLIGHT_MAX)
      .map(dot),
    account: {
      capNow: state.cap.cap,
      sentInDay: state.sentInDay,
      countedInDay: state.countedInDay,
      warmUpDay: warmUp?.day ?? null,
      warmUp,
      ...health,
    },
  }
}

type Row = Omit<FlightDot, 'at' | 'variant' | 'lead'> & {
  at: Date
  variantId: string | null
  lead: { id: string; name: string; twitterHandle: string; profileImageUrl: string | null } | null
}
type NextRow = Row & { ahead: number }

const dated = <R extends { at: Date }>(rows: readonly R[]): R[] => rows.map((row) => ({ ...row, at: new Date(row.at) }))

/** Sets when each queued message will be sent, one interval after another. */
function inTurn(rows: readonly NextRow[], state: SendingState): Row[] {
  let position = 0
  return rows.flatMap(({ ahead, ...row }) => {
    if (row.state !== 'queued') return row
    position += 1
    const seconds = secondsToSendFrom(state, ahead + position)
    if (seconds === null) return []
    return { ...row, at: new Date(Math.max(row.at.getTime(), state.now.getTime() + seconds * 1_000)) }
  })
}

const leadColumns = sql`
  case when l.id is not null then jsonb_build_object(
    'id', l.id, 'name', l.name, 'twitterHandle', l.twitter_handle, 'profileImageUrl', l.profile_image_url
  ) end`

/** SQL over a message `d`, its enrollment and its lead `l`: the columns of a Row, except `state` and `at`. */
const messageColumns = sql`
  d.enrollment_id as "enrollmentId", d.id as "dmId", d.step_number as "stepNumber", d.variant_id as "variantId",
  ${leadColumns} as lead`

async function findPast(db: Db, { id, workspaceId }: Campaign): Promise<Row[]> {
  const claimed = (whose: SQL) => sql`
    select *
    from dms
    where ${whose} and claimed_at > now() - interval '1 day' and campaign_id = ${id} and status <> 'queued'`
  const { rows } = await db.execute<Row>(sql`
    select ${messageColumns}, coalesce(d.sent_at, d.updated_at) as at,
      case when d.status = 'failed' and d.reason is not null then 'skipped'
        when d.status = 'delivered' then 'read' else d.status end as state
    from (
      ${claimed(sql`x_account_id = any(array(select id from x_accounts where workspace_id = ${workspaceId}))`)}
      union all ${claimed(sql`x_account_id is null and workspace_id = ${workspaceId}`)}
    ) d left join leads l on l.id = d.lead_id
    where d.enrollment_id is not null and coalesce(d.sent_at, d.updated_at) > now() - interval '1 day'
    order by at desc, d.id limit ${FLIGHT_MAX}`)
  return dated(rows)
}

/** Finds claimed and queued messages in the order of sending, held ones, and steps that become due. */
async function findNext(db: Db, { id, workspaceId, xAccountId, createdAt }: Campaign): Promise<NextRow[]> {
  const queued = (isFollowUp: SQL) => sql`
    select * from (
      select *, row_number() over (order by due_at, id) as place from dms
      where campaign_id = ${id}
        and status = 'queued'
        and lease_expires_at is null
        and not is_held
        and is_follow_up = ${isFollowUp}
      order by due_at, id limit ${FLIGHT_MAX}
    ) in_turn`
  const { rows } = await db.execute<NextRow>(sql`
    with older as (
      select coalesce(sum(o.firsts_queued_count), 0)::int as firsts from campaigns o
      where o.x_account_id = ${xAccountId}::uuid
        and o.status = 'active'
        and o.dms_queued_count > 0
        and o.kind = 'campaign'
        and (o.created_at, o.id) < (${createdAt.toISOString()}::timestamptz, ${id}::uuid)
    )
    (select ${messageColumns}, 'queued' as state, now() as at, 0 as ahead
      from dms d left join leads l on l.id = d.lead_id
      where d.campaign_id = ${id} and d.lease_expires_at is not null and d.enrollment_id is not null
      limit ${FLIGHT_MAX})
    union all
    (select ${messageColumns}, 'queued', d.due_at, 0
      from (${queued(sql`true`)}) d left join leads l on l.id = d.lead_id order by d.place)
    union all
    (select ${messageColumns}, 'queued', d.due_at, older.firsts
      from (${queued(sql`false`)}) d cross join older left join leads l on l.id = d.lead_id order by d.place)
    union all
    (select ${messageColumns}, 'held', greatest(now(), d.due_at, e.paused_until), 0
      from (
        select *
        from enrollments
        where workspace_id = ${workspaceId} and campaign_id = ${id} and state = 'paused'
        order by id
        limit ${FLIGHT_MAX}
      ) e
      join dms d on d.lead_id = e.lead_id
        and ${isEnrollmentOf(alias(enrollments, 'e'), alias(dms, 'd'))}
        and d.status = 'queued'
        and d.lease_expires_at is null
        left join leads l on l.id = d.lead_id)
    union all
    (select e.id, null, e.next_step_number, null,
        ${leadColumns},
        'planned', greatest(now(), e.next_at), 0
      from (
        select * from enrollments where workspace_id = ${workspaceId} and campaign_id = ${id}
          and next_at <= now() + interval '1 day' and next_step_number is not null
          order by next_at, id
          limit ${FLIGHT_MAX}
      ) e left join leads l on l.id = e.lead_id and l.workspace_id = e.workspace_id)`)
  return dated(rows)
}

/** Counts how many of the account's last messages X refused. Closed inboxes do not count. */
async function findHealth(db: Db, { workspaceId }: Campaign, accountId: string | null) {
  const { rows } = await db.execute<{ refusals: number; checked: number }>(sql`
    select (count(*) filter (where refusal <> 'closed'))::int as refusals, count(*)::int as checked
    from (
      select refusal from dms
      where workspace_id = ${workspaceId}
        and ${accountId ? sql`x_account_id = ${accountId}` : sql`x_account_id is null`}
        and claimed_at is not null
        and status <> 'queued' and reason is null
      order by claimed_at desc limit ${MESSAGES_CHECKED}
    ) latest`)
  return one(rows)
}
