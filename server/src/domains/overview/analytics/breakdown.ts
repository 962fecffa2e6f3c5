import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import {
  type BreakdownBy,
  type BreakdownRow,
  type HeatmapCell,
  MEDIAN_OF_ALL,
  MEDIAN_OF_EACH,
} from '@x-automated/contract/overview/analytics'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../../actor.ts'
import { dmActivity } from '../../../core/tables/activity.ts'
import { dms } from '../../../core/tables/messages.ts'
import type { AliasOf } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import { requireAdvancedAnalytics } from '../../platform/billing/plan.ts'
import { findCampaign, findTimeZone, findToday, medianAnswer, peopleSums, startOf } from './analytics.ts'
import { daysShown, rateOf } from './rules.ts'

const activity = alias(dmActivity, 'a')
const message = alias(dms, 'd')

const PAGE_SIZE = 50

/**
 * Compares parts of a workspace, from counters by quarter of an hour. It reads no messages except
 * a limited number of replies. @throws Refusal CAMPAIGN_NOT_FOUND, PLAN_LIMIT
 */
export async function breakdown(db: Db, actor: Actor, input: InputOf<'analytics', 'breakdown'>) {
  const { by, cursor } = input
  const scope = await findScope(db, actor, input)
  const part = PARTS[by]
  const { rows } = await db.execute<Row>(part({ ...scope, actor, cursor: cursor ?? null }))
  const visible = rows.slice(0, isInOrder(by) ? rows.length : PAGE_SIZE)
  return {
    rows: visible.map(rowOf),
    cursor: visible.length < rows.length ? (visible.at(-1)?.id ?? null) : null,
  }
}

/** Messages and replies to them, by weekday and hour of sending. @throws Refusal CAMPAIGN_NOT_FOUND, PLAN_LIMIT */
export async function heatmap(db: Db, actor: Actor, input: InputOf<'analytics', 'heatmap'>) {
  const { timeZone, own, isCounted } = await findScope(db, actor, input)
  const { rows } = await db.execute<HeatmapCell & Record<string, unknown>>(sql`
    select extract(isodow from at)::int as weekday, extract(hour from at)::int as hour,
      sum(sent)::int as sent, sum(replied)::int as replied, sum(positive)::int as positive
    from (
      select slot at time zone ${timeZone} as at, sum(sent) as sent, sum(answered) as replied, sum(positive) as positive
      from dm_activity a where ${own(activity)} and ${isCounted} group by slot
    ) slots group by 1, 2 having sum(sent) > 0 order by 1, 2`)
  return { cells: rows, timeZone }
}

interface Scope {
  timeZone: string
  campaignId: string | null
  /** SQL over a row: it belongs to the workspace, or to the chosen campaign. */
  own: (row: Pick<AliasOf<typeof dms>, 'campaignId' | 'workspaceId'>) => SQL
  /** SQL over `dm_activity a`: the row is in the period. */
  isCounted: SQL
  /** SQL over `dms d`: the first reply arrived in the period. */
  isAnswered: SQL
}

async function findScope(
  db: Db,
  actor: Actor,
  { campaignId, from, to }: { campaignId?: string; from?: string; to?: string },
): Promise<Scope> {
  await requireAdvancedAnalytics(db, actor.workspaceId)
  const campaign = campaignId === undefined ? null : await findCampaign(db, actor, campaignId)
  const timeZone = await findTimeZone(db, actor)
  const days = from || to ? daysShown({ from, to }, await findToday(db, timeZone)) : null
  const within = (column: SQLWrapper) =>
    days
      ? sql`${column} >= ${startOf(days.from, timeZone)} and ${column} < ${startOf(days.to, timeZone, 1)}`
      : sql`true`
  return {
    timeZone,
    campaignId: campaign?.id ?? null,
    own: (row) => (campaign ? sql`${row.campaignId} = ${campaign.id}` : sql`${row.workspaceId} = ${actor.workspaceId}`),
    isCounted: within(activity.slot),
    isAnswered: sql`d.status = 'replied' and d.replied_at is not null and ${within(message.repliedAt)}`,
  }
}

interface Row extends Record<string, unknown> {
  id: string
  name: string
  peopleMessaged: number
  peopleReplied: number
  peoplePositive: number
  optedOut: number
  medianReplySeconds: number | null
  medianAnswerSeconds: number | null
}

function rowOf(row: Row): BreakdownRow {
  return {
    ...row,
    id: row.id === NO_ID ? null : row.id,
    replyRate: rateOf(row.peopleReplied, row.peopleMessaged),
    positiveRate: rateOf(row.peoplePositive, row.peopleMessaged),
  }
}

interface BreakdownScope extends Scope {
  actor: Actor
  cursor: string | null
}

const PARTS: Record<BreakdownBy, (scope: BreakdownScope) => SQL> = {
  campaign: byCampaign,
  step: (scope) => byVariant(scope, 'step'),
  variant: (scope) => byVariant(scope, 'variant'),
  account: (scope) =>
    byPerson(scope, {
      key: 'xAccountId',
      name: sql`coalesce((select '@' || x.handle from x_accounts x where x.id = s.id), 'Unknown account')`,
    }),
  member: (scope) =>
    byPerson(scope, {
      key: 'userId',
      name: sql`
        coalesce((select coalesce(nullif(u.name, ''), u.email) from auth_users u where u.id = s.id), 'Former member')`,
    }),
}

