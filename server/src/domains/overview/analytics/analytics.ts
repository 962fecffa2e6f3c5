import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import { type ActivityDay, type Analytics, MEDIAN_ANSWERS_OF } from '@x-automated/contract/overview/analytics'
import type { ReplyLabel } from '@x-automated/contract/reply-labels'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../../actor.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { leadCounts, leads } from '../../../core/tables/leads.ts'
import { dms } from '../../../core/tables/messages.ts'
import { isSuppressed } from '../../../core/tables/suppressions.ts'
import type { AliasOf } from '../../../db/columns.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { type CampaignDay, daysShown, everyDay, type Period, rateOf, totalOf } from './rules.ts'

/** How many of the latest repliers are returned. */
const TOP_LEADS = 10
/** The number of latest replies that are searched for repliers. A person may have replied several times. */
const REPLIES_SEARCHED = 100
/** Replies searched per person to find, because a person may have replied several times. */
const REPLIES_OF_EACH = 4

/**
 * Figures of a workspace or one campaign, from counters (core/messages/counts.ts).
 * The cost depends on days and campaigns, not on messages. @throws Refusal CAMPAIGN_NOT_FOUND
 */
export async function find(
  db: Db,
  actor: Actor,
  { campaignId, ...range }: InputOf<'analytics', 'find'>,
): Promise<Analytics> {
  const campaign = campaignId === undefined ? null : await findCampaign(db, actor, campaignId)
  const timeZone = await findTimeZone(db, actor)
  const days = daysShown(range, await findToday(db, timeZone))
  const isAllTime = range.from === undefined && range.to === undefined
  const scope: Scope = { actor, campaignId: campaign?.id ?? null, timeZone }
  const [activityDays, allTime, topPerformingLeads, medianAnswerSeconds, leadsCount] = await Promise.all([
    readDays(db, scope, days),
    isAllTime ? readAllTime(db, scope) : null,
    findTopLeads(db, scope, isAllTime ? null : days),
    findMedianAnswer(db, scope, isAllTime ? null : days),
    // Direct messages have no list: any lead of the workspace can get one.
    campaign?.kind === 'campaign' ? campaign.totalLeadsInList : countLeads(db, actor),
  ])
  const { sent, delivered, replied } = allTime ?? totalOf(activityDays)
  const positive = allTime?.positive ?? activityDays.reduce((sum, day) => sum + day.positive, 0)
  return {
    leadsCount,
    messagesSent: sent,
    messagesDelivered: delivered,
    replies: replied,
    replyRate: rateOf(replied, sent),
    positiveReplies: positive,
    positiveReplyRate: rateOf(positive, sent),
    medianAnswerSeconds,
    clickRate: null,
    conversionRate: sent > 0 ? rateOf(replied, leadsCount) : null,
    topPerformingLeads,
    series: everyDay(days, activityDays, { sent: 0, delivered: 0, replied: 0, positive: 0 }),
    timeZone,
  }
}

/** The workspace whose figures are read. */
type Tenant = Pick<Actor, 'workspaceId'>

interface Scope {
  actor: Tenant
  campaignId: string | null
  timeZone: string
}

/** @throws Refusal CAMPAIGN_NOT_FOUND */
export async function findCampaign(db: Db, actor: Tenant, id: string) {
  const isMeant =
    id === 'direct' ? eq(campaigns.kind, 'direct') : and(eq(campaigns.id, id), eq(campaigns.kind, 'campaign'))
  const [row] = await db
    .select({ id: campaigns.id, kind: campaigns.kind, totalLeadsInList: campaigns.totalLeadsInList })
    .from(campaigns)
    .where(and(eq(campaigns.workspaceId, actor.workspaceId), isMeant))
  if (row) return row
  // The campaign 'Direct' is created with the first direct message.
  if (id === 'direct') return { id: NO_ID, kind: 'direct' as const, totalLeadsInList: 0 }
  throw new Refusal('CAMPAIGN_NOT_FOUND')
}

/** The time zone of the most recently chosen X account with sending limits; UTC if no limits are set. */
export async function findTimeZone(db: Db, actor: Tenant): Promise<string> {
  const { rows } = await db.execute<{ timeZone: string }>(sql`
    select p.time_zone as "timeZone" from sending_limits p left join x_accounts a on a.id = p.x_account_id
    where p.workspace_id = ${actor.workspaceId}
    order by a.chosen_at desc nulls last limit 1`)
  return rows[0]?.timeZone ?? 'UTC'
}

