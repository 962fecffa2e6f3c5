import { randomUUID } from 'node:crypto'
import { firstNameOf } from '@x-automated/contract/first-name'
import { NAME_FALLBACK } from '@x-automated/contract/outreach/template'
import type { SampleData } from '@x-automated/contract/overview/sample-data'
import { POSITIVE_LABELS } from '@x-automated/contract/reply-labels'
import { sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { insert as insertCampaign } from '../../../core/campaigns/campaign.ts'
import { addListEntries } from '../../../core/people/list-entries.ts'
import {
  addSampleConversations,
  insertSampleCampaign,
  insertSampleLeads,
  removeSamples,
  sampleLeads,
} from '../../../core/people/samples.ts'
import { addTags } from '../../../core/people/tagging.ts'
import { ANSWERS } from '../../../core/tables/messages.ts'
import type { enrollments, VersionStep } from '../../../core/tables/sequences.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { SignedInContext } from '../../../requests/context.ts'
import { insertRow as insertListRow, removeSamples as removeSampleLists } from '../../leads/lists/lists.ts'
import { ensureSamples as ensureSampleTags, removeSamples as removeSampleTags } from '../../leads/tags/tags.ts'
import { publishEvents } from '../../platform/events/events.ts'
import {
  addedAt,
  draftSteps,
  FOUNDERS,
  handleOf,
  MARKETERS,
  OUTCOMES,
  type Outcome,
  repliedAt,
  SAMPLE_TAGS,
  type SamplePerson,
  sentAt,
  sentSteps,
} from './rules.ts'

/** The stand-in X has a face for each id, starting at 1. */
const FACES = [...FOUNDERS, ...MARKETERS].map(({ name }) => name)

type Context = Pick<SignedInContext, 'db' | 'env'>
type LeadRow = { id: string; index: number; person: SamplePerson; handle: string }

/** Loads the sample data, unless the workspace has some. Conversations need an X account. */
export async function load({ db, env }: Context, actor: Actor): Promise<SampleData> {
  return transact(db, async (tx) => {
    await lockSampleData(tx, actor)
    const existing = await countSamples(tx, actor)
    if (existing.leads + existing.lists + existing.campaigns === 0) await insertAll(tx, env, actor)
    await addSampleConversations(tx, actor.workspaceId)
    await publishChange(tx, actor)
    return { success: true, ...(await countSamples(tx, actor)) }
  })
}

/** Lets loads and removals of a workspace's sample data run one at a time. */
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
      (
        select count(*)::int from campaigns where workspace_id = ${workspaceId} and kind = 'campaign' and is_sample
      ) as campaigns`)
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
  const byHandle = new Map(people.map((person, index) => [handleOf(person, isRealX), { person, index }]))
  const rows = await insertSampleLeads(
    tx,
    [...byHandle].map(([twitterHandle, { person, index }]) => {
      const { tag: _, ...profile } = person
      const face = `/profile_images/${FACES.indexOf(person.name) + 1}.webp`
      return {
        workspaceId,
        userId,
        twitterHandle,
        ...profile,
        followingCount: 180 + ((index * 97) % 900),
        profileImageUrl: x && !isRealX ? new URL(face, x.apiUrl).href : null,
        createdAt: new Date(latest.getTime() - index * 1_000),
      }
    }),
  )
  return rows.flatMap((row) => {
    const entry = byHandle.get(row.handle)
    return entry ? [{ ...row, ...entry }] : []
  })
}

async function insertList(
  tx: Db,
  actor: Actor,
  people: readonly LeadRow[],
  texts: { name: string; description: string },
): Promise<string> {
  const { id } = one(await insertListRow(tx, actor, { ...texts, isSample: true }))
  await addListEntries(tx, actor, id, chosenOf(people))
  return id
}

async function insertTags(tx: Db, actor: Actor, people: readonly LeadRow[]): Promise<void> {
  for (const { id, name } of await ensureSampleTags(tx, actor, SAMPLE_TAGS)) {
    const tagged = people.filter(({ person }) => person.tag.toLowerCase() === name.toLowerCase())
    await addTags(tx, actor, chosenOf(tagged), [id])
  }
}

/** SQL subquery: the ids of people. */
const chosenOf = (people: readonly LeadRow[]) =>
  sql`select unnest(${sql.param(people.map(({ id }) => id))}::uuid[]) as id`

interface SentCampaign {
  leadListId: string
  people: readonly LeadRow[]
  now: Date
}

/** Inserts a completed campaign with its messages and replies. */
async function insertSentCampaign(tx: Db, actor: Actor, { leadListId, people, now }: SentCampaign): Promise<void> {
  const { workspaceId, userId } = actor
  const steps = sentSteps()
  const [first] = steps as [VersionStep]
  const launchedAt = sentAt(0, now)
  const campaign = {
    id: randomUUID(),
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
  } as const
  const own = { workspaceId, campaignId: campaign.id, createdAt: launchedAt }
  const sent = people.map((lead) => ({
    ...lead,
    ...sampleMessage(lead, first, now),
    dmId: randomUUID(),
    enrollmentId: randomUUID(),
  }))
  await insertSampleCampaign(tx, {
    campaign,
    steps,
    enrollments: sent.map(({ id, enrollmentId, message, outcome }) => ({
      ...own,
      id: enrollmentId,
      leadId: id,
      version: 1,
      ...enrollmentOf(outcome),
      ...(message.sentAt && { lastStepId: first.id, lastStepNumber: 1, lastOrdinal: 0, lastSentAt: message.sentAt }),
    })),
    messages: sent.map(({ id, dmId, enrollmentId, message }) => ({
      ...own,
      id: dmId,
      userId,
      leadId: id,
      enrollmentId,
      stepId: first.id,
      stepNumber: 1,
      dueAt: launchedAt,
      ...message,
    })),
    replies: sent.flatMap(({ id, index, dmId, outcome }) =>
      repliesOf(outcome, index, now).map((reply) => ({
        workspaceId,
        leadId: id,
        ...reply,
        dmId: reply.kind === 'reply' ? dmId : null,
        xEventId: `sample:${randomUUID()}`,
      })),
    ),
  })
}

/** The message to a founder, and what happened to it. */
function sampleMessage({ index, person, handle }: LeadRow, step: VersionStep, now: Date) {
  const outcome = OUTCOMES[index]
  const variant = step.variants[index % step.variants.length]
  const text = {
    variantId: variant?.id,
    message: variant?.messageTemplate.replaceAll('{first_name}', firstNameOf(person.name) ?? NAME_FALLBACK) ?? handle,
  }
  if (outcome === 'closed')
    return {
      outcome,
      message: { ...text, status: 'failed', sentAt: null, reason: { code: 'closed_inbox', params: {} } } as const,
    }
  const at = sentAt(index, now)
  if (outcome === undefined) return { outcome, message: { ...text, status: 'sent', sentAt: at } as const }
  const answeredAt = repliedAt(index, now)
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

const isPositive = ({ label }: Exclude<Outcome, string>) => POSITIVE_LABELS.some((positive) => positive === label)

function enrollmentOf(outcome: Outcome | undefined): Pick<typeof enrollments.$inferInsert, 'state' | 'reason'> {
  if (outcome === 'closed') return { state: 'stopped', reason: { code: 'skipped', params: { skip: 'closed_inbox' } } }
  if (outcome === undefined || outcome === 'read') return { state: 'finished' }
  return { state: 'replied', reason: { code: 'reply', params: {} } }
}

/** A founder's reply and, if there is one, our answer. */
function repliesOf(outcome: Outcome | undefined, index: number, now: Date) {
  if (outcome === undefined || typeof outcome === 'string') return []
  const at = repliedAt(index, now)
  const reply = { kind: 'reply' as const, text: outcome.reply, label: outcome.label, at, createdAt: at }
  if (!outcome.answer) return [reply]
  const answeredAt = new Date(at.getTime() + 3_600_000)
  return [reply, { kind: 'written' as const, text: outcome.answer, label: null, at: answeredAt, createdAt: answeredAt }]
}

/** Removes the sample data, but keeps a sample campaign that messages other people. */
export async function remove(db: Db, actor: Actor): Promise<void> {
  await transact(db, async (tx) => {
    await lockSampleData(tx, actor)
    await removeSamples(tx, actor)
    await removeSampleLists(tx, actor)
    await removeSampleTags(tx, actor)
    await publishChange(tx, actor)
  })
}
