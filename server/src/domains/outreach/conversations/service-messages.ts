import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { countConversations } from '../../leads/leads/service.ts'

/** A stored message that the product did not send. */
interface StoredMessage {
  workspaceId: string
  leadId: string
  accountXUserId: string
  id: string
  at: Date
  /** X keeps it encrypted. The latest message decides whether the conversation is. */
  isEncrypted: boolean
}

/** What a reply says, and what it answers. */
interface Said {
  label: ReplyLabel | null
  confidence: number | null
  /** It may be an opt-out, but nobody was suppressed. */
  suggestsSuppression: boolean
  /** Our message that it answers; null: they wrote first. */
  dmId: string | null
  /** When they want to hear more. Until then it is snoozed, unless their sequence continues then. */
  laterAt: Date | null
}

/**
 * Adds a lead's message to its conversation, which exists from the first one. Reopens it. Call it
 * with the lead locked, after the reply is stored and their sequences are ended or paused.
 */
export async function addReply(tx: Db, message: StoredMessage, said: Said): Promise<void> {
  const { workspaceId, leadId, accountXUserId, id } = message
  const at = sql`${message.at.toISOString()}::timestamptz`
  const isNewer = sql`excluded.last_message_at >= c.last_message_at`
  // Replies may arrive in any order; the latest one labels the conversation.
  const isLatestReply = sql`not exists (
    select from replies r where r.lead_id = ${leadId} and r.account_x_user_id = ${accountXUserId} and r.kind = 'reply' and r.at > ${at})`
  const isRelabelled = sql`(excluded.label = 'opted_out' or (c.labelled_by is null and excluded.label is not null
    and c.label is distinct from 'opted_out' and (c.label is null or excluded.label <> 'auto_reply') and ${isLatestReply}))`
  const lastCampaignId = sql`case when ${isLatestReply} then coalesce(excluded.campaign_id, c.campaign_id) else coalesce(c.campaign_id, excluded.campaign_id) end`
  const snoozedUntil = sql`(
    select later from (select ${said.laterAt?.toISOString() ?? null}::timestamptz as later) said
    where later > now() and ${isLatestReply} and not exists (
      select from enrollments e where e.workspace_id = ${workspaceId} and e.lead_id = ${leadId} and e.state = 'paused' and e.reason ->> 'code' = 'later'))`
  await tx.execute(sql`
    with old as materialized (
      select status, is_unread from conversations
      where workspace_id = ${workspaceId} and lead_id = ${leadId} and account_x_user_id = ${accountXUserId} for no key update
    ), stored as (
      insert into conversations as c (
        workspace_id, lead_id, account_x_user_id, campaign_id, sort_at, last_message_id, last_message_at, label, confidence, suggests_suppression,
        is_encrypted, snoozed_until, status)
      select ${workspaceId}, ${leadId}, ${accountXUserId}, (
          select d.campaign_id from dms d join campaigns on campaigns.id = d.campaign_id and campaigns.kind = 'campaign' where d.id = ${said.dmId}::uuid
        ), ${at}, ${id}, ${at}, ${said.label}, ${said.label && said.confidence}::real, ${said.suggestsSuppression}::boolean,
        ${message.isEncrypted}::boolean, snoozed.until,
        case when snoozed.until is null then 'open' else 'snoozed' end
      from (select ${snoozedUntil} as until) snoozed
      where (select count(*) from old) >= 0
      on conflict (workspace_id, lead_id, account_x_user_id) do update set
        status = excluded.status, snoozed_until = excluded.snoozed_until, is_unread = true, campaign_id = ${lastCampaignId},
        sort_at = greatest(c.last_message_at, excluded.last_message_at),
        last_message_id = case when ${isNewer} then excluded.last_message_id else c.last_message_id end,
        is_encrypted = case when ${isNewer} then excluded.is_encrypted else c.is_encrypted end,
        is_last_ours = not ${isNewer} and c.is_last_ours, last_message_at = greatest(c.last_message_at, excluded.last_message_at),
        label = case when ${isRelabelled} then excluded.label else c.label end,
        confidence = case when ${isRelabelled} then excluded.confidence else c.confidence end,
        labelled_by = case when ${isRelabelled} then null else c.labelled_by end,
        suggests_suppression = case when ${isRelabelled} then excluded.suggests_suppression else c.suggests_suppression end,
        updated_at = now()
      returning workspace_id, status, is_unread
    )
    ${countConversations(sql`(select s.*, old.status as was_status, old.is_unread as was_unread from stored s left join old on true) changed`)}`)
}

/** Adds what the account's owner wrote on X to the lead's conversation, if there is one. Reopens it. */
export async function addWritten(
  tx: Db,
  { workspaceId, leadId, accountXUserId, id, at, isEncrypted }: StoredMessage,
): Promise<void> {
  await tx.execute(sql`
    with stored as (
      update conversations c set status = 'open', snoozed_until = null, sort_at = ${at.toISOString()}::timestamptz,
        last_message_id = ${id}, last_message_at = ${at.toISOString()}::timestamptz, is_last_ours = true, is_encrypted = ${isEncrypted}::boolean,
        updated_at = now()
      from (
        select workspace_id, id, status from conversations
        where workspace_id = ${workspaceId} and lead_id = ${leadId} and account_x_user_id = ${accountXUserId}
          and last_message_at < ${at.toISOString()}::timestamptz for no key update
      ) old where c.workspace_id = old.workspace_id and c.id = old.id
      returning c.workspace_id, old.status as was_status, c.is_unread as was_unread, c.status, c.is_unread
    )
    ${countConversations(sql`stored`)}`)
}
