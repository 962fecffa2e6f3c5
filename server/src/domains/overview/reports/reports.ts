import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import { formatMonth } from '@x-automated/contract/format'
import {
  REPORT_CAMPAIGNS_MAX,
  REPORT_DAYS_MAX,
  REPORT_DAYS_VALID,
  REPORT_PEOPLE_MAX,
  REPORTS_MAX,
} from '@x-automated/contract/overview/report-limits'
import type { Report } from '@x-automated/contract/overview/reports'
import { hasClientReports } from '@x-automated/contract/platform/plans'
import { DAY_MS, MINUTE_MS } from '@x-automated/contract/time'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Actor, WorkspaceScope } from '../../../actor.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { createSealer, hashToken, newToken, type Sealer } from '../../../sealing.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { workspaces } from '../../identity/workspaces/tables.ts'
import { findStepFigures } from '../../outreach/sequences/figures.ts'
import { planOf, requireClientReports } from '../../platform/billing/plan.ts'
import { find as findBranding } from '../../platform/branding/branding.ts'
import {
  findRepliers,
  findSentDays,
  findTimeZone,
  findToday,
  readCampaignDays,
  sentIn,
} from '../analytics/analytics.ts'
import type { CampaignDay } from '../analytics/rules.ts'
import { daysOf, daysOfMonth, totalsOf } from './rules.ts'
import { reports } from './tables.ts'

type Row = typeof reports.$inferSelect
type Context = Pick<RequestContext, 'db' | 'env' | 'origin'>

/** The workspace's reports, newest first. */
export async function list(context: Context, actor: Actor, { page, pageSize }: InputOf<'reports', 'list'>) {
  const { db } = context
  const isOwn = eq(reports.workspaceId, actor.workspaceId)
  const isIncluded = hasClientReports(await planOf(db, actor.workspaceId))
  const rows = await db
    .select({ report: reports, creator: authUsers.name })
    .from(reports)
    .leftJoin(authUsers, eq(authUsers.id, reports.createdBy))
    .where(isOwn)
    .orderBy(desc(reports.id))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
  const urlOf = createUrls(context)
  return {
    reports: rows.map(({ report, creator }) => answerOf(report, creator, isIncluded, urlOf)),
    total: await db.$count(reports, isOwn),
    page,
    pageSize,
  }
}

function answerOf(row: Row, creator: string | null, isIncluded: boolean, urlOf: (row: Row) => string | null) {
  const isExpired = row.expiresAt.getTime() <= Date.now()
  const status: Report['status'] = isExpired ? 'expired' : isIncluded ? 'active' : 'plan'
  return {
    ...row,
    url: urlOf(row),
    status,
    createdBy: creator === null ? null : { id: row.createdBy, name: creator },
  }
}

/** Creates a function that returns a report's URL, or null if its token was sealed with another secret. */
function createUrls({ env, origin }: Context) {
  const sealer = sealerOf(env)
  return ({ sealedToken }: Row): string | null => {
    try {
      return `${origin}/r/${sealer.open(sealedToken)}`
    } catch {
      return null
    }
  }
}

function sealerOf({ authSecret }: Context['env']): Sealer {
  return createSealer(authSecret, 'x-automated reports')
}