/** The current day in a time zone. */
export async function findToday(db: Db, timeZone: string): Promise<string> {
  const { rows } = await db.execute<{ today: string }>(
    sql`select (now() at time zone ${timeZone})::date::text as today`,
  )
  return one(rows).today
}

/** Reads activity by day. A slot is a quarter of an hour, so in any time zone it belongs to one day. */
async function readDays(db: Db, { actor, campaignId, timeZone }: Scope, days: Period) {
  const { rows } = await db.execute<ActivityDay & { positive: number }>(sql`
    select (slot at time zone ${timeZone})::date::text as day, ${messageSums}
    from dm_activity
    where ${campaignId ? sql`campaign_id = ${campaignId}` : sql`workspace_id = ${actor.workspaceId}`}
      and ${sentIn(days, timeZone)}
    group by 1`)
  return rows
}

/** SQL over `dm_activity`: sums by the outcome of messages. */
const messageSums = sql`
  sum(sent)::int as sent, sum(delivered)::int as delivered, sum(replied)::int as replied, sum(positive)::int as positive`

/** SQL over `dm_activity a`: sums of people by outcome. A person counts on the day of their first message. */
export const peopleSums = sql`
  sum(a.people)::int as "peopleMessaged", sum(a.people_replied)::int as "peopleReplied",
  sum(a.people_positive)::int as "peoplePositive", sum(a.people_opted_out)::int as "optedOut"`

/** SQL over `dm_activity`: the messages were sent on these days. */
export function sentIn({ from, to }: Period, timeZone: string): SQL {
  return sql`slot >= ${startOf(from, timeZone)} and slot < ${startOf(to, timeZone, 1)}`
}

/** SQL: the moment at which a day starts in a time zone. @param later number of days to add */
export function startOf(day: string, timeZone: string, later = 0): SQL {
  return sql`((${day}::date + ${later}::int)::timestamp at time zone ${timeZone})`
}

/** The days of one campaign, or of all campaigns without direct messages and sample data. */
export async function readCampaignDays(db: Db, scope: Scope, days: Period): Promise<CampaignDay[]> {
  const { actor, campaignId, timeZone } = scope
  const { rows } = await db.execute<CampaignDay>(sql`
    select c.id as "campaignId", c.name, (slot at time zone ${timeZone})::date::text as day,
      ${messageSums}, sum(answered)::int as answered, ${peopleSums}
    from dm_activity a
    join campaigns c on c.id = a.campaign_id
      and c.workspace_id = a.workspace_id
      and ${campaignId ? sql`c.id = ${campaignId}` : sql`c.kind = 'campaign' and not c.is_sample`}
    where a.workspace_id = ${actor.workspaceId}
      and ${campaignId ? sql`a.campaign_id = ${campaignId}` : sql`true`}
      and ${sentIn(days, timeZone)}
    group by c.id, 3 having sum(sent) > 0`)
  return rows
}

/** The first and the last day on which a campaign sent messages; null: it never has. */
export async function findSentDays(db: Db, { campaignId, timeZone }: Scope): Promise<Period | null> {
  const { rows } = await db.execute<{ from: string | null; to: string | null }>(sql`
    select (min(slot) at time zone ${timeZone})::date::text as
    from, (max(slot) at time zone ${timeZone})::date::text as to
    from dm_activity where campaign_id = ${campaignId} and sent > 0`)
  const { from, to } = one(rows)
  return from && to ? { from, to } : null
}

/** Someone who has replied, with the label of their latest conversation. */
interface Replier extends Record<string, unknown> {
  handle: string
  name: string
  repliedAt: string
  label: ReplyLabel | null
}

/**
 * People who replied to campaigns, the latest first, each once. Automatic replies do not count.
 * Over all campaigns, sample data does not count either. @param days limits the replies; null for
 * all
 */
export async function findRepliers(db: Db, scope: Scope, days: Period | null, limit: number): Promise<Replier[]> {
  const { rows } = await db.execute<Replier>(sql`
    with answers as (
      select d.lead_id, d.replied_at from dms d
      where ${repliedIn(scope, days)} and d.answers <> 0 and d.enrollment_id is not null
      order by d.replied_at desc limit ${limit * REPLIES_OF_EACH}
    )
    select l.twitter_handle as handle, l.name, max(a.replied_at) as "repliedAt", (
        select c.label from conversations c where c.workspace_id = l.workspace_id and c.lead_id = l.id
        order by c.last_message_at desc limit 1
      ) as label
    from answers a join leads l on l.id = a.lead_id ${scope.campaignId ? sql`` : sql`and not l.is_sample`}
    group by l.id order by max(a.replied_at) desc, l.id limit ${limit}`)
  return rows
}

