import type { InputOf } from '@x-automated/contract/contract'
import type { DmStatus, ReplyLabel } from '@x-automated/contract/leads/leads'
import { type DmWaitReason, skipText } from '@x-automated/contract/reason'
import { and, asc, desc, eq, gt, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { type Position, readCursor, writeCursor } from '../../db/paging.ts'
import { reasonSql } from '../../db/reasons.ts'
import { Refusal } from '../../refusal.ts'
import { campaigns, waitsForOlder } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { storedText, waitsForRead } from '../tables/replies.ts'
import { variantNameOf } from '../tables/sequences.ts'
import type { Campaign } from './eligibility.ts'
import { holdOf } from './limits.ts'
import type { SendingEnv } from './sending-state.ts'
import { findCooldowns } from './waits.ts'

// Reading

interface StoredReply {
  text: string | null
  at: string
  label: ReplyLabel | null
}

interface OwnWait {
  reason: DmWaitReason
  until: string | null
}
const ownWait = (reason: SQL, until = sql`null::timestamptz`) =>
  sql`jsonb_build_object('reason', ${reason}, 'until', ${until})`

/** SQL over messages and their campaigns: the X account that sends the message; null: the current one. */
const senderId = sql<string | null>`case when dms.is_follow_up then dms.x_account_id else campaigns.x_account_id end`

/**
 * SQL over a queued message that no sender has claimed: its own reason to wait. Null if there is
 * none, or if the campaign shows a more important one: the campaign is paused, its account is not
 * connected, or an older campaign sends first.
 */
const wait = sql<OwnWait | null>`case
  when dms.status = 'queued' and dms.outcome_unknown then ${ownWait(reasonSql('settling'))}
  when dms.status <> 'queued'
    or dms.lease_expires_at is not null
    or dms.is_held
    or campaigns.status <> 'active' then null
  when campaigns.channel = 'api'
    and not exists (select from x_accounts a where a.id = ${senderId} and a.status = 'connected') then null
  when not dms.is_follow_up and ${waitsForOlder(campaigns)} then null
  when leads.last_claimed_at > now() - interval '1 day'
    and (campaigns.kind = 'direct' or leads.last_claimed_campaign_id is distinct from dms.campaign_id)
    then ${ownWait(reasonSql('day_apart', { at: sql`leads.last_claimed_at` }), sql`leads.last_claimed_at + interval '1 day'`)}
  when dms.inbox_unclear_until > now() then ${ownWait(reasonSql('inbox_unclear'), sql`dms.inbox_unclear_until`)}
  when dms.is_follow_up and ${waitsForRead(dms)} then ${ownWait(reasonSql('detection'))} end`

/** SQL columns over messages joined with their campaigns and leads. */
export const dmColumns = {
  id: dms.id,
  campaignId: dms.campaignId,
  status: dms.status,
  message: dms.message,
  sentAt: dms.sentAt,
  createdAt: dms.createdAt,
  updatedAt: dms.updatedAt,
  errorMessage: dms.errorMessage,
  reason: dms.reason,
  wait,
  senderId,
  channel: campaigns.channel,
  stepNumber: dms.stepNumber,
  variant: variantNameOf(dms, campaigns),
  dueAt: sql<Date | null>`case ${dms.status} when 'queued' then ${dms.dueAt} end`.mapWith(dms.dueAt),
  reply: sql<StoredReply | null>`(select jsonb_build_object('text', ${storedText(sql`r.text`)}, 'at', r.at, 'label', r.label)
    from replies r where r.dm_id = ${dms.id} and r.kind = 'reply' order by r.at desc limit 1)`,
  outcomeUnknown: dms.outcomeUnknown,
  lead: { id: leads.id, name: leads.name, twitterHandle: leads.twitterHandle, profileImageUrl: leads.profileImageUrl },
}

/** Renders the reason of a skipped message as its `errorMessage`. */
export function dmAnswer<Row extends Pick<typeof dms.$inferSelect, 'reason' | 'errorMessage'>>(row: Row): Row {
  return row.reason ? { ...row, errorMessage: skipText(row.reason) } : row
}

type MessageToPresent = Pick<typeof dms.$inferSelect, 'reason' | 'errorMessage'> &
  Pick<Campaign, 'channel'> & { wait: OwnWait | null; senderId: string | null; reply: StoredReply | null }

/** Messages as responses show them, each with its own reason to wait. Viewers can't read replies. */
export async function presentMessages<Row extends MessageToPresent>(
  db: Db,
  env: SendingEnv,
  actor: Pick<Actor, 'role' | 'workspaceId'>,
  rows: readonly Row[],
) {
  const senderOf = ({ channel, senderId: xAccountId }: MessageToPresent) => ({ channel, xAccountId })
  const waiting = rows.filter(({ wait }) => wait && wait.reason.code !== 'settling')
  const limitsOf = await findCooldowns({ db, env, actor }, waiting.map(senderOf))
  const isMember = roleAllows(actor.role, 'member')
  return rows.map(({ wait, senderId, channel, ...row }) => {
    const own = wait && { reason: wait.reason, until: wait.until === null ? null : new Date(wait.until) }
    const limits = own?.reason.code === 'settling' ? null : limitsOf({ channel, xAccountId: senderId })
    const { reply } = row
    return {
      ...dmAnswer(row),
      reason: row.reason ?? (own && holdOf(limits, own) === own ? own.reason : null),
      reply: reply && { ...reply, text: isMember ? reply.text : null, at: new Date(reply.at) },
    }
  })
}

/** Like `listDms`, for the campaign with this id. @throws Refusal CAMPAIGN_NOT_FOUND */
export async function listMessages(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { id, ...page }: InputOf<'campaigns', 'dms'>,
) {
  const [campaign] = await db
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, actor.workspaceId), eq(campaigns.kind, 'campaign')))
  if (!campaign) throw new Refusal('CAMPAIGN_NOT_FOUND')
  return listDms(db, env, actor, campaign, page)
}

