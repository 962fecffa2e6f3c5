import { type SQL, sql } from 'drizzle-orm'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { lockRows } from '../../db/transact.ts'
import { countConversations, deleteCorrections } from '../conversations/of-leads.ts'
import { findCurrentAccount, keepTexts } from '../messages/accounts.ts'
import { countMessages } from '../messages/counts.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { replies } from '../tables/replies.ts'
import { enrollments, sequenceVersions, type VersionStep } from '../tables/sequences.ts'
import { firstNameColumns } from './first-names.ts'
import { countLeads, setLeadStatus } from './lead-counts.ts'
import { markContacted } from './list-entries.ts'
import { removeChosen } from './removal.ts'
import type { WorkspaceOf } from './selection.ts'

// Invented people, and a campaign that was never sent, all marked as samples.

/** Placeholder for the X account of replies until an account is connected. Not an id at X. */
export const NO_ACCOUNT = 'sample'
/** `dms.holder` of sample messages. */
export const SAMPLE_HOLDER = 'sample'

/** SQL subquery: the ids of the workspace's sample leads. There are only a few. */
export const sampleLeads = (workspaceId: string): SQL =>
  sql`select id from leads where workspace_id = ${workspaceId} and is_sample`

/** Inserts sample leads. @returns the leads whose handles were new in the workspace */
export async function insertSampleLeads(
  tx: Db,
  rows: readonly (typeof leads.$inferInsert)[],
): Promise<{ id: string; handle: string }[]> {
  const inserts = tx
    .insert(leads)
    .values(rows.map((row) => ({ ...row, ...firstNameColumns(row), isSample: true })))
    .onConflictDoNothing()
    .returning()
  const { rows: inserted } = await tx.execute<{ id: string; handle: string }>(sql`
    with added as ${inserts}, ${countLeads({ after: 'added' })}
    select id, twitter_handle as handle from added`)
  return inserted
}

/** A sample campaign with its rows, which have ids. */
interface SampleCampaign {
  campaign: typeof campaigns.$inferInsert & { id: string; leadListId: string }
  steps: VersionStep[]
  enrollments: readonly (typeof enrollments.$inferInsert)[]
  messages: readonly (typeof dms.$inferInsert)[]
  replies: readonly Omit<typeof replies.$inferInsert, 'accountXUserId'>[]
}

/** Inserts a campaign with its messages and replies, and marks its people as contacted. Counts toward no limit. */
export async function insertSampleCampaign(tx: Db, sample: SampleCampaign): Promise<void> {
  const { campaign, steps, messages } = sample
  await tx.insert(campaigns).values({ ...campaign, isSample: true })
  await tx.insert(sequenceVersions).values({
    workspaceId: campaign.workspaceId,
    campaignId: campaign.id,
    version: 1,
    steps,
  })
  if (messages.length === 0) return
  await tx.insert(enrollments).values([...sample.enrollments])
  const inserts = tx
    .insert(dms)
    .values(messages.map((message) => ({ ...message, holder: SAMPLE_HOLDER })))
    .returning()
  await tx.execute(sql`
    with added as ${inserts}, ${countMessages({ after: 'added' })}
    select from added`)
  if (sample.replies.length > 0)
    await tx.insert(replies).values(sample.replies.map((reply) => ({ ...reply, accountXUserId: NO_ACCOUNT })))
  const repliers = sample.replies.filter(({ kind }) => kind === 'reply').map(({ leadId, at }) => ({ leadId, at }))
  const contacted = messages.flatMap(({ sentAt, leadId }) => (sentAt && leadId ? leadId : []))
  await tx.execute(sql`
    update leads l set replied_at = x.at
    from jsonb_to_recordset(${JSON.stringify(repliers)}::jsonb) as x("leadId" uuid, at timestamptz)
    where l.id = any(${sql.param(contacted)}::uuid[]) and l.id = x."leadId"`)
  await setLeadStatus(tx, sql`id = any(${sql.param(contacted)}::uuid[])`, 'contacted')
  await markContacted(tx, campaign.leadListId, contacted)
}

/** Adds the conversations of the sample replies, unless they exist. Does nothing until an X account is connected. */
export async function addSampleConversations(tx: Db, workspaceId: string): Promise<void> {
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
      select l.workspace_id, ${account.xUserId}, l.lead_id, d.campaign_id,
        case when r.label in ('not_interested', 'referral') then 'done' else 'open' end,
        l.at, l.id, l.at, l.kind = 'written', l.kind = 'reply'
        and r.label in ('meeting', 'interested', 'question'), r.label, 0.94
      from last l join own r on r.lead_id = l.lead_id and r.kind = 'reply' join dms d on d.id = r.dm_id
      on conflict do nothing
      returning workspace_id, null::text as was_status, null::boolean as was_unread, status, is_unread
    )
    ${countConversations(sql`added`)}`)
}

/**
 * Deletes sample leads and campaigns, and locks the sample lists, which the caller deletes. A
 * sample campaign that messages other people stays and becomes an ordinary one.
 */
export async function removeSamples(tx: Db, actor: WorkspaceOf): Promise<void> {
  const { workspaceId } = actor
  await keepTexts(tx, workspaceId)
  const chosen = sampleLeads(workspaceId)
  const sampleCampaigns = sql`
    select id from campaigns where workspace_id = ${workspaceId} and kind = 'campaign' and is_sample`
  await lockRows(tx, 'enrollments', sql`workspace_id = ${workspaceId} and campaign_id in (${sampleCampaigns})`)
  await lockMessages(tx, sampleCampaigns, chosen)
  await lockRows(tx, 'lead_lists', sql`workspace_id = ${workspaceId} and is_sample`, 'update')
  await tx.execute(sql`
    update campaigns c set is_sample = false, updated_at = now()
    where c.id in (${sampleCampaigns}) and (exists (
      select from dms d where d.campaign_id = c.id and d.holder is distinct from ${SAMPLE_HOLDER}
        and (d.lead_id is null or d.lead_id not in (${chosen}))) or exists (
      select
      from enrollments e
      where e.workspace_id = ${workspaceId}
        and e.campaign_id = c.id
        and e.is_unqueued
        and e.lead_id not in (${chosen})))`)
  await removeLeads(tx, actor, chosen)
  await removeCampaigns(tx, workspaceId, sampleCampaigns)
}

/** Locks the messages of campaigns and leads. PostgreSQL uses the index for ids, but not for subqueries. */
async function lockMessages(tx: Db, chosenCampaigns: SQL, chosenLeads: SQL): Promise<void> {
  const { rows } = await tx.execute<{ ofCampaigns: string[]; ofLeads: string[] }>(
    sql`select array(${chosenCampaigns}) as "ofCampaigns", array(${chosenLeads}) as "ofLeads"`,
  )
  const { ofCampaigns, ofLeads } = one(rows)
  const among = (ids: string[]) => sql`any(${sql.param(ids)}::uuid[])`
  await lockRows(tx, 'dms', sql`campaign_id = ${among(ofCampaigns)} or lead_id = ${among(ofLeads)}`)
}

/** Deletes the leads permanently. To undo this, load the samples again. */
async function removeLeads(tx: Db, actor: WorkspaceOf, chosen: SQL): Promise<void> {
  await deleteCorrections(
    tx,
    sql`
      select workspace_id, id from conversations where workspace_id = ${actor.workspaceId} and lead_id in (${chosen})`,
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