async function readAllTime(db: Db, { actor, campaignId }: Scope) {
  const { rows } = await db.execute<Omit<ActivityDay, 'day'> & { positive: number }>(sql`
    select (
        select coalesce(sum(positive), 0)::int from dm_activity
        where ${campaignId ? sql`campaign_id = ${campaignId}` : sql`workspace_id = ${actor.workspaceId}`}
      ) as positive, coalesce(sum(dms_sent_count), 0)::int as sent,
      coalesce(sum(dms_delivered_count), 0)::int as delivered, coalesce(sum(dms_replied_count), 0)::int as replied
    from campaigns where workspace_id = ${actor.workspaceId} ${campaignId ? sql`and id = ${campaignId}` : sql``}`)
  return one(rows)
}

async function countLeads(db: Db, actor: Tenant): Promise<number> {
  const rows = await db
    .select({ total: sql<number>`coalesce(sum(${leadCounts.count}), 0)::int` })
    .from(leadCounts)
    .where(eq(leadCounts.workspaceId, actor.workspaceId))
  return one(rows).total
}

/**
 * SQL over an alias of messages with a reply: the median number of seconds, rounded, until we
 * answered by hand on X or with a direct message.
 */
export function medianAnswer(message: AliasOf<typeof dms>): SQL {
  return sql`round(percentile_cont(0.5) within group (order by extract(epoch from least(
    (select min(w.at) from replies w
     where w.lead_id = ${message.leadId} and w.kind = 'written' and w.at >= ${message.repliedAt}),
    (select min(m.sent_at) from dms m join campaigns k on k.id = m.campaign_id and k.kind = 'direct'
     where m.lead_id = ${message.leadId} and m.id <> ${message.id} and m.sent_at >= ${message.repliedAt})
    ) - ${message.repliedAt})))::int`
}

/** The median answer time of the latest replies. @param days limits the replies; null for all */
async function findMedianAnswer(db: Db, scope: Scope, days: Period | null) {
  const { rows } = await db.execute<{ seconds: number | null }>(sql`
    select ${medianAnswer(alias(dms, 'd'))} as seconds from (
      select d.id, d.lead_id, d.replied_at from dms d
      where ${repliedIn(scope, days)} and d.answers <> 0 order by d.replied_at desc limit ${MEDIAN_ANSWERS_OF}
    ) d`)
  return one(rows).seconds
}

/** SQL over `dms d`: the message has a reply that arrived on these days. Two indexes sort such messages by time. */
function repliedIn({ actor, campaignId, timeZone }: Scope, days: Period | null): SQL {
  const during = days
    ? sql`and d.replied_at >= ${startOf(days.from, timeZone)} and d.replied_at < ${startOf(days.to, timeZone, 1)}`
    : sql``
  return sql`${campaignId ? sql`d.campaign_id = ${campaignId}` : sql`d.workspace_id = ${actor.workspaceId}`}
    and d.status = 'replied' and d.replied_at is not null ${during}`
}

/**
 * The leads who replied most recently, each once. People who asked to stop are left out. @param
 * days limits the replies; null for all
 */
async function findTopLeads(db: Db, scope: Scope, days: Period | null) {
  const { rows } = await db.execute<{ handle: string; name: string; repliedAt: string }>(sql`
    with answers as (
      select d.lead_id, d.replied_at from dms d join leads l on l.id = d.lead_id
      where ${repliedIn(scope, days)} and not ${isSuppressed(alias(leads, 'l'))} and not exists (
        select
        from conversations c
        where c.workspace_id = d.workspace_id and c.lead_id = d.lead_id and c.label = 'opted_out'
      )
      order by d.replied_at desc limit ${REPLIES_SEARCHED}
    )
    select l.twitter_handle as handle, l.name, max(a.replied_at) as "repliedAt"
    from answers a join leads l on l.id = a.lead_id
    group by l.id order by max(a.replied_at) desc, l.id limit ${TOP_LEADS}`)
  return rows.map((row) => ({ ...row, repliedAt: new Date(row.repliedAt).toISOString() }))
}
