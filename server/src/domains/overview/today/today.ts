import type { InputOf } from '@x-automated/contract/contract'
import { TODAY_CAMPAIGNS, TODAY_DAYS } from '@x-automated/contract/overview/today'
import type { PauseReason } from '@x-automated/contract/reason'
import { desc, eq, sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import { columns, ofWorkspace } from '../../../core/campaigns/campaign.ts'
import { findAccount, type XAccount } from '../../../core/messages/accounts.ts'
import { latest } from '../../../core/messages/limits.ts'
import { findNextSend } from '../../../core/messages/schedule.ts'
import { findSendingState, type SendingEnv, type SendingState, warmUpOf } from '../../../core/messages/sending-state.ts'
import { withWaits } from '../../../core/messages/waits.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { parseTime } from '../../../db/parse-time.ts'
import { leadLists } from '../../leads/lists/tables.ts'
import { findSentByDay } from '../../outreach/campaigns/campaigns.ts'
import { countWaiting } from '../../outreach/conversations/conversations.ts'
import { detection } from '../../outreach/replies/detection.ts'
import { findSuspended } from '../../platform/api-keys/api-keys.ts'
import { factsOf, usageOf, usedOf } from '../../platform/billing/plan.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { findNearSpending } from '../../platform/x-costs/limit.ts'
import { findFunds } from '../../platform/x-costs/x-costs.ts'
import { findToday, sentIn } from '../analytics/analytics.ts'
import { dayAfter, everyDay, rateOf } from '../analytics/rules.ts'
import { needsOf } from './rules.ts'

interface Context {
  db: Db
  env: SendingEnv
}

/** Maximum number of automatically paused campaigns to read. Screens show fewer needs than this. */
const PAUSED_MAX = 3

/**
 * What needs the caller's attention, and what is sent. The cost depends on the number of accounts,
 * campaigns, days and waiting people. @throws Refusal X_ACCOUNT_NOT_FOUND
 */
export async function find(context: Context, actor: Actor, { xAccountId }: InputOf<'today', 'find'>) {
  const { db, env } = context
  const chosen = xAccountId ? await findAccount(db, actor.workspaceId, xAccountId) : null
  const linked = await findLinked(db, actor)
  const accounts = chosen ? [chosen] : linked
  const [repliesWaiting, campaigns, senders, needs] = await Promise.all([
    countWaiting(db, actor, chosen?.xUserId ?? null),
    findCampaigns(context, actor, chosen),
    findSenders(db, env, actor, accounts),
    findNeeds(context, actor, { accounts, chosen }),
  ])
  const [days, nextSendAt] = await Promise.all([
    findDays(db, actor, chosen, senders[0]?.accountLimits.timeZone ?? 'UTC'),
    findNext(db, actor, senders),
  ])
  const [sender] = senders
  return {
    repliesWaiting,
    sentToday: days.at(-1)?.sent ?? 0,
    countedInDay: senders.reduce((sum, { countedInDay }) => sum + countedInDay, 0),
    capNow: senders.reduce((sum, { cap }) => sum + cap.cap, 0),
    warmUp: sender && senders.length === 1 ? warmUpOf(env, sender) : null,
    nextSendAt,
    campaigns,
    days,
    needs,
  }
}

/** The accounts that are not disconnected, the current one first. */
async function findLinked(db: Db, { workspaceId }: Actor): Promise<XAccount[]> {
  return db
    .select()
    .from(xAccounts)
    .where(sql`${xAccounts.workspaceId} = ${workspaceId} and ${xAccounts.status} <> 'disconnected'`)
    .orderBy(desc(xAccounts.chosenAt), desc(xAccounts.id))
}

type SenderState = SendingState & { account: XAccount | null }

/** The sending state of the accounts or, if there are none, of the extension. */
async function findSenders(
  db: Db,
  env: SendingEnv,
  { workspaceId }: Actor,
  accounts: readonly XAccount[],
): Promise<SenderState[]> {
  const senders = accounts.length > 0 ? accounts : [null]
  return Promise.all(
    senders.map(async (account) => ({ account, ...(await findSendingState(db, env, { workspaceId, account })) })),
  )
}

/** When the first queued or planned message of these accounts goes out; null: there is none. */
async function findNext(db: Db, actor: Actor, senders: readonly SenderState[]): Promise<Date | null> {
  const connected = senders.flatMap(({ account, ...state }) =>
    account?.status === 'connected' ? { account, state } : [],
  )
  const [planned, ...queued] = await Promise.all([
    findPlanned(db, actor, connected),
    ...connected.map(({ account, state }) => findNextSend(db, account, state)),
  ])
  return firstOf([...planned, ...queued])
}

/** When each account sends its next follow-up, or first messages that wait for the plan's limit; null: neither. */
async function findPlanned(
  db: Db,
  { workspaceId }: Actor,
  connected: readonly { account: XAccount; state: SendingState }[],
): Promise<(Date | null)[]> {
  const { rows } = await db.execute<{ id: string; at: string | null }>(sql`
    select x_account_id as id, min(least(follow_up_due_at, next_part_at)) as at from campaigns
    where workspace_id = ${workspaceId}
      and status = 'active'
      and (follow_up_due_at is not null or next_part_at is not null)
    group by 1`)
  if (rows.length === 0) return []
  const { usage } = await usageOf(db, workspaceId, 'dms')
  const planResetsAt = usage.remaining === 0 ? usage.resetsAt : null
  const dueAt = new Map(rows.map(({ id, at }) => [id, parseTime(at)]))
  return connected.map(({ account, state: { cooldown } }) => {
    const at = dueAt.get(account.id) ?? null
    return at && latest(latest(at, planResetsAt), cooldown?.until ?? null)
  })
}

function firstOf(times: readonly (Date | null)[]): Date | null {
  return times.filter((time) => time !== null).sort((a, b) => a.getTime() - b.getTime())[0] ?? null
}

async function findCampaigns({ db, env }: Context, actor: Actor, account: XAccount | null) {
  const rows = await db
    .select(columns)
    .from(campaigns)
    .leftJoin(leadLists, eq(leadLists.id, campaigns.leadListId))
    .where(sql`${ofWorkspace(actor)} and ${campaigns.status} in ('active', 'paused') ${sentBy(account)}`)
    .orderBy(sql`${campaigns.status} = 'paused'`, desc(campaigns.createdAt), desc(campaigns.id))
    .limit(TODAY_CAMPAIGNS)
  const [sent, waits] = await Promise.all([findSentByDay(db, actor, rows), withWaits({ db, env, actor }, rows)])
  return waits.map((row) => ({
    ...row,
    positiveRate: rateOf(row.peoplePositive, row.peopleMessaged),
    sentByDay: sent(row.id),
  }))
}

async function findDays(db: Db, { workspaceId }: Actor, account: XAccount | null, timeZone: string) {
  const today = await findToday(db, timeZone)
  const from = dayAfter(today, 1 - TODAY_DAYS)
  const { rows } = await db.execute<{ day: string; sent: number; replied: number; positive: number }>(sql`
    select (slot at time zone ${timeZone})::date::text as day, sum(sent)::int as sent, sum(replied)::int as replied,
      sum(positive)::int as positive
    from dm_activity where workspace_id = ${workspaceId} ${account ? sql`and x_account_id = ${account.id}` : sql``}
      and ${sentIn({ from, to: today }, timeZone)}
    group by 1`)
  return everyDay({ from, to: today }, rows, { sent: 0, replied: 0, positive: 0 })
}

/** SQL over `campaigns`: they send from the account; without one, all campaigns. */
const sentBy = (account: XAccount | null) => (account ? sql`and campaigns.x_account_id = ${account.id}` : sql``)

interface Accounts {
  accounts: readonly XAccount[]
  chosen: XAccount | null
}

async function findNeeds({ db, env }: Context, actor: Actor, { accounts, chosen }: Accounts) {
  const [
    funds,
    spending,
    suspendedKeys,
    paused,
    drafts,
    { state, problem },
    { plan, subscription },
    scrapedLeads,
    dms,
    clock,
  ] = await Promise.all([
    findFunds(db, actor.workspaceId),
    findNearSpending(db, actor.workspaceId, env.messageMills),
    roleAllows(actor.role, 'admin') ? findSuspended(db, actor.workspaceId) : null,
    db.execute<{ id: string; name: string; reason: PauseReason; detail: string | null }>(sql`
      select id, name, reason, pause_reason as detail from campaigns
      where workspace_id = ${actor.workspaceId}
        and kind = 'campaign'
        and status = 'paused'
        and reason is not null ${sentBy(chosen)}
      order by updated_at desc, id limit ${PAUSED_MAX}`),
    db.execute<{ id: string; name: string; count: number }>(sql`
      select campaigns.id, name, o.draft as count
      from opener_counts o join campaigns on campaigns.id = o.campaign_id and campaigns.workspace_id = o.workspace_id
      where o.workspace_id = ${actor.workspaceId} and o.draft > 0 and status not in ('archived', 'completed')
        and ${roleAllows(actor.role, 'member')}::boolean ${sentBy(chosen)}
      order by o.draft desc, campaigns.id limit 1`),
    detection(db, actor),
    factsOf(db, actor.workspaceId),
    usedOf(db, actor.workspaceId, 'scrapedLeads'),
    usedOf(db, actor.workspaceId, 'dms'),
    db.execute<{ now: string }>(sql`select now()`),
  ])
  return needsOf({
    funds,
    spending,
    suspendedKeys,
    lostHandles: accounts.filter(({ status }) => status === 'lost').map(({ handle }) => handle),
    undecided: roleAllows(actor.role, 'member')
      ? accounts.filter(({ storesConversations, userId }) => storesConversations === null && userId === actor.userId)
      : [],
    paused: paused.rows,
    drafts: drafts.rows[0] ?? null,
    detectionProblem: state === 'degraded' ? (problem ?? '') : null,
    plan,
    subscription,
    used: { scrapedLeads, dms },
    isOwner: actor.role === 'owner',
    now: new Date(one(clock.rows).now),
  })
}
