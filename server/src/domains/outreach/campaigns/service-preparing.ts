import type { InputOf } from '@x-automated/contract/contract'
import { LEADS_CHECKED_MAX } from '@x-automated/contract/outreach/campaigns'
import {
  parseTemplate,
  type Recipient,
  readPlaces,
  renderTemplate,
  type Segment,
  type UnknownPlace,
} from '@x-automated/contract/outreach/template'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import type { SignedInContext } from '../../../requests/context.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { selectLeads } from '../../leads/leads/service.ts'
import { leads } from '../../leads/leads/tables.ts'
import { find as findList, findStored } from '../../leads/lists/service.ts'
import { suppressionReason } from '../../leads/suppressions/tables.ts'
import { isLinked, resolveAccount, type XAccount } from '../../platform/x-account/service.ts'
import { renderedPart } from '../sending/service.ts'
import { secondsToSend } from '../sending-settings/service.ts'
import { copySteps } from '../sequences/service.ts'
import { testEmail } from './emails.ts'
import { placeholdersWithFallback } from './rules.ts'
import { find, insert } from './service.ts'
import { isSentNow } from './tables.ts'

// Estimates, test messages and copies of campaigns.

type Plan = InputOf<'campaigns', 'estimate'>

/**
 * Estimates a campaign's time and cost, and finds empty placeholders.
 * @throws Refusal LEAD_LIST_NOT_FOUND, X_ACCOUNT_NOT_FOUND
 */
export async function estimate(
  { db, env, x }: Pick<SignedInContext, 'db' | 'env' | 'x'>,
  actor: Actor,
  { leadListId, channel, xAccountId, messageTemplate, allowReplied }: Plan,
) {
  const list = await findList(db, actor, leadListId)
  const account = await resolveAccount(db, actor.workspaceId, xAccountId ?? null)
  const ahead = await countAhead(db, actor, xAccountId ?? (isLinked(account) ? account.id : null))
  const price = channel === 'api' ? (x?.sendPriceCents ?? 0) : 0
  const replied = await countReplied(db, actor, list)
  const messages = allowReplied ? list.leadCount : Math.max(0, list.leadCount - replied)
  return {
    leads: list.leadCount,
    replied,
    ahead,
    seconds: await secondsToSend(db, env, limitedBy(actor, channel, account), messages + ahead),
    costCents: price > 0 ? Math.ceil(price * messages) : null,
    ...(await countMissing(db, actor, list, messageTemplate)),
  }
}

/** Whose limits apply. X's API limits apply only to workers. */
function limitedBy({ workspaceId }: Actor, channel: Plan['channel'], account: XAccount | null) {
  return { workspaceId, account: account && { ...account, restsUntil: channel === 'api' ? account.restsUntil : null } }
}

/**
 * Seconds until a campaign is done, including messages that go first; null: inactive, nothing
 * queued, or the cap is 0. @throws Refusal CAMPAIGN_NOT_FOUND
 */
export async function forecast({ db, env }: Pick<SignedInContext, 'db' | 'env'>, actor: Actor, id: string) {
  const { status, dmsQueuedCount, channel, xAccountId } = await find(db, actor, id)
  if (status !== 'active' || dmsQueuedCount === 0) return { seconds: null }
  const account = await resolveAccount(db, actor.workspaceId, xAccountId)
  const ahead = await countAhead(db, actor, xAccountId, id)
  return { seconds: await secondsToSend(db, env, limitedBy(actor, channel, account), ahead + dmsQueuedCount) }
}

/**
 * Counts messages sent before a campaign's: direct ones, and those of older active campaigns.
 * @param accountId null: all campaigns without an account count @param id omit for a new one
 */
async function countAhead(db: Db, { workspaceId }: Actor, accountId: string | null, id?: string): Promise<number> {
  const { rows } = await db.execute<{ ahead: number }>(sql`
    select coalesce(sum(dms_queued_count), 0)::int as ahead from campaigns
    where status = 'active' and dms_queued_count > 0 and ${isSentNow(sql`campaigns`)}
      and ${accountId ? sql`x_account_id = ${accountId}` : sql`x_account_id is null and workspace_id = ${workspaceId} and kind = 'campaign'`}
      and ${id ? sql`(kind = 'direct' or (created_at, id) < (select created_at, id from campaigns where id = ${id}))` : sql`true`}`)
  return one(rows).ahead
}

/** SQL: the ids of a list's leads. A manual list keeps its order. */
function membersOf(actor: Actor, { id, filter }: Pick<Awaited<ReturnType<typeof findStored>>, 'id' | 'filter'>): SQL {
  return filter
    ? selectLeads(actor, { filter })
    : sql`select lead_id as id from lead_list_items where lead_list_id = ${id} order by added_at, lead_id`
}

/**
 * How many leads of a list have replied and may still be messaged. Costs by the number of replies,
 * not of leads.
 */