/** @throws Refusal PLAN_LIMIT, CAMPAIGN_NOT_FOUND, TOO_MANY, INVALID_INPUT */
export async function create(context: Context, actor: Actor, input: InputOf<'reports', 'create'>) {
  const { db, env } = context
  const { workspaceId, userId } = actor
  await requireClientReports(db, workspaceId)
  const expiresAt = expiryOf(input.expiresAt)
  const token = newToken()
  // If the campaign is deleted in the meantime, the retry does not find it.
  return transact(db, async (tx) => {
    const subject = await findSubject(tx, actor, input)
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('Reports of ' || ${workspaceId}, 0))`)
    if ((await tx.$count(reports, eq(reports.workspaceId, workspaceId))) >= REPORTS_MAX)
      throw new Refusal('TOO_MANY', `A workspace has at most ${REPORTS_MAX} client reports. Delete one first.`)
    const values = {
      ...subject,
      workspaceId,
      kind: input.kind,
      title: input.title ?? subject.title,
      sealedToken: sealerOf(env).seal(token),
      tokenHash: hashToken(token),
      includesPeople: input.includesPeople,
      createdBy: userId,
      expiresAt,
    }
    const row = one(await tx.insert(reports).values(values).returning())
    const [creator] = await tx.select({ name: authUsers.name }).from(authUsers).where(eq(authUsers.id, userId))
    return answerOf(row, creator?.name ?? null, true, createUrls(context))
  })
}

function expiryOf(wanted: string | undefined): Date {
  const now = Date.now()
  const expiry = wanted ? new Date(wanted) : new Date(now + REPORT_DAYS_VALID * DAY_MS)
  if (expiry.getTime() <= now) throw invalidField('expiresAt', 'must be in the future')
  // Allows a minute more, because clocks differ.
  if (expiry.getTime() > now + REPORT_DAYS_MAX * DAY_MS + MINUTE_MS)
    throw invalidField('expiresAt', `must be at most ${REPORT_DAYS_MAX} days from now`)
  return expiry
}

/** Finds a report's campaign or month, and its default title. @throws Refusal CAMPAIGN_NOT_FOUND, INVALID_INPUT */
async function findSubject(db: Db, actor: Actor, { campaignId, month }: InputOf<'reports', 'create'>) {
  if (month !== undefined) {
    const today = await findToday(db, await findTimeZone(db, actor))
    if (month > today.slice(0, 7)) throw invalidField('month', 'must not be in the future')
    return { campaignId: null, month, title: formatMonth(month) }
  }
  const campaign = await findCampaign(db, actor.workspaceId, campaignId ?? NO_ID)
  if (!campaign) throw new Refusal('CAMPAIGN_NOT_FOUND')
  return { campaignId: campaign.id, month: null, title: campaign.name }
}

async function findCampaign(db: Db, workspaceId: string, id: string) {
  const [campaign] = await db
    .select({ id: campaigns.id, name: campaigns.name })
    .from(campaigns)
    .where(and(eq(campaigns.workspaceId, workspaceId), eq(campaigns.id, id), eq(campaigns.kind, 'campaign')))
  return campaign
}

/** @throws Refusal REPORT_NOT_FOUND */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  const removed = await db
    .delete(reports)
    .where(and(eq(reports.workspaceId, actor.workspaceId), eq(reports.id, id)))
    .returning({ id: reports.id })
  if (removed.length === 0) throw new Refusal('REPORT_NOT_FOUND')
}

/**
 * The report of a token, for anyone. Unknown tokens, expired tokens and plans without reports get
 * the same refusal, after the same reads. @throws Refusal REPORT_NOT_FOUND, RATE_LIMITED
 */
export async function find(context: Pick<RequestContext, 'db' | 'limits' | 'request'>, token: string) {
  const { db, limits, request } = context
  await limits.consume('reportByAddress', request)
  const [row] = await db
    .select({ report: reports, workspaceName: workspaces.name })
    .from(reports)
    .innerJoin(workspaces, eq(workspaces.id, reports.workspaceId))
    .where(and(eq(reports.tokenHash, hashToken(token)), sql`${reports.expiresAt} > now()`))
  const plan = await planOf(db, row?.report.workspaceId ?? NO_ID)
  if (!row || !hasClientReports(plan)) throw new Refusal('REPORT_NOT_FOUND')
  const { report, workspaceName } = row
  // The token opens this report of the workspace, and nothing else.
  const workspaceId = report.workspaceId as WorkspaceScope
  const figures = await recentFigures(db, workspaceId, report)
  return {
    title: report.title,
    kind: report.kind,
    ...figures,
    workspace: { ...(await findBranding(db, { workspaceId })), name: workspaceName },
  }
}

/** Figures by report, only in this process's memory, because they may name people. */
const cache = new Map<string, { until: number; figures: ReturnType<typeof readFigures> }>()
const KEPT_MS = 5 * MINUTE_MS
const KEPT_MAX = 100

/** Figures that are at most 5 minutes old. Concurrent readers share one read. */
function recentFigures(db: Db, workspaceId: WorkspaceScope, report: Row): ReturnType<typeof readFigures> {
  const now = Date.now()
  const cached = cache.get(report.id)
  if (cached && cached.until > now) return cached.figures
  for (const [id, { until }] of cache) if (until <= now || cache.size >= KEPT_MAX) cache.delete(id)
  const figures = readFigures(db, workspaceId, report)
  cache.set(report.id, { until: now + KEPT_MS, figures })
  figures.catch(() => cache.delete(report.id))
  return figures
}

async function readFigures(db: Db, workspaceId: WorkspaceScope, { campaignId, month, includesPeople }: Row) {
  const actor = { workspaceId }
  const timeZone = await findTimeZone(db, actor)
  const scope = { actor, campaignId, timeZone }
  const today = await findToday(db, timeZone)
  const days =
    month === null ? ((await findSentDays(db, scope)) ?? { from: today, to: today }) : daysOfMonth(month, today)
  const campaignDays = await readCampaignDays(db, scope, days)
  const topCampaigns = await withNames(db, workspaceId, campaignId, campaignDays)
  const steps = await findStepFigures(
    db,
    workspaceId,
    topCampaigns.map(({ id }) => id),
    sentIn(days, timeZone),
  )
  const people = includesPeople ? await findRepliers(db, scope, month === null ? null : days, REPORT_PEOPLE_MAX) : null
  return {
    ...days,
    totals: totalsOf(campaignDays),
    days: daysOf(days, campaignDays),
    campaigns: topCampaigns.map(({ id, name, totals }) => ({ name, totals, steps: steps.get(id) ?? [] })),
    people:
      people?.map(({ handle, name, label, repliedAt }) => ({
        name,
        twitterHandle: handle,
        label,
        repliedAt: new Date(repliedAt),
      })) ?? null,
  }
}

/** Campaigns with the most messages in the period. A campaign's own report lists it even without messages. */
async function withNames(db: Db, workspaceId: string, campaignId: string | null, campaignDays: readonly CampaignDay[]) {
  if (campaignDays.length === 0 && campaignId) {
    const campaign = await findCampaign(db, workspaceId, campaignId)
    return campaign ? [{ ...campaign, totals: totalsOf([]) }] : []
  }
  return [...Map.groupBy(campaignDays, (row) => row.campaignId)]
    .map(([id, rows]) => ({ id, name: rows[0]?.name ?? '', totals: totalsOf(rows) }))
    .sort((a, b) => b.totals.messagesSent - a.totals.messagesSent)
    .slice(0, REPORT_CAMPAIGNS_MAX)
}
