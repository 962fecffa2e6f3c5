import { REPLY_TEXT_MAX, type ReplyDetection } from '@x-automated/contract/replies'
import { SUPPRESSION_NOTE_MAX } from '@x-automated/contract/suppression-limits'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import type { XHappening } from '../../outside/x-activity.ts'
import { Refusal } from '../../refusal.ts'
import { findSentMessage, stopMessages } from '../sending/service.ts'
import { optOutWordsOf } from '../sending-settings/service.ts'
import { suppressLead } from '../suppressions/service.ts'
import { pollAccounts, type WatchContext, watchReplies } from './engine.ts'
import { answeredMessage, asksToStop } from './rules.ts'
import { replies } from './tables.ts'

export { WEBHOOK_PATH } from './engine.ts'

/*
 * What happens in conversations at X: replies, messages that the account's owner wrote by hand, and what was read.
 * It may come twice, in any order, by the webhook and by asking, to any process, before or after our own message is known to be sent: each happening is kept once,
 * by X's id, and what is left in the end is the same.
 */

/** Takes in what X tells of; what is about nobody's leads is passed over, and so is what is known. */
export async function receive(db: Db, happenings: readonly XHappening[]): Promise<void> {
  for (const happening of happenings) {
    for (const party of await findParties(db, happening)) {
      await transact(db, (tx) =>
        happening.kind === 'message' ? keepMessage(tx, party, happening) : keepRead(tx, party, happening.at),
      )
    }
  }
}

/** Asks X about every account that is due. */
export function askAboutReplies(context: WatchContext): Promise<void> {
  return pollAccounts(context, receive)
}

/** Looks after what X tells us, and asks it, in this process. */
export function workOnReplies(context: WatchContext, log: FastifyBaseLogger, options?: { tickMs?: number }) {
  return watchReplies(context, log, receive, options)
}

/** A lead, and the account of its workspace that it is in a conversation with. */
type Party = {
  workspaceId: string
  leadId: string
  accountId: string
  accountXUserId: string
  accountHandle: string
  /** X's id of the lead. */
  leadXUserId: string
}

/** In each workspace that has connected one of the two, the other as a lead: by X's id, else by the handle, as imported leads are known by that alone. */
async function findParties(db: Db, happening: XHappening): Promise<Party[]> {
  const [first, second] =
    happening.kind === 'message'
      ? [happening.senderId, happening.recipientId]
      : [happening.authorId, happening.readerId]
  if (first === second) return []
  // Most that X tells are our own messages, which are known by their id.
  const isKnown =
    happening.kind === 'message'
      ? sql`exists (select from replies r where r.workspace_id = a.workspace_id and r.x_event_id = ${happening.eventId})
          or exists (select from dms d where d.x_event_id = ${happening.eventId} and d.workspace_id = a.workspace_id)`
      : sql`false`
  const { rows } = await db.execute<Party>(sql`
    select a.workspace_id as "workspaceId", l.id as "leadId", a.id as "accountId", a.x_user_id as "accountXUserId", a.handle as "accountHandle",
      other.id as "leadXUserId"
    from x_accounts a
    join (values (${first}, ${second}, ${happening.handles[second] ?? null}::text), (${second}, ${first}, ${happening.handles[first] ?? null}::text))
      as other(account, id, handle) on other.account = a.x_user_id
    cross join lateral (
      select id from (
        select id, 1 as place from leads where workspace_id = a.workspace_id and x_user_id = other.id
        union all
        select id, 2 from leads where workspace_id = a.workspace_id and x_user_id is null and lower(twitter_handle) = lower(other.handle)
      ) found order by place limit 1
    ) l
    where a.status <> 'disconnected' and not (${isKnown})`)
  return rows
}

/** The messages of a lead, which nobody changes until the transaction ends. Before the lead, as whoever records an outcome does. */
async function lockMessages(tx: Db, { leadId, accountId }: Party) {
  const { rows } = await tx.execute<{
    id: string
    message: string
    status: string
    eventId: string | null
    triedAt: string | null
    claimedAt: string | null
    isInHand: boolean
  }>(sql`
    select id, message, status, x_event_id as "eventId", tried_at as "triedAt", claimed_at as "claimedAt", lease_expires_at is not null as "isInHand"
    from dms where lead_id = ${leadId} and coalesce(x_account_id, ${accountId}::uuid) = ${accountId}::uuid order by id for no key update`)
  return rows.map((row) => ({
    ...row,
    triedAt: row.triedAt ? new Date(row.triedAt) : null,
    claimedAt: row.claimedAt ? new Date(row.claimedAt) : null,
    isSent: SENT.has(row.status),
    isOut: SENT.has(row.status) || row.isInHand,
  }))
}
const SENT = new Set(['sent', 'delivered', 'replied'])

type XMessageHappening = Extract<XHappening, { kind: 'message' }>