async function countReplied(db: Db, actor: Actor, list: Awaited<ReturnType<typeof findList>>): Promise<number> {
  const isMember = list.filter
    ? sql`l.id in (${selectLeads(actor, { filter: list.filter })})`
    : sql`exists (select from lead_list_items i where i.lead_list_id = ${list.id} and i.lead_id = l.id)`
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from leads l
    where l.workspace_id = ${actor.workspaceId} and l.replied_at is not null and ${suppressionReason('l')} is null
      and ${isMember}`)
  return one(rows).count
}

/** Counts, for each placeholder, how many of the list's first leads would use its fallback. */
async function countMissing(db: Db, actor: Actor, list: Awaited<ReturnType<typeof findList>>, messageTemplate: string) {
  const isKnown = (segment: Segment | UnknownPlace): segment is Segment => segment.kind !== 'unknown'
  const places = placeholdersWithFallback(readPlaces(messageTemplate).filter(isKnown))
  const counts = places.map(({ part }) => sql`(count(*) filter (where ${renderedPart(part)} = ''))::int`)
  const { rows } = await db.execute<{ checked: number; counts: number[] }>(sql`
    select count(*)::int as checked, array[${sql.join([...counts, sql`0`], sql`, `)}] as counts
    from (select l.name, l.twitter_handle, l.metadata from (${membersOf(actor, list)} limit ${LEADS_CHECKED_MAX}) m(id) join leads l on l.id = m.id) l`)
  const row = one(rows)
  return {
    checked: row.checked,
    missing: places.map(({ place }, i) => ({ place, leads: row.counts[i] ?? 0 })).filter((one) => one.leads > 0),
  }
}

/**
 * Copies a campaign as a draft.
 * @throws Refusal CAMPAIGN_NOT_FOUND; CAMPAIGN_STATE: its list was deleted
 */
export async function duplicate(db: Db, actor: Actor, id: string) {
  const { name, leadListId, channel, xAccountId, allowRepeat, allowReplied } = await find(db, actor, id)
  if (!leadListId)
    throw new Refusal('CAMPAIGN_STATE', 'This campaign’s lead list was deleted. Create a campaign with another list.')
  const copy = {
    name: `${name.slice(0, NAME_MAX - COPY.length)}${COPY}`,
    leadListId,
    channel,
    xAccountId,
    allowRepeat,
    allowReplied,
    status: 'draft' as const,
  }
  return find(db, actor, await insert(db, actor, copy, await copySteps(db, actor, id)))
}

const COPY = ' (copy)'
/** Maximum length of a campaign's name, in characters. */
const NAME_MAX = 200

/** Recipient of a test message if the list is empty. */
const EXAMPLE: Recipient = { name: 'Maya Okafor', twitterHandle: 'mayabuilds', metadata: {} }

/**
 * Emails the user the message as one lead would see it.
 * @throws Refusal CAMPAIGN_NOT_FOUND; LEAD_NOT_FOUND; RATE_LIMITED
 */
export async function sendTest(
  { db, outbox, origin, limits }: SignedInContext,
  actor: Actor,
  { id, leadId }: InputOf<'campaigns', 'sendTest'>,
) {
  const campaign = await find(db, actor, id)
  const lead = leadId
    ? await findLead(db, actor, leadId)
    : ((await firstLead(db, actor, campaign.leadListId)) ?? EXAMPLE)
  const [user] = await db.select({ email: authUsers.email }).from(authUsers).where(eq(authUsers.id, actor.userId))
  const sentTo = user?.email ?? ''
  const parsed = parseTemplate(campaign.messageTemplate)
  const message = 'template' in parsed ? renderTemplate(parsed.template, lead) : campaign.messageTemplate
  await limits.consume('testMailByUser', actor.userId)
  await outbox.post(
    db,
    testEmail(sentTo, {
      campaign: campaign.name,
      handle: lead.twitterHandle,
      message,
      link: `${origin}/campaigns/${id}`,
    }),
  )
  return { success: true as const, sentTo }
}

const recipient = { name: leads.name, twitterHandle: leads.twitterHandle, metadata: leads.metadata }

async function findLead(db: Db, actor: Actor, leadId: string): Promise<Recipient> {
  const [lead] = await db
    .select(recipient)
    .from(leads)
    .where(and(eq(leads.id, leadId), eq(leads.workspaceId, actor.workspaceId)))
  if (!lead) throw new Refusal('LEAD_NOT_FOUND')
  return lead
}

/** The first lead of a list. */
async function firstLead(db: Db, actor: Actor, leadListId: string | null): Promise<Recipient | null> {
  if (!leadListId) return null
  const list = await findStored(db, actor, leadListId)
  const [lead] = await db
    .select(recipient)
    .from(leads)
    .where(sql`${leads.id} in (select id from (${membersOf(actor, list)} limit 1) m(id))`)
  return lead ?? null
}
