import { createHash } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import { formatCount } from '@x-automated/contract/format'
import type { LeadFilter, LeadSelection } from '@x-automated/contract/leads/leads'
import type { Opener } from '@x-automated/contract/outreach/openers'
import { faultText } from '@x-automated/contract/outreach/writer-text'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../../actor.ts'
import { profileOf } from '../../../core/openers/of-leads.ts'
import { storeOpeners } from '../../../core/openers/openers.ts'
import type { ResolvedFilter } from '../../../core/people/filter.ts'
import { resolveFilter, selectLeads } from '../../../core/people/selection.ts'
import { findCampaign } from '../../../core/sequences/sequence.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { leads } from '../../../core/tables/leads.ts'
import { openers } from '../../../core/tables/openers.ts'
import { suppressionReason } from '../../../core/tables/suppressions.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import type { Services } from '../../../services.ts'
import { leadLists } from '../../leads/lists/tables.ts'
import type { JobPart, JobRow } from '../../platform/jobs/engine.ts'
import { create as createJob, findUnfinished } from '../../platform/jobs/jobs.ts'
import { aboutOf } from '../writer/about.ts'
import { beyondBudget, settle } from '../writer/budget.ts'
import type { Facts } from '../writer/data.ts'
import type { WriterContext } from '../writer/engine.ts'
import { estimateOpeners, type WrittenOpener as Written, writeOpener } from '../writer/openers.ts'
import { findModel, type ModelProvider } from '../writer/provider.ts'

// Writes openers: for a selection of leads as a job, or for one lead again.

type Selection = { leadIds?: string[] | undefined; filter?: ResolvedFilter | undefined }
type Campaign = typeof campaigns.$inferSelect

/** A job's input. */
interface OpenersInput extends Selection {
  campaignId: string
  source: Opener['source']
}

/** An opener to store: `text` is '' if nothing could be written. */
export type WrittenOpener = Omit<Written, 'text'> & {
  text: string
  leadId: string
  profileHash: string
  requestHash: string | null
}

// Starting

/** @throws Refusal CAMPAIGN_NOT_FOUND, FILTER_NOT_FOUND, PLAN_LIMIT */
export async function estimate(
  context: RequestContext,
  actor: Actor,
  { id, leadIds, filter }: InputOf<'openers', 'estimate'>,
) {
  const { db } = context
  const campaign = await findCampaign(db, actor, id)
  const leads = await countLeads(db, campaign, await resolved(db, actor, { leadIds, filter }))
  const work = { leads, template: campaign.messageTemplate }
  const { tokens, costCents, remainingCents } = await estimateOpeners(context, actor.workspaceId, work)
  return { leads, tokens, costCents, remainingCents }
}

/** @throws Refusal CAMPAIGN_NOT_FOUND, CAMPAIGN_STATE, FILTER_NOT_FOUND, PLAN_LIMIT, BUDGET_EXCEEDED */
export async function create(
  context: RequestContext,
  actor: Actor,
  { id, source, ...criteria }: InputOf<'openers', 'create'>,
) {
  const { db, jobs } = context
  const campaign = await findCampaign(db, actor, id)
  if (isOver(campaign))
    throw new Refusal('CAMPAIGN_STATE', `A campaign that is ${campaign.status} sends no more messages.`)
  const selection = await resolved(db, actor, criteria)
  const total = await countLeads(db, campaign, selection)
  const { model, fits } = await estimateOpeners(context, actor.workspaceId, {
    leads: total,
    template: campaign.messageTemplate,
  })
  const isByModel = model !== null && source !== 'built_in'
  const input: OpenersInput = { ...selection, campaignId: id, source: isByModel ? 'model' : 'built_in' }
  return db.transaction(async (tx) => {
    await lockParts(tx, id)
    const same = await findUnfinished(tx, actor, { kind: 'openers', input })
    if (same) return same
    if (isByModel && !fits)
      throw await beyondBudget(tx, { workspaceId: actor.workspaceId, payer: model.from }, model.limits)
    return createJob(tx, jobs, actor, { kind: 'openers', input, total })
  })
}

/** Whether a campaign will send no more messages. */
const isOver = ({ status }: Pick<Campaign, 'status'>) => status === 'archived' || status === 'completed'

