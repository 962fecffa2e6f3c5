import { randomUUID } from 'node:crypto'
import type { SampleData } from '@x-automated/contract/overview/sample-data'
import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { insert as insertCampaign } from '../../../core/campaigns/campaign.ts'
import { countConversations, deleteCorrections } from '../../../core/conversations/of-leads.ts'
import { findCurrentAccount, keepTexts } from '../../../core/messages/accounts.ts'
import { removeChosen } from '../../../core/people/removal.ts'
import type { WorkspaceOf } from '../../../core/people/selection.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { leads } from '../../../core/tables/leads.ts'
import { leadListItems } from '../../../core/tables/list-entries.ts'
import { ANSWERS, dms } from '../../../core/tables/messages.ts'
import { replies } from '../../../core/tables/replies.ts'
import { enrollments, sequenceVersions, type VersionStep } from '../../../core/tables/sequences.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { lockRows, transact } from '../../../db/transact.ts'
import type { SignedInContext } from '../../../requests/context.ts'
import { leadLists } from '../../leads/lists/tables.ts'
import { publishEvents } from '../../platform/events/service.ts'
import {
  addedAt,
  draftSteps,
  FOUNDERS,
  handleOf,
  MARKETERS,
  NO_ACCOUNT,
  OUTCOMES,
  type Outcome,
  repliedAt,
  SAMPLE_HOLDER,
  SAMPLE_TAGS,
  type SamplePerson,
  sentAt,
  sentSteps,
} from './rules.ts'

/** The stand-in X has a face for each id, from 1. */
const FACES = [...FOUNDERS, ...MARKETERS].map(({ name }) => name)

type Context = Pick<SignedInContext, 'db' | 'env'>
type LeadRow = { id: string; place: number; person: SamplePerson; handle: string }

/** SQL subquery: the ids of the workspace's sample leads, which are few. */
const sampleLeads = (workspaceId: string): SQL =>
  sql`select id from leads where workspace_id = ${workspaceId} and is_sample`

/** Loads the sample data, unless the workspace has some. Conversations need an X account. */
export async function load({ db, env }: Context, actor: Actor): Promise<SampleData> {
  return transact(db, async (tx) => {
    await lockSampleData(tx, actor)
    const found = await countSamples(tx, actor)
    if (found.leads + found.lists + found.campaigns === 0) await insertAll(tx, env, actor)
    await addConversations(tx, actor)
    await publishChange(tx, actor)
    return { success: true, ...(await countSamples(tx, actor)) }
  })
}