/**
 * Lists a campaign's messages in the order in which they were queued; with the status `replied`,
 * the latest reply comes first. With `cursor`, every page costs the same.
 */
export async function listDms(
  db: Db,
  env: SendingEnv,
  actor: Pick<Actor, 'role' | 'workspaceId'>,
  campaign: Campaign,
  { status, page, pageSize, cursor }: Omit<InputOf<'campaigns', 'dms'>, 'id'>,
) {
  const { time, order, isAfter } = status === 'replied' ? BY_REPLY : BY_QUEUE
  const matches = and(eq(dms.campaignId, campaign.id), status && eq(dms.status, status), isNotNull(time))
  const after = cursor === undefined ? undefined : isAfter(readCursor(cursor))
  // Select ids from the index first, then load only these rows.
  const shownIds = db
    .select({ id: dms.id })
    .from(dms)
    .where(and(matches, after))
    .orderBy(...order)
    .limit(pageSize + 1)
    .offset(after ? 0 : (page - 1) * pageSize)
    .as('shown')
  const rows = await db
    .select({ ...dmColumns, repliedAt: dms.repliedAt })
    .from(shownIds)
    .innerJoin(dms, eq(dms.id, shownIds.id))
    .innerJoin(campaigns, eq(campaigns.id, dms.campaignId))
    .leftJoin(leads, eq(leads.id, dms.leadId))
    .orderBy(...order)
  const visible = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? visible.at(-1) : undefined
  const lastAt = status === 'replied' ? last?.repliedAt : last?.createdAt
  return {
    dms: await presentMessages(
      db,
      env,
      actor,
      visible.map(({ repliedAt: _, ...row }) => row),
    ),
    total: countDms(campaign, status),
    page,
    pageSize,
    cursor: last && lastAt ? writeCursor({ at: lastAt, id: last.id }) : null,
  }
}

/** The order in which a campaign's messages were queued. */
const BY_QUEUE = {
  time: dms.createdAt,
  order: [asc(dms.createdAt), asc(dms.id)],
  isAfter: ({ at, id }: Position) => or(gt(dms.createdAt, at), and(eq(dms.createdAt, at), gt(dms.id, id))),
}
/** The order of messages with replies: the latest reply first. */
const BY_REPLY = {
  time: dms.repliedAt,
  order: [desc(dms.repliedAt), desc(dms.id)],
  isAfter: ({ at, id }: Position) => or(lt(dms.repliedAt, at), and(eq(dms.repliedAt, at), lt(dms.id, id))),
}

/**
 * Returns the number of messages with a status. Among the campaign's counts, sent includes
 * delivered, and delivered includes replied.
 */
function countDms(campaign: Campaign, status: DmStatus | undefined): number {
  const { dmsQueuedCount, dmsSentCount, dmsFailedCount, dmsDeliveredCount, dmsRepliedCount } = campaign
  switch (status) {
    case undefined:
      return dmsQueuedCount + dmsSentCount + dmsFailedCount
    case 'queued':
      return dmsQueuedCount
    case 'sent':
      return dmsSentCount - dmsDeliveredCount
    case 'delivered':
      return dmsDeliveredCount - dmsRepliedCount
    case 'replied':
      return dmsRepliedCount
    case 'failed':
      return dmsFailedCount
  }
}