/** Locks the openers of a campaign, so that its parts and new jobs run one at a time. */
async function lockParts(tx: Db, campaignId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('openers of ' || ${campaignId}::text, 0))`)
}

async function resolved(db: Db, actor: Actor, { leadIds, filter }: LeadSelection): Promise<Selection> {
  return filter ? { filter: await resolveFilter(db, actor, filter) } : { leadIds }
}

async function countLeads(db: Db, campaign: Campaign, selection: Selection): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count ${await fromLeads(db, campaign, selection)}`,
  )
  return one(rows).count
}

/** SQL, a `from` clause: selected leads `l` of the list who are not suppressed and have no opener or a failed one. */
async function fromLeads(db: Db, campaign: Campaign, selection: Selection): Promise<SQL> {
  return sql`from leads l where l.workspace_id = ${campaign.workspaceId} and l.id in (${await membersOf(db, campaign)})
    and l.id in (${selectLeads(campaign, selection)}) and ${suppressionReason(alias(leads, 'l'))} is null
    and not exists (select from openers o where o.workspace_id = l.workspace_id
      and o.campaign_id = ${campaign.id} and o.lead_id = l.id and o.status <> 'failed')`
}

/** SQL: the ids of the leads in a campaign's list. */
async function membersOf(db: Db, { workspaceId, leadListId }: Campaign): Promise<SQL> {
  const [list] = await db
    .select({ filter: leadLists.filter })
    .from(leadLists)
    .where(and(eq(leadLists.id, leadListId ?? NO_ID), eq(leadLists.workspaceId, workspaceId)))
  const filter: LeadFilter | null = list?.filter ?? null
  if (filter) return selectLeads({ workspaceId }, { filter })
  return sql`select lead_id from lead_list_items where lead_list_id = ${leadListId}`
}

// Writing

/** Leads read per query. */
const LEADS_AHEAD = 5_000
/** Leads per part. Their openers are written in parallel; a killed process loses at most one part. */
const PART = 5
/** How many times in a row a job waits for a model that receives too many requests. */
const PAUSES_MAX = 3
/** How long to wait if the provider does not say. */
const PAUSE_SECONDS = 5
/** The longest time that a job waits for a provider. */
const PAUSE_SECONDS_MAX = 60

/** Writes a job's openers part by part, starting after its stored position. */
export async function* writeOpeners(services: Services, job: JobRow): AsyncGenerator<JobPart> {
  const { db } = services.database
  const { campaignId, source, ...selection } = job.input as OpenersInput
  const findOpen = async () => {
    const [row] = await db
      .select()
      .from(campaigns)
      .where(and(eq(campaigns.id, campaignId), eq(campaigns.workspaceId, job.workspaceId)))
    return row && !isOver(row) ? row : null
  }
  const campaign = await findOpen()
  if (!campaign) return
  const context = { ...services, db }
  const by = { workspaceId: job.workspaceId, userId: job.createdBy }
  const writing = await writingOf(context, by, source)
  let warning = job.error
  for (let position = job.place; ; ) {
    const leads = await fromLeads(db, campaign, selection)
    const { rows } = await db.execute<{ id: string }>(sql`
      select l.id ${leads} and l.created_at <= ${job.createdAt.toISOString()}::timestamptz
        and l.id > ${position ?? NO_ID}::uuid order by l.id limit ${LEADS_AHEAD}`)
    for (let from = 0; from < rows.length; from += PART) {
      // The campaign may have been archived in the meantime.
      if (!(await findOpen())) return
      const ids = rows.slice(from, from + PART).map(({ id }) => id)
      const tasks = ids.map((leadId) => write(context, by, { campaign, leadId, ...writing, isCached: true }))
      const written = (await Promise.all(tasks)).filter((opener) => opener !== null)
      const calls = written.flatMap((opener) => opener.calls)
      // The built-in writer does not replace a model whose budget is used up.
      const affordable = written.filter(({ fault }) => fault !== 'budget')
      const pauseSeconds = job.failures < PAUSES_MAX ? pauseOf(affordable) : null
      const isKept = ({ fault, text }: WrittenOpener) =>
        pauseSeconds === null || (fault !== 'rate_limited' && text !== '')
      const storable = affordable.filter(isKept)
      // From this lead on, the job looks again for leads without an opener.
      const firstLeft = affordable.find((opener) => !isKept(opener))?.leadId
      position = firstLeft ? (ids[ids.indexOf(firstLeft) - 1] ?? position) : (ids.at(-1) ?? position)
      const fault = storable.find((opener) => opener.fault)?.fault
      yield {
        place: position ?? NO_ID,
        done: firstLeft ? storable.length : ids.length,
        async save(tx, before) {
          await lockParts(tx, campaign.id)
          const changed = await storeOpeners(tx, campaign, storable)
          await settle(tx, calls)
          if (affordable.length < written.length) return { changed, error: budgetEnded(before + changed) }
          if (fault) warning = `${faultText(fault)} ${BUILT_IN_INSTEAD}`
          else if (pauseSeconds !== null) warning ??= PAUSED
          else if (warning === PAUSED) warning = null
          return { changed, warning }
        },
        drop: () => settle(db, calls),
        ...(pauseSeconds !== null && { pauseUntil: new Date(Date.now() + pauseSeconds * 1_000) }),
      }
    }
    if (rows.length < LEADS_AHEAD) return
  }
}

