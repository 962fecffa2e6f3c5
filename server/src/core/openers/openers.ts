import type { InputOf } from '@x-automated/contract/contract'
import type { OpenerStatus } from '@x-automated/contract/outreach/openers'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { lockRows, transact } from '../../db/transact.ts'
import { authUsers } from '../../domains/identity/auth/tables.ts'
import { Refusal } from '../../refusal.ts'
import { blockNewClaims } from '../campaigns/pause.ts'
import { readTemplate, renderedMessage } from '../messages/render.ts'
import { publishEvents } from '../neighbors.ts'
import { findCampaign, findSteps } from '../sequences/sequence.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { lockOpeners, openers } from '../tables/openers.ts'
import { enrollments, isEnrollmentOf } from '../tables/sequences.ts'
import { countOpeners, profileOf } from './of-leads.ts'

const lead = alias(leads, 'l')

const columns = {
  id: openers.id,
  campaignId: openers.campaignId,
  lead: { id: leads.id, name: leads.name, twitterHandle: leads.twitterHandle },
  text: openers.text,
  factsUsed: openers.factsUsed,
  source: openers.source,
  status: openers.status,
  version: openers.version,
  approvedBy: { id: authUsers.id, name: authUsers.name },
  approvedAt: openers.approvedAt,
  updatedAt: openers.updatedAt,
}

/** Openers with their leads and the people who approved them. */
export const select = (db: Db) =>
  db
    .select(columns)
    .from(openers)
    .innerJoin(leads, eq(leads.id, openers.leadId))
    .leftJoin(authUsers, eq(authUsers.id, openers.approvedBy))

/** Reads an opener. @throws Refusal OPENER_NOT_FOUND */
export async function find(db: Db, { workspaceId }: Actor, id: string) {
  const [row] = await select(db).where(and(eq(openers.workspaceId, workspaceId), eq(openers.id, id)))
  if (!row) throw new Refusal('OPENER_NOT_FOUND')
  return row
}

/** An opener to store. `text` is '' if nothing could be written. */
type NewOpener = Pick<
  typeof openers.$inferInsert,
  'leadId' | 'text' | 'factsUsed' | 'source' | 'profileHash' | 'requestHash'
>

/**
 * Stores new openers of leads that still exist, and replaces failed ones. Nothing else may store
 * openers of the campaign at the same time, because the counts need each row's previous status.
 * @returns how many have a text
 */
export async function storeOpeners(
  tx: Db,
  { id, workspaceId }: { id: string; workspaceId: string },
  written: readonly NewOpener[],
): Promise<number> {
  const rows = written.map(({ leadId, text, factsUsed, source, profileHash, requestHash }) => ({
    lead_id: leadId,
    text,
    facts_used: factsUsed,
    source,
    profile_hash: profileHash,
    request_hash: requestHash,
  }))
  const { rows: counted } = await tx.execute<{ changed: number }>(sql`
    with written as materialized (
      select x.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as x(lead_id uuid, text text, facts_used text[], source text, profile_hash text, request_hash text)
        join leads l on l.workspace_id = ${workspaceId} and l.id = x.lead_id
      order by l.id for key share of l
    ), old as materialized (
      select o.lead_id, o.status from openers o
      where o.workspace_id = ${workspaceId} and o.campaign_id = ${id} and o.lead_id in (select lead_id from written)
      order by o.id for no key update
    ), stored as (
      insert into openers as o (
        workspace_id, campaign_id, lead_id, text, facts_used, source, profile_hash, request_hash, status
      )
      select ${workspaceId}::uuid, ${id}::uuid, lead_id, text, facts_used, source, profile_hash, request_hash,
        case text when '' then 'failed' else 'draft' end
      from written order by lead_id
      on conflict (workspace_id, campaign_id, lead_id) do update set text = excluded.text,
        facts_used = excluded.facts_used,
        source = excluded.source, profile_hash = excluded.profile_hash, status = excluded.status,
        version = o.version + 1, updated_at = now()
        where o.status = 'failed'
      returning o.workspace_id, o.campaign_id, o.lead_id, o.status
    ), counted as (${countOpeners(sql`(
      select s.workspace_id, s.campaign_id, old.status as was_status, s.status
      from stored s
      left join old on old.lead_id = s.lead_id) changed`)})
    select (count(*) filter (where status <> 'failed'))::int as changed from stored`)
  return one(counted).changed
}

