import type { InputOf } from '@x-automated/contract/contract'
import { OFFER_DAYS } from '@x-automated/contract/outreach/conversation-offers'
import { DAY_MS } from '@x-automated/contract/time'
import { and, desc, eq, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../../actor.ts'
import { upsertLeads } from '../../../core/people/stage.ts'
import { leads } from '../../../core/tables/leads.ts'
import { isSuppressed } from '../../../core/tables/suppressions.ts'
import type { AliasOf } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import { newestFirst } from '../../../db/paging.ts'
import { transact } from '../../../db/transact.ts'
import type { XMessage } from '../../../outside/x-delivery.ts'
import { Refusal } from '../../../refusal.ts'
import { find as findLead } from '../../leads/leads/leads.ts'
import { publishEvents } from '../../platform/events/events.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { conversationOffers } from './tables.ts'

/** A sender who may be offered. */
const person = alias(leads, 'p')

const PAGE_SIZE = 50
const isRecent = sql`${conversationOffers.at} > now() - make_interval(days => ${OFFER_DAYS}::int)`
const isOpen = and(isNull(conversationOffers.declinedAt), isRecent)

/**
 * Offers the senders of messages to each workspace that has the X account, allows offers, and does
 * not have the sender as a lead. Stores no text. @param ofApp as in `receive`
 */
export async function offerSenders(db: Db, messages: readonly XMessage[], ofApp: string | null): Promise<void> {
  if (messages.length === 0) return
  const recipients = [...new Set(messages.map(({ recipientId }) => recipientId))]
  const { rows } = await db.execute<{ xUserId: string }>(sql`
    select distinct x_user_id as "xUserId" from x_accounts
    where x_user_id = any(${sql.param(recipients)}::text[]) and status <> 'disconnected' and offers_unknown_senders`)
  const offering = new Set(rows.map(({ xUserId }) => xUserId))
  for (const message of messages) if (offering.has(message.recipientId)) await offerSender(db, message, ofApp)
}

async function offerSender(db: Db, message: XMessage, ofApp: string | null): Promise<void> {
  const { senderId, recipientId, at } = message
  const handle = message.handles[senderId]
  if (!handle || senderId === recipientId || (at && at.getTime() < Date.now() - OFFER_DAYS * DAY_MS)) return
  const { rows } = await db.execute<{ workspaceId: string }>(sql`
    insert into conversation_offers as o (workspace_id, x_account_id, x_user_id, twitter_handle, at)
    select p.workspace_id, p.account_id, p.x_user_id, p.twitter_handle,
      coalesce(${at?.toISOString() ?? null}::timestamptz, now())
    from (
      select a.workspace_id, a.id as account_id, ${senderId}::text as x_user_id, ${handle}::text as twitter_handle,
        null::timestamptz as handle_lost_at
      from x_accounts a where a.x_user_id = ${recipientId} and a.status <> 'disconnected' and a.offers_unknown_senders
        and (${ofApp}::uuid is null or a.x_app_id = ${ofApp}::uuid)
    ) p
    where not ${isLead(person)} and not ${isSuppressed(person)}
      and not exists (select from x_accounts a where a.workspace_id = p.workspace_id and a.x_user_id = p.x_user_id)
    on conflict (workspace_id, x_account_id, x_user_id) do update
      set at = greatest(o.at, excluded.at), twitter_handle = excluded.twitter_handle where o.declined_at is null
    returning workspace_id as "workspaceId"`)
  await publishOffers(db, rows)
}

/** Publishes new and expired offers, for the inbox. */
async function publishOffers(db: Db, offers: readonly { workspaceId: string }[]): Promise<void> {
  for (const id of new Set(offers.map(({ workspaceId }) => workspaceId)))
    await publishEvents(db, id, 'conversation', [])
}

/** SQL condition: a person is a lead of the workspace. */
function isLead(person: Pick<AliasOf<typeof leads>, 'workspaceId' | 'xUserId' | 'twitterHandle'>): SQL {
  return sql`
    (exists (select from leads l where l.workspace_id = ${person.workspaceId} and l.x_user_id = ${person.xUserId})
    or exists (select from leads l where l.workspace_id = ${person.workspaceId} and l.x_user_id is null
      and lower(l.twitter_handle) = lower(${person.twitterHandle})))`
}

/** One page of open offers, newest first. Leaves out people who have become leads. */
export async function list(db: Db, actor: Actor, { cursor }: InputOf<'conversationOffers', 'list'>) {
  const page = newestFirst({ page: 1, pageSize: PAGE_SIZE, cursor }, conversationOffers.at, conversationOffers.id)
  const rows = await db
    .select()
    .from(conversationOffers)
    .where(
      and(
        eq(conversationOffers.workspaceId, actor.workspaceId),
        isOpen,
        page.where,
        sql`not ${isLead(conversationOffers)}`,
      ),
    )
    .orderBy(desc(conversationOffers.at), desc(conversationOffers.id))
    .limit(page.limit)
  const { shown: visible, paging } = page.cut(rows, (row) => row)
  return {
    offers: visible.map((row) => ({ ...row, expiresAt: new Date(row.at.getTime() + OFFER_DAYS * DAY_MS) })),
    cursor: paging.cursor,
  }
}

/**
 * Creates the lead with its contact basis. @throws Refusal OFFER_NOT_FOUND: the offer is gone, or
 * the person has been suppressed since
 */
export async function accept(db: Db, actor: Actor, id: string) {
  return transact(db, async (tx) => {
    const [offer] = await tx
      .delete(conversationOffers)
      .where(and(own(actor, id), isOpen))
      .returning()
    if (!offer) throw new Refusal('OFFER_NOT_FOUND')
    const [account] = await tx
      .select({ handle: xAccounts.handle })
      .from(xAccounts)
      .where(and(eq(xAccounts.workspaceId, actor.workspaceId), eq(xAccounts.id, offer.xAccountId)))
    if (!account) throw new Refusal('OFFER_NOT_FOUND')
    const person = {
      ...NOTHING_KNOWN,
      xUserId: offer.xUserId,
      twitterHandle: offer.twitterHandle,
      basis: 'wrote_first' as const,
      basisAt: offer.at.toISOString(),
      basisSource: `Wrote to @${account.handle} on X`,
    }
    const [leadId] = await upsertLeads(tx, actor, [person], 'parts', offer.at)
    if (!leadId) throw new Refusal('OFFER_NOT_FOUND')
    return findLead(tx, actor, leadId)
  })
}

const NOTHING_KNOWN = {
  name: null,
  bio: null,
  followerCount: null,
  followingCount: null,
  sourceProfile: null,
  url: null,
  profileImageUrl: null,
  location: null,
  website: null,
  metadata: null,
}

/** Undoes `remove`. @throws Refusal OFFER_NOT_FOUND */
export async function restore(db: Db, actor: Actor, id: string) {
  const restored = await db
    .update(conversationOffers)
    .set({ declinedAt: null })
    .where(and(own(actor, id), isRecent, isNotNull(conversationOffers.declinedAt)))
    .returning({ id: conversationOffers.id })
  if (restored.length === 0) throw new Refusal('OFFER_NOT_FOUND')
  return { success: true as const }
}

/** @throws Refusal OFFER_NOT_FOUND */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  const declined = await db
    .update(conversationOffers)
    .set({ declinedAt: new Date() })
    .where(and(own(actor, id), isOpen))
    .returning({ id: conversationOffers.id })
  if (declined.length === 0) throw new Refusal('OFFER_NOT_FOUND')
}

const own = (actor: Actor, id: string) =>
  and(eq(conversationOffers.workspaceId, actor.workspaceId), eq(conversationOffers.id, id))

/** Deletes the offers of an account that no longer allows them. */
export async function removeOffersOf(tx: Db, actor: Actor, xAccountId: string): Promise<void> {
  await tx
    .delete(conversationOffers)
    .where(and(eq(conversationOffers.workspaceId, actor.workspaceId), eq(conversationOffers.xAccountId, xAccountId)))
}

/** Deletes offers older than OFFER_DAYS. */
export async function purgeExpiredOffers(db: Db): Promise<void> {
  const expired = await db
    .delete(conversationOffers)
    .where(lt(conversationOffers.at, sql`now() - make_interval(days => ${OFFER_DAYS}::int)`))
    .returning({ workspaceId: conversationOffers.workspaceId })
  await publishOffers(db, expired)
}