/** Loads and removals of a workspace's sample data run one at a time. */
async function lockSampleData(tx: Db, { workspaceId }: Actor): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('sample data of ' || ${workspaceId}, 0))`)
}

async function publishChange(tx: Db, { workspaceId }: Actor): Promise<void> {
  for (const kind of ['campaign', 'conversation'] as const) await publishEvents(tx, workspaceId, kind, [])
}

async function countSamples(tx: Db, { workspaceId }: Actor): Promise<Omit<SampleData, 'success'>> {
  const { rows } = await tx.execute<Omit<SampleData, 'success'>>(sql`
    select (select count(*)::int from (${sampleLeads(workspaceId)}) l) as leads,
      (select count(*)::int from lead_lists where workspace_id = ${workspaceId} and is_sample) as lists,
      (select count(*)::int from campaigns where workspace_id = ${workspaceId} and kind = 'campaign' and is_sample) as campaigns`)
  return one(rows)
}

async function insertAll(tx: Db, env: Context['env'], actor: Actor): Promise<void> {
  const now = new Date()
  const founders = await insertLeads(tx, env, actor, FOUNDERS, addedAt(11, now))
  const marketers = await insertLeads(tx, env, actor, MARKETERS, addedAt(2, now))
  const foundersList = await insertList(tx, actor, founders, {
    name: 'Indie founders (sample)',
    description: 'People who build small software companies.',
  })
  const marketersList = await insertList(tx, actor, marketers, {
    name: 'Growth marketers (sample)',
    description: 'People who run growth at a startup.',
  })
  await insertTags(tx, actor, [...founders, ...marketers])
  await insertSentCampaign(tx, actor, { leadListId: foundersList, people: founders, now })
  const draft = {
    name: 'Hello, growth teams (sample)',
    leadListId: marketersList,
    channel: 'api',
    status: 'draft',
    isSample: true,
  } as const
  await insertCampaign(tx, actor, draft, draftSteps())
}

async function insertLeads(
  tx: Db,
  { isRealX, x }: Context['env'],
  { workspaceId, userId }: Actor,
  people: readonly SamplePerson[],
  latest: Date,
): Promise<LeadRow[]> {
  const byHandle = new Map(people.map((person, place) => [handleOf(person, isRealX), { person, place }]))
  const rows = await tx
    .insert(leads)
    .values(
      [...byHandle].map(([twitterHandle, { person, place }]) => {
        const { tag: _, ...profile } = person
        const face = `/profile_images/${FACES.indexOf(person.name) + 1}.webp`
        return {
          workspaceId,
          userId,
          twitterHandle,
          ...profile,
          followingCount: 180 + ((place * 97) % 900),
          profileImageUrl: x && !isRealX ? new URL(face, x.apiUrl).href : null,
          isSample: true,
          createdAt: new Date(latest.getTime() - place * 1_000),
        }
      }),
    )
    .onConflictDoNothing()
    .returning({ id: leads.id, handle: leads.twitterHandle })
  return rows.flatMap((row) => {
    const found = byHandle.get(row.handle)
    return found ? [{ ...row, ...found }] : []
  })
}

async function insertList(
  tx: Db,
  { workspaceId, userId }: Actor,
  people: readonly LeadRow[],
  { name, description }: { name: string; description: string },
): Promise<string> {
  const row = { workspaceId, userId, name, description, isSample: true }
  const { id } = one(await tx.insert(leadLists).values(row).returning({ id: leadLists.id }))
  if (people.length > 0)
    await tx.insert(leadListItems).values(people.map((lead) => ({ leadListId: id, leadId: lead.id })))
  return id
}

async function insertTags(tx: Db, { workspaceId }: Actor, people: readonly LeadRow[]): Promise<void> {
  const given = JSON.stringify(people.map(({ id, person }) => ({ id, tag: person.tag })))
  const colors = JSON.stringify(Object.entries(SAMPLE_TAGS).map(([name, color]) => ({ name, color })))
  await tx.execute(sql`
    insert into tags (workspace_id, name, color, is_sample)
    select ${workspaceId}::uuid, name, color, true from jsonb_to_recordset(${colors}::jsonb) as x(name text, color text)
    on conflict do nothing`)
  await tx.execute(sql`
    insert into lead_tags (tag_id, lead_id)
    select t.id, x.id from jsonb_to_recordset(${given}::jsonb) as x(id uuid, tag text)
      join tags t on t.workspace_id = ${workspaceId} and lower(t.name) = lower(x.tag) order by 1, 2`)
}

interface SentCampaign {
  leadListId: string
  people: readonly LeadRow[]
  now: Date
}

/** A completed campaign with its messages and replies. Nobody sent them, so no limit counts them. */
async function insertSentCampaign(tx: Db, actor: Actor, { leadListId, people, now }: SentCampaign): Promise<void> {
  const { workspaceId, userId } = actor
  const steps = sentSteps()
  const [first] = steps as [VersionStep]
  const launchedAt = sentAt(0, now)
  const { id: campaignId } = one(
    await tx
      .insert(campaigns)
      .values({
        workspaceId,
        userId,
        name: 'Meet indie founders (sample)',
        leadListId,
        messageTemplate: first.variants[0]?.messageTemplate ?? '',
        channel: 'api',
        status: 'completed',
        totalLeadsInList: people.length,
        queuedAt: launchedAt,
        lastRunAt: sentAt(FOUNDERS.length - 1, now),
        createdAt: launchedAt,
        isSample: true,
      })
      .returning({ id: campaigns.id }),
  )
  await tx.insert(sequenceVersions).values({ workspaceId, campaignId, version: 1, steps })
  const sent = people.map((lead) => ({
    ...lead,
    ...sampleMessage(lead, first, now),
    dmId: randomUUID(),
    enrollmentId: randomUUID(),
  }))
  if (sent.length === 0) return
  const own = { workspaceId, campaignId, createdAt: launchedAt }
  await tx.insert(enrollments).values(
    sent.map(({ id, enrollmentId, message, outcome }) => ({
      ...own,
      id: enrollmentId,
      leadId: id,
      version: 1,
      ...enrollmentOf(outcome),
      ...(message.sentAt && { lastStepId: first.id, lastStepNumber: 1, lastOrdinal: 0, lastSentAt: message.sentAt }),
    })),
  )
  await tx.insert(dms).values(
    sent.map(({ id, dmId, enrollmentId, message }) => ({
      ...own,
      id: dmId,
      userId,
      leadId: id,
      enrollmentId,
      stepId: first.id,
      stepNumber: 1,
      holder: SAMPLE_HOLDER,
      dueAt: launchedAt,
      ...message,
    })),
  )
  const said = sent.flatMap(({ id, place, dmId, outcome }) =>
    repliesOf(outcome, place, now).map((reply) => ({ ...reply, leadId: id, dmId })),
  )
  if (said.length > 0)
    await tx.insert(replies).values(
      said.map(({ dmId, kind, ...reply }) => ({
        workspaceId,
        ...reply,
        kind,
        dmId: kind === 'reply' ? dmId : null,
        accountXUserId: NO_ACCOUNT,
        xEventId: `sample:${randomUUID()}`,
      })),
    )
  const repliers = said.filter(({ kind }) => kind === 'reply').map(({ leadId, at }) => ({ leadId, at }))
  const contacted = sent.filter(({ message }) => message.sentAt).map(({ id }) => id)
  await tx.execute(sql`
    update leads l set dm_status = 'contacted', replied_at = x.at
    from leads own left join jsonb_to_recordset(${JSON.stringify(repliers)}::jsonb) as x("leadId" uuid, at timestamptz) on x."leadId" = own.id
    where own.id = any(${sql.param(contacted)}::uuid[]) and l.id = own.id`)
  await tx.execute(sql`
    update lead_list_items set contact_status = 'contacted'
    where lead_list_id = ${leadListId} and lead_id = any(${sql.param(contacted)}::uuid[])`)
}

/** The message to a founder, and what happened to it. */
function sampleMessage({ place, person, handle }: LeadRow, step: VersionStep, now: Date) {
  const outcome = OUTCOMES[place]
  const variant = step.variants[place % step.variants.length]
  const text = {
    variantId: variant?.id,
    message: variant?.messageTemplate.replaceAll('{lead_name}', person.name) ?? handle,
  }
  if (outcome === 'closed')
    return {
      outcome,
      message: { ...text, status: 'failed', sentAt: null, reason: { code: 'closed_inbox', params: {} } } as const,
    }
  const at = sentAt(place, now)
  if (outcome === undefined) return { outcome, message: { ...text, status: 'sent', sentAt: at } as const }
  const answeredAt = repliedAt(place, now)
  if (outcome === 'read')
    return { outcome, message: { ...text, status: 'delivered', sentAt: at, deliveredAt: answeredAt } as const }
  const answers = ANSWERS.replied + (isPositive(outcome) ? ANSWERS.positive : 0)
  const replied = {
    status: 'replied',
    deliveredAt: answeredAt,
    repliedAt: answeredAt,
    answers,
    personAnswers: answers,
  } as const
  return { outcome, message: { ...text, sentAt: at, ...replied } }
}

const isPositive = ({ label }: Exclude<Outcome, string>) => ['interested', 'meeting', 'question'].includes(label)

function enrollmentOf(outcome: Outcome | undefined): Pick<typeof enrollments.$inferInsert, 'state' | 'reason'> {
  if (outcome === 'closed') return { state: 'stopped', reason: { code: 'skipped', params: { skip: 'closed_inbox' } } }
  if (outcome === undefined || outcome === 'read') return { state: 'finished' }
  return { state: 'replied', reason: { code: 'reply', params: {} } }
}

/** What a founder replied, and what the owner of the account answered. */
function repliesOf(outcome: Outcome | undefined, place: number, now: Date) {
  if (outcome === undefined || typeof outcome === 'string') return []
  const at = repliedAt(place, now)
  const reply = { kind: 'reply' as const, text: outcome.reply, label: outcome.label, at, createdAt: at }
  if (!outcome.answer) return [reply]
  const answeredAt = new Date(at.getTime() + 3_600_000)
  return [reply, { kind: 'written' as const, text: outcome.answer, label: null, at: answeredAt, createdAt: answeredAt }]
}

/** Adds the conversations of the sample replies, if there is an X account now and they have none. */
async function addConversations(tx: Db, { workspaceId }: Actor): Promise<void> {
  const account = await findCurrentAccount(tx, workspaceId)
  if (!account) return
  await tx.execute(sql`
    with own as (
      update replies set account_x_user_id = ${account.xUserId}
      where account_x_user_id = ${NO_ACCOUNT} and lead_id in (${sampleLeads(workspaceId)})
      returning *
    ), last as (
      select distinct on (lead_id) * from own order by lead_id, at desc
    ), added as (
      insert into conversations (workspace_id, account_x_user_id, lead_id, campaign_id, status, sort_at, last_message_id, last_message_at,
        is_last_ours, is_unread, label, confidence)
      select l.workspace_id, ${account.xUserId}, l.lead_id, d.campaign_id, case when r.label in ('not_interested', 'referral') then 'done' else 'open' end,
        l.at, l.id, l.at, l.kind = 'written', l.kind = 'reply' and r.label in ('meeting', 'interested', 'question'), r.label, 0.94
      from last l join own r on r.lead_id = l.lead_id and r.kind = 'reply' join dms d on d.id = r.dm_id
      on conflict do nothing
      returning workspace_id, null::text as was_status, null::boolean as was_unread, status, is_unread
    )
    ${countConversations(sql`added`)}`)
}

/** Removes the sample data. A sample campaign that messages other people stays, as one of the workspace's. */
export async function remove(db: Db, actor: Actor): Promise<void> {
  const { workspaceId } = actor
  await transact(db, async (tx) => {
    await lockSampleData(tx, actor)
    await keepTexts(tx, workspaceId)
    const chosen = sampleLeads(workspaceId)
    const sampleCampaigns = sql`select id from campaigns where workspace_id = ${workspaceId} and kind = 'campaign' and is_sample`
    await lockRows(tx, 'enrollments', sql`workspace_id = ${workspaceId} and campaign_id in (${sampleCampaigns})`)
    await lockMessages(tx, sampleCampaigns, chosen)
    await lockRows(tx, 'lead_lists', sql`workspace_id = ${workspaceId} and is_sample`, 'update')
    await tx.execute(sql`
      update campaigns c set is_sample = false, updated_at = now()
      where c.id in (${sampleCampaigns}) and (exists (
        select from dms d where d.campaign_id = c.id and d.holder is distinct from ${SAMPLE_HOLDER}
          and (d.lead_id is null or d.lead_id not in (${chosen}))) or exists (
        select from enrollments e where e.workspace_id = ${workspaceId} and e.campaign_id = c.id and e.is_unqueued and e.lead_id not in (${chosen})))`)
    await removeLeads(tx, actor, chosen)
    await removeCampaigns(tx, workspaceId, sampleCampaigns)
    await tx.execute(sql`delete from lead_lists where workspace_id = ${workspaceId} and is_sample`)
    await tx.execute(sql`delete from tags where workspace_id = ${workspaceId} and is_sample and lead_count = 0`)
    await publishChange(tx, actor)
  })
}

/** Locks the messages of campaigns and leads. With ids instead of subqueries, PostgreSQL finds them by index. */
async function lockMessages(tx: Db, chosenCampaigns: SQL, chosenLeads: SQL): Promise<void> {
  const { rows } = await tx.execute<{ ofCampaigns: string[]; ofLeads: string[] }>(
    sql`select array(${chosenCampaigns}) as "ofCampaigns", array(${chosenLeads}) as "ofLeads"`,
  )
  const { ofCampaigns, ofLeads } = one(rows)
  const among = (ids: string[]) => sql`any(${sql.param(ids)}::uuid[])`
  await lockRows(tx, 'dms', sql`campaign_id = ${among(ofCampaigns)} or lead_id = ${among(ofLeads)}`)
}

/** Deletes the leads permanently: loading them again is the undo. */
async function removeLeads(tx: Db, actor: WorkspaceOf, chosen: SQL): Promise<void> {
  await deleteCorrections(
    tx,
    sql`select workspace_id, id from conversations where workspace_id = ${actor.workspaceId} and lead_id in (${chosen})`,
  )
  const removal = await removeChosen(tx, actor, chosen, {})
  if (removal) await tx.execute(sql`delete from lead_removals where id = ${removal.id}`)
}

/** Deletes campaigns with everything that belongs to them. */
async function removeCampaigns(tx: Db, workspaceId: string, chosen: SQL): Promise<void> {
  for (const table of ['enrollments', 'openers', 'opener_counts', 'step_tests', 'sequence_versions'])
    await tx.execute(
      sql`delete from ${sql.identifier(table)} where workspace_id = ${workspaceId} and campaign_id in (${chosen})`,
    )
  await tx.execute(sql`delete from campaigns where id in (${chosen})`)
}