/** Whether rows keep the order of their sequence, without pages: steps and variants are few. */
function isInOrder(by: BreakdownBy): boolean {
  return by === 'step' || by === 'variant'
}

/** SQL: the median time from a message to its reply, in whole seconds. */
const median = sql`
  round(percentile_cont(0.5) within group (order by greatest(0, extract(epoch from d.replied_at - d.sent_at))))::int`
const medians = sql`${median} as "medianReplySeconds", ${medianAnswer(message)} as "medianAnswerSeconds"`

function byCampaign(scope: BreakdownScope): SQL {
  const { cursor, own, isCounted } = scope
  return sql`
    with sums as (
      select a.campaign_id as id, ${peopleSums} from dm_activity a where ${own(activity)} and ${isCounted} group by 1
      having sum(a.people) > 0 ${cursor ? sql`and a.campaign_id < ${cursor}` : sql``}
      order by 1 desc limit ${PAGE_SIZE + 1}
    )
    select s.*, c.name, timed."medianReplySeconds", timed."medianAnswerSeconds"
    from sums s
    join campaigns c on c.id = s.id
    cross join lateral (
      select ${medians} from (${answersOf(scope, sql`d.campaign_id = s.id`, MEDIAN_OF_EACH)}) d where d.answers <> 0
    ) timed
    order by s.id desc`
}

/** SQL: the latest messages with a reply, including automatic replies. Reads no more than `limit` messages. */
function answersOf({ isAnswered }: BreakdownScope, whose: SQL, limit: number): SQL {
  return sql`
    select d.id, d.lead_id, d.variant_id, d.x_account_id, d.user_id, d.enrollment_id, d.answers, d.replied_at, d.sent_at
    from dms d
    where ${whose} and ${isAnswered} order by d.replied_at desc limit ${limit}`
}

/** Groups people by the sender of their first message: an X account or a member. */
function byPerson(scope: BreakdownScope, { key, name }: { key: 'xAccountId' | 'userId'; name: SQL }): SQL {
  const { cursor, own, isCounted } = scope
  return sql`
    with sums as (
      select ${activity[key]} as id, ${peopleSums} from dm_activity a where ${own(activity)} and ${isCounted} group by 1
      having sum(a.people) > 0 ${cursor ? sql`and ${activity[key]} < ${cursor}` : sql``}
      order by 1 desc limit ${PAGE_SIZE + 1}
    ), timed as (
      select coalesce(${message[key]}, ${NO_ID}) as id, ${medians}
      from (${answersOf(scope, own(message), MEDIAN_OF_ALL)}) d
      where d.answers <> 0 and d.enrollment_id is not null
      group by 1
    )
    select s.*, ${name} as name, timed."medianReplySeconds", timed."medianAnswerSeconds"
    from sums s
    left join timed using (id)
    order by s.id desc`
}

/** Groups by step or variant. A step is sent to a person once, so its messages count people. */
function byVariant(scope: BreakdownScope, by: 'step' | 'variant'): SQL {
  const { actor, campaignId, own, isCounted } = scope
  const stepName = sql`case when v.kind = 'reengagement' then 'Re-engagement' else 'Step ' || v.number end`
  const [id, name] =
    by === 'step' ? [sql`v.step_id`, stepName] : [sql`v.variant_id`, sql`${stepName} || ', variant ' || v.variant_name`]
  return sql`
    with variants as (
      select distinct on (variant_id) (variant.value ->> 'id')::uuid as variant_id,
        variant.value ->> 'name' || case
          when (variant.value ->> 'isActive')::boolean then ''
          else ' (retired)' end as variant_name,
        (step.value ->> 'id')::uuid as step_id, step.value ->> 'kind' as kind, v.version
      from sequence_versions v
      cross join lateral jsonb_array_elements(v.steps) step
      cross join lateral jsonb_array_elements(step.value -> 'variants') variant
      where v.workspace_id = ${actor.workspaceId} and v.campaign_id = ${campaignId}
      order by variant_id, v.version desc
    ), steps as (
      select distinct on (step_id) (step.value ->> 'id')::uuid as step_id, step.number, v.version
      from sequence_versions v cross join lateral jsonb_array_elements(v.steps) with ordinality step(value, number)
      where v.workspace_id = ${actor.workspaceId} and v.campaign_id = ${campaignId}
      order by step_id, v.version desc
    ), named as (
      select variant_id, variant_name, step_id, kind, number, steps.version from variants join steps using (step_id)
    ), sums as (
      select a.variant_id, sum(a.sent) as sent, sum(a.answered) as answered, sum(a.positive) as positive,
        sum(a.opted_out) as opted_out
      from dm_activity a where ${own(activity)} and ${isCounted} group by 1 having sum(a.sent) > 0
    ), timed as (
      select ${id} as id, ${medians}
      from (${answersOf(scope, own(message), MEDIAN_OF_ALL)}) d
      join named v using (variant_id)
      where d.answers <> 0
      group by 1
    ), figures as (
      select ${id} as id, ${name} as name, max(v.version) as version, min(v.number) as number,
        sum(s.sent)::int as "peopleMessaged", sum(s.answered)::int as "peopleReplied",
        sum(s.positive)::int as "peoplePositive", sum(s.opted_out)::int as "optedOut"
      from sums s join named v using (variant_id) group by 1, 2
    )
    select f.*, timed."medianReplySeconds", timed."medianAnswerSeconds"
    from figures f
    left join timed using (id)
    order by f.version desc, f.number, f.name, f.id`
}