async function keepMessage(tx: Db, party: Party, message: XMessageHappening): Promise<void> {
  const { workspaceId, leadId, leadXUserId, accountXUserId } = party
  const isReply = message.senderId === leadXUserId
  const ours = await lockMessages(tx, party)
  if (!isReply && ours.some((one) => isSame(one, message))) return
  await lockLeadAndCampaigns(tx, leadId)
  const answered = isReply ? answeredMessage(ours, message.at) : null
  const text = message.text.slice(0, REPLY_TEXT_MAX)
  const optedOut = isReply && asksToStop(message.text, await optOutWordsOf(tx, workspaceId))
  const [kept] = await tx
    .insert(replies)
    .values({
      workspaceId,
      leadId,
      dmId: answered?.id ?? null,
      accountXUserId,
      xEventId: message.eventId,
      kind: isReply ? 'reply' : 'written',
      text,
      optedOut,
      at: message.at,
      // Later than whatever is queued already: this transaction may have waited for that.
      createdAt: sql`clock_timestamp()`,
    })
    .onConflictDoNothing()
    .returning({ id: replies.id })
  if (!kept) return
  const at = sql`${message.at.toISOString()}::timestamptz`
  // Of two leads with one person behind them the one that has the id already is found by it.
  await tx.execute(sql`
    update leads l set updated_at = now(),
      x_user_id = coalesce(l.x_user_id, ${leadXUserId}),
      replied_at = case when ${answered !== null}::boolean then greatest(l.replied_at, ${at}) else l.replied_at end,
      basis = case when ${isWroteFirst(isReply, ours)} and l.basis = 'none' then 'wrote_first' else l.basis end,
      basis_at = case when ${isWroteFirst(isReply, ours)} and l.basis = 'none' then ${at} else l.basis_at end,
      basis_source = case when ${isWroteFirst(isReply, ours)} and l.basis = 'none' then ${`Wrote to @${party.accountHandle} on X`} else l.basis_source end
    where l.id = ${leadId}`)
  if (answered?.isSent)
    await tx.execute(sql`
      update dms set status = 'replied', replied_at = least(replied_at, ${at}), delivered_at = coalesce(delivered_at, ${at}), updated_at = now()
      where id = ${answered.id}`)
  // Who answers has read what came before.
  if (isReply) await keepRead(tx, party, message.at)
  if (optedOut)
    await suppressLead(tx, { workspaceId, userId: null }, leadId, {
      reason: 'replied_stop',
      note: text.slice(0, SUPPRESSION_NOTE_MAX),
    })
  else await stopMessages(tx, workspaceId, sql`select ${leadId}::uuid`)
}

/** A reply, and no message of ours was ever out to them: a reason to write to them (X's rules ask for one). */
function isWroteFirst(isReply: boolean, ours: readonly { isOut: boolean }[]) {
  return sql`${isReply && !ours.some(({ isOut }) => isOut)}::boolean`
}

/** Is what the account sent a message of ours? One that is not recorded yet, or went through the extension, is known by its words. */
function isSame(
  ours: { eventId: string | null; triedAt: Date | null; message: string },
  { eventId, senderId, text, at }: XMessageHappening,
): boolean {
  if (ours.eventId !== null) return ours.eventId === eventId
  if (ours.triedAt === null) return false
  const sent = { text: ours.message, senderId, since: ours.triedAt }
  return findSentMessage([{ id: eventId, senderId, text, at }], sent, new Set()) !== null
}

/** The lead, and then every campaign that has a message for it: two who do this never wait for each other in a circle. */
async function lockLeadAndCampaigns(tx: Db, leadId: string): Promise<void> {
  await tx.execute(sql`select from leads where id = ${leadId} for no key update`)
  await tx.execute(sql`
    select from campaigns where id in (select campaign_id from dms where lead_id = ${leadId}) order by id for no key update`)
}

/** What was sent up to then has arrived. */
async function keepRead(tx: Db, party: Party, readAt: Date): Promise<void> {
  const { leadId, accountId, accountXUserId } = party
  await lockMessages(tx, party)
  const at = sql`${readAt.toISOString()}::timestamptz`
  await tx.execute(sql`
    insert into lead_reads as s (lead_id, account_x_user_id, read_at) values (${leadId}, ${accountXUserId}, ${at})
    on conflict (lead_id, account_x_user_id) do update set read_at = greatest(s.read_at, excluded.read_at)`)
  await tx.execute(sql`
    update dms set status = 'delivered', delivered_at = ${at}, updated_at = now()
    where lead_id = ${leadId} and status = 'sent' and coalesce(x_account_id, ${accountId}::uuid) = ${accountId}::uuid
      and claimed_at <= ${at}`)
}

/** How replies to the workspace's accounts are found at present. */
export async function detection(db: Db, actor: Actor) {
  const { rows } = await db.execute<{ isTold: boolean; problem: string | null; polledAt: string | null }>(sql`
    select w.webhook_id is not null as "isTold", w.problem, w.polled_at as "polledAt"
    from x_accounts a left join reply_watches w on w.x_user_id = a.x_user_id
    where a.workspace_id = ${actor.workspaceId} and a.status = 'connected'
    order by w.polled_at nulls first`)
  const degraded = rows.find(({ problem }) => problem !== null)
  const state: ReplyDetection['state'] =
    rows.length === 0 ? 'off' : degraded ? 'degraded' : rows.every(({ isTold }) => isTold) ? 'live' : 'starting'
  const polledAt = rows[0]?.polledAt
  return { state, problem: degraded?.problem ?? null, checkedAt: polledAt ? new Date(polledAt) : null }
}

/** Deletes what somebody wrote; that they wrote stays. @throws Refusal REPLY_NOT_FOUND */
export async function removeText(db: Db, actor: Actor, id: string): Promise<void> {
  const changed = await db
    .update(replies)
    .set({ text: null })
    .where(and(eq(replies.id, id), eq(replies.workspaceId, actor.workspaceId)))
    .returning({ id: replies.id })
  if (changed.length === 0) throw new Refusal('REPLY_NOT_FOUND')
}