/** Seconds to wait for a model that receives too many requests; null: no wait is needed, or it would be too long. */
function pauseOf(written: readonly WrittenOpener[]): number | null {
  const limited = written.filter(({ fault }) => fault === 'rate_limited')
  const seconds = Math.max(...limited.map(({ retryAfterSeconds }) => retryAfterSeconds ?? PAUSE_SECONDS))
  return limited.length > 0 && seconds <= PAUSE_SECONDS_MAX ? Math.max(1, seconds) : null
}

const PAUSED = `${faultText('rate_limited')} The openers take longer.`
const BUILT_IN_INSTEAD = 'The built-in writer took over.'
const budgetEnded = (count: number) =>
  `The budget for AI ended. ${formatCount(count, 'opener was', 'openers were')} written and kept.`

interface Task {
  campaign: Pick<Campaign, 'id' | 'messageTemplate'>
  leadId: string
  model: ModelProvider | null
  about: string
  /** Whether to accept what the model wrote earlier for the same request. */
  isCached?: boolean
  signal?: AbortSignal | undefined
}

/** Writes a lead's opener. @returns null: the lead was deleted */
async function write(
  context: WriterContext,
  by: { workspaceId: string; userId: string },
  { campaign, leadId, model, about, isCached = false, signal }: Task,
): Promise<WrittenOpener | null> {
  const { rows } = await context.db.execute<{ [Key in keyof Facts]: Facts[Key] } & { profileHash: string }>(sql`
    select l.name, l.bio, l.website, l.source_profile as source, md5(${profileOf(alias(leads, 'l'))}) as "profileHash"
    from leads l where l.workspace_id = ${by.workspaceId} and l.id = ${leadId}`)
  const [lead] = rows
  if (!lead) return null
  const { profileHash, ...facts } = lead
  const input = { facts, about, template: campaign.messageTemplate }
  const inputHash =
    model &&
    createHash('sha256')
      .update(JSON.stringify([model.kind, model.model, input]))
      .digest('hex')
  const cached = isCached && inputHash ? await findWritten(context.db, by.workspaceId, leadId, inputHash) : undefined
  const written = cached ?? (await writeOpener(context, by, { ...input, signal }, model))
  const requestHash = written.source === 'model' ? inputHash : null
  return { ...written, text: written.text ?? '', leadId, profileHash, requestHash }
}

/** A model's unedited text for the same request, in any campaign. */
async function findWritten(db: Db, workspaceId: string, leadId: string, requestHash: string) {
  const [row] = await db
    .select({ text: openers.text, factsUsed: openers.factsUsed })
    .from(openers)
    .where(
      and(
        eq(openers.workspaceId, workspaceId),
        eq(openers.leadId, leadId),
        eq(openers.requestHash, requestHash),
        eq(openers.version, 1),
      ),
    )
    .limit(1)
  return row && { ...row, source: 'model' as const, fault: null, retryAfterSeconds: null, calls: [] }
}

/** Writes one lead's opener, by the model if there is one. @throws Refusal OPENER_NOT_FOUND: no such lead */
export async function writeOne(
  context: WriterContext,
  actor: Actor,
  { campaignId, leadId, signal }: { campaignId: string; leadId: string; signal?: AbortSignal | undefined },
): Promise<WrittenOpener> {
  const campaign = await findCampaign(context.db, actor, campaignId)
  const task = { campaign, leadId, signal, ...(await writingOf(context, actor, 'model')) }
  const written = await write(context, actor, task)
  if (!written) throw new Refusal('OPENER_NOT_FOUND')
  return written
}

async function writingOf(context: WriterContext, of: { workspaceId: string }, source: Opener['source']) {
  const model = source === 'model' ? await findModel(context, of.workspaceId) : null
  return { model, about: await aboutOf(context.db, of) }
}