/** Approves openers that nobody has changed since the caller read them. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function approve(db: Db, actor: Actor, { id, openers: read }: InputOf<'openers', 'approve'>) {
  return transact(db, async (tx) => {
    const campaign = await findCampaign(tx, actor, id)
    const rows = sql`jsonb_to_recordset(${JSON.stringify(read)}::jsonb) as x(id uuid, version int)`
    const theirs = sql`o.campaign_id = ${campaign.id} and (o.id, o.version) in (select x.id, x.version from ${rows})`
    await lockMessages(
      tx,
      campaign.id,
      sql`select o.lead_id from openers o where o.workspace_id = ${actor.workspaceId} and ${theirs}`,
    )
    const set = sql`
      status = 'approved', profile_hash = ${PROFILE_NOW}, approved_by = coalesce(o.approved_by, ${actor.userId}::uuid),
      approved_at = coalesce(o.approved_at, now())`
    const approved = await change(tx, actor, campaign.id, sql`${theirs} and o.status <> 'failed'`, set)
    await renderAgain(
      tx,
      campaign,
      approved.map(({ leadId }) => leadId),
    )
    const ids = new Set(approved.map((opener) => opener.id))
    const changed = [...new Set(read.map((opener) => opener.id))].filter((openerId) => !ids.has(openerId))
    return { success: true as const, approved: ids.size, changed }
  })
}

type Opener = typeof openers.$inferSelect
type Stored = Pick<Opener, 'text'> &
  Partial<Pick<Opener, 'factsUsed' | 'source' | 'profileHash'>> & { status: OpenerStatus; isNew: boolean }

/** Stores a changed opener, which the caller has locked, and renders its queued messages again. */
export async function store(
  tx: Db,
  actor: Actor,
  before: typeof openers.$inferSelect,
  { text, status, isNew, factsUsed, source, profileHash }: Stored,
): Promise<void> {
  const isApproved = status === 'approved'
  const isKept = isApproved && !isNew
  const written =
    factsUsed && source && profileHash
      ? sql`, facts_used = ${sql.param(factsUsed)}::text[], source = ${source}, profile_hash = ${profileHash}`
      : sql``
  await change(
    tx,
    actor,
    before.campaignId,
    sql`o.id = ${before.id}`,
    sql`text = ${text}, status = ${status}, version = o.version + ${isNew ? 1 : 0},
      ${isApproved ? sql`profile_hash = ${PROFILE_NOW},` : sql``}
      approved_by = case when ${isApproved}::boolean then coalesce(
        case when ${isKept}::boolean then o.approved_by end, ${actor.userId}::uuid
      ) end,
      approved_at = case
        when ${isApproved}::boolean then coalesce(case when ${isKept}::boolean then o.approved_at end, now()) end ${written}`,
  )
  await renderAgain(tx, { id: before.campaignId, workspaceId: actor.workspaceId }, [before.leadId])
}

/** Locks an opener's unclaimed messages, then the opener. @throws Refusal OPENER_NOT_FOUND */
export async function lock(tx: Db, actor: Actor, id: string): Promise<typeof openers.$inferSelect> {
  const { campaignId, lead } = await find(tx, actor, id)
  await lockMessages(tx, campaignId, sql`select ${lead.id}::uuid`)
  const [row] = await tx
    .select()
    .from(openers)
    .where(and(eq(openers.workspaceId, actor.workspaceId), eq(openers.id, id)))
    .for('no key update')
  if (!row) throw new Refusal('OPENER_NOT_FOUND')
  return row
}

/** SQL over an opener `o`: a hash of the lead's current profile, which an approver has seen. */
const PROFILE_NOW = sql`coalesce((select md5(${profileOf(lead)}) from leads l where l.id = o.lead_id), o.profile_hash)`

/** Changes a campaign's openers `o` and their counts. @param set SQL assignments */
async function change(tx: Db, { workspaceId }: Pick<Actor, 'workspaceId'>, campaignId: string, which: SQL, set: SQL) {
  const { rows } = await tx.execute<{ id: string; leadId: string }>(sql`
    with old as materialized (
      select o.id, o.status
      from openers o
      where o.workspace_id = ${workspaceId} and ${which}
      order by o.id
      for no key update
    ), changed as (
      update openers o set ${set}, updated_at = now() from old where o.workspace_id = ${workspaceId} and o.id = old.id
      returning o.workspace_id, o.campaign_id, o.id, o.lead_id, old.status as was_status, o.status
    ), counted as (${countOpeners(sql`changed`)})
    select id, lead_id as "leadId" from changed`)
  await publishEvents(tx, workspaceId, 'campaign', [campaignId])
  return rows
}

/** SQL over messages `dms`: no sender has ever claimed the message. */
const isUnclaimed = sql`
  dms.status = 'queued' and dms.lease_expires_at is null and dms.claimed_at is null and dms.tried_at is null`

/** Locks the messages that contain the openers. Messages come before openers in the lock order. */
async function lockMessages(tx: Db, campaignId: string, leadIds: SQL): Promise<void> {
  // This also waits for follow-ups that are being queued with the old openers.
  await blockNewClaims(tx, campaignId)
  await lockRows(tx, 'dms', sql`campaign_id = ${campaignId} and lead_id in (${leadIds}) and ${isUnclaimed}`)
}

/** Renders again, with the current openers, the queued messages that no sender has ever claimed. */
async function renderAgain(tx: Db, campaign: { id: string; workspaceId: string }, leadIds: string[]): Promise<void> {
  // This waits for a launch that has read the old openers, so the next statement sees its messages.
  await tx.execute(lockOpeners(campaign.workspaceId, campaign.id))
  const { rows } = await tx.execute<{ version: number; stepId: string; variantId: string; ids: string[] }>(sql`
    select e.version, dms.step_id as "stepId", dms.variant_id as "variantId", array_agg(dms.id) as ids
    from dms join enrollments e on ${isEnrollmentOf(alias(enrollments, 'e'), dms)}
    where dms.campaign_id = ${campaign.id} and dms.lead_id = any(${sql.param(leadIds)}::uuid[]) and ${isUnclaimed}
    group by 1, 2, 3`)
  for (const { version, stepId, variantId, ids } of rows) {
    const steps = await findSteps(tx, { ...campaign, version })
    const variant = steps.find(({ id }) => id === stepId)?.variants.find(({ id }) => id === variantId)
    if (!variant) continue
    const template = readTemplate('messageTemplate', variant.messageTemplate)
    if (!template.some(({ kind }) => kind === 'opener')) continue
    await tx.execute(sql`
      update dms set message = ${renderedMessage(lead, template, campaign.id)}, is_filled = true, updated_at = now()
      from leads l where dms.id = any(${sql.param(ids)}::uuid[]) and l.id = dms.lead_id and ${isUnclaimed}`)
  }
}
