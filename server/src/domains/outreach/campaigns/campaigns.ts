import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, ilike, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import {
  applyChanges,
  type Changes,
  campaignAnswer,
  columns,
  find,
  insert,
  ofWorkspace,
} from '../../../core/campaigns/campaign.ts'
import { waitForInFlight } from '../../../core/campaigns/pause.ts'
import { findAccount } from '../../../core/messages/accounts.ts'
import { anywhere } from '../../../core/people/filter.ts'
import { planSteps } from '../../../core/sequences/sequence.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import type { Db } from '../../../db/open.ts'
import { newestFirst } from '../../../db/paging.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import type { SignedInContext } from '../../../requests/context.ts'
import { leadLists } from '../../leads/lists/tables.ts'
import { requireTemplate } from '../templates/templates.ts'

/**
 * Lists campaigns, newest first: all, or those of a list or template.
 * @throws Refusal INVALID_INPUT: invalid cursor
 */
export async function list(
  db: Db,
  actor: Actor,
  { leadListId, templateId, status, keyword, ...input }: InputOf<'campaigns', 'list'>,
) {
  const page = newestFirst(input, campaigns.createdAt, campaigns.id)
  const matches = and(
    ofWorkspace(actor),
    leadListId === undefined ? undefined : eq(campaigns.leadListId, leadListId),
    templateId === undefined ? undefined : eq(campaigns.templateId, templateId),
    status && eq(campaigns.status, status),
    keyword ? ilike(campaigns.name, anywhere(keyword)) : undefined,
  )
  const [rows, total] = await Promise.all([
    db
      .select(columns)
      .from(campaigns)
      .leftJoin(leadLists, eq(leadLists.id, campaigns.leadListId))
      .where(and(matches, page.where))
      .orderBy(...page.order)
      .limit(page.limit)
      .offset(page.offset),
    db.$count(campaigns, matches),
  ])
  const { shown: visible, paging } = page.cut(rows, ({ createdAt, id }) => ({ at: createdAt, id }))
  const sent = await findSentByDay(db, actor, visible)
  return { campaigns: visible.map((row) => ({ ...campaignAnswer(row), sentByDay: sent(row.id) })), total, ...paging }
}

const DAYS_SHOWN = 14

/**
 * Counts the messages that campaigns sent on each of the last DAYS_SHOWN days (UTC), today last. The
 * cost depends only on the number of campaigns.
 */
export async function findSentByDay(db: Db, { workspaceId }: Actor, of: readonly { id: string }[]) {
  const { rows } = await db.execute<{ id: string; ago: number; sent: number }>(sql`
    with today as (select (now() at time zone 'UTC')::date as day)
    select campaign_id as id, today.day - (slot at time zone 'UTC')::date as ago, sum(sent)::int as sent
    from dm_activity, today
    where campaign_id = any(${sql.param(of.map(({ id }) => id))}::uuid[]) and workspace_id = ${workspaceId}
      and slot >= (today.day - ${DAYS_SHOWN - 1}::int)::timestamp at time zone 'UTC'
    group by 1, 2`)
  const counts = new Map(rows.map(({ id, ago, sent }) => [`${id} ${ago}`, sent]))
  return (id: string) =>
    Array.from({ length: DAYS_SHOWN }, (_, index) => counts.get(`${id} ${DAYS_SHOWN - 1 - index}`) ?? 0)
}

/**
 * @throws Refusal LEAD_LIST_NOT_FOUND, X_ACCOUNT_NOT_FOUND, TEMPLATE_NOT_FOUND, PLAN_LIMIT,
 * INVALID_INPUT (placeholder)
 */
export async function create(
  db: Db,
  actor: Actor,
  { messageTemplate, steps: wanted, reengagement, ...input }: InputOf<'campaigns', 'create'>,
) {
  const steps = await planSteps(db, actor, { messageTemplate, steps: wanted, reengagement })
  const [leadList] = await db
    .select({ id: leadLists.id })
    .from(leadLists)
    .where(and(eq(leadLists.id, input.leadListId), eq(leadLists.workspaceId, actor.workspaceId)))
  if (!leadList) throw new Refusal('LEAD_LIST_NOT_FOUND')
  if (input.xAccountId) await findAccount(db, actor.workspaceId, input.xAccountId)
  if (input.templateId) await requireTemplate(db, actor, input.templateId)
  return find(db, actor, await insert(db, actor, input, steps))
}

/** How long pausing and archiving wait for claimed messages. A healthy worker owns a message for less time. */
const ANSWER_WITHIN_MS = 25_000

type UpdateContext = Pick<SignedInContext, 'db' | 'env' | 'progress'>

/**
 * Edits a campaign or changes its status. After pausing or archiving, waits up to 25 seconds for
 * claimed messages. @throws Refusal as `campaigns.update` declares
 */
export async function update(context: UpdateContext, actor: Actor, changes: Changes, signal?: AbortSignal) {
  const deadline = performance.now() + ANSWER_WITHIN_MS
  const { db, progress } = context
  const { id, status } = changes
  // Skipped if an earlier attempt of this request already committed.
  if (!progress?.begun)
    await transact(db, async (tx) => {
      await applyChanges(tx, context.env, actor, changes)
      await progress?.keep(tx, true)
    })
  if (status === 'paused' || status === 'archived') await waitForInFlight(db, id, deadline, signal)
  return find(db, actor, id)
}
