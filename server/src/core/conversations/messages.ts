import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { countConversations } from './of-leads.ts'

/** A stored message that the product did not send. */
interface StoredMessage {
  leadId: string
  accountXUserId: string
  id: string
  at: Date
  /**
   * Whether X stores the message encrypted. The latest message decides whether its conversation
   * counts as encrypted.
   */
  isEncrypted: boolean
}

/** A reply with its label, and the message that it answers. */
interface StoredReply extends StoredMessage {
  label: ReplyLabel | null
  confidence: number | null
  /** The reply may be an opt-out, but nobody was suppressed. */
  suggestsSuppression: boolean
  /** Our message that the reply answers; null: the person wrote first. */
  dmId: string | null
  /**
   * When the person wants to hear more. The conversation is snoozed until then, unless their
   * sequence continues then.
   */
  laterAt: Date | null
}

/**
 * Adds at most one message per lead to the lead's conversation, which it creates or reopens. The
 * caller has locked the leads, stored the replies, and ended or paused the sequences.
 */
export async function addReplies(tx: Db, workspaceId: string, replies: readonly StoredReply[]): Promise<void> {
  const isNewer = sql`excluded.last_message_at >= c.last_message_at`
  // Replies may arrive in any order; the latest one labels the conversation.
  const isLatestReply = ({ lead, account, at }: Record<'lead' | 'account' | 'at', SQL>) => sql`not exists (
    select
    from replies r
    where r.lead_id = ${lead} and r.account_x_user_id = ${account} and r.kind = 'reply' and r.at > ${at})`
  const isExcludedLatest = isLatestReply({
    lead: sql`excluded.lead_id`,
    account: sql`excluded.account_x_user_id`,
    at: sql`excluded.last_message_at`,
  })
  const isRelabelled = sql`(excluded.label = 'opted_out' or (c.labelled_by is null and excluded.label is not null
    and c.label is distinct from 'opted_out'
    and (c.label is null or excluded.label <> 'auto_reply')
    and ${isExcludedLatest}))`
  const lastCampaignId = sql`
    case
      when ${isExcludedLatest} then coalesce(excluded.campaign_id, c.campaign_id)
      else coalesce(c.campaign_id, excluded.campaign_id) end`
  const snoozedUntil = sql`
    case
      when m."laterAt" > now()
        and ${isLatestReply({ lead: sql`m."leadId"`, account: sql`m."accountXUserId"`, at: sql`m.at` })}
        and not exists (
      select
      from enrollments e
      where e.workspace_id = ${workspaceId}
        and e.lead_id = m."leadId"
        and e.state = 'paused'
        and e.reason ->> 'code' = 'later'
    ) then m."laterAt" end`
  await tx.execute(sql`
    with message as materialized (
      select m.*, ${snoozedUntil} as snoozed_until
      from jsonb_to_recordset(${JSON.stringify(replies)}::jsonb) as m("leadId" uuid, "accountXUserId" text, id uuid, at timestamptz, "isEncrypted" boolean,
        label text, confidence real, "suggestsSuppression" boolean, "dmId" uuid, "laterAt" timestamptz)
    ), old as materialized (
      select lead_id, account_x_user_id, status, is_unread from conversations
      where workspace_id = ${workspaceId}
        and (lead_id, account_x_user_id) in (select "leadId", "accountXUserId" from message)
      order by id for no key update
    ), stored as (
      insert into conversations as c (
        workspace_id, lead_id, account_x_user_id, campaign_id, sort_at, last_message_id, last_message_at, label,
        confidence, suggests_suppression,
        is_encrypted, snoozed_until, status)
      select ${workspaceId}, m."leadId", m."accountXUserId", (
          select d.campaign_id
          from dms d
          join campaigns on campaigns.id = d.campaign_id and campaigns.kind = 'campaign'
          where d.id = m."dmId"
        ), m.at, m.id, m.at, m.label, case when m.label is not null then m.confidence end, m."suggestsSuppression",
        m."isEncrypted", m.snoozed_until, case when m.snoozed_until is null then 'open' else 'snoozed' end
      from message m where (select count(*) from old) >= 0 order by m."leadId"
      on conflict (workspace_id, lead_id, account_x_user_id) do update set
        status = excluded.status, snoozed_until = excluded.snoozed_until, is_unread = true,
        campaign_id = ${lastCampaignId},
        sort_at = greatest(c.last_message_at, excluded.last_message_at),
        last_message_id = case when ${isNewer} then excluded.last_message_id else c.last_message_id end,
        is_encrypted = case when ${isNewer} then excluded.is_encrypted else c.is_encrypted end,
        is_last_ours = not ${isNewer}
        and c.is_last_ours, last_message_at = greatest(c.last_message_at, excluded.last_message_at),
        label = case when ${isRelabelled} then excluded.label else c.label end,
        confidence = case when ${isRelabelled} then excluded.confidence else c.confidence end,
        labelled_by = case when ${isRelabelled} then null else c.labelled_by end,
        suggests_suppression = case
          when ${isRelabelled} then excluded.suggests_suppression
          else c.suggests_suppression end,
        updated_at = now()
      returning workspace_id, lead_id, account_x_user_id, status, is_unread
    )
    ${countConversations(sql`(
      select s.*, old.status as was_status, old.is_unread as was_unread
      from stored s
      left join old using (lead_id, account_x_user_id)
    ) changed`)}`)
}

/** Adds a message that the account's user wrote on X to the lead's conversation, if it exists, and reopens it. */
export async function addWritten(
  tx: Db,
  workspaceId: string,
  { leadId, accountXUserId, id, at, isEncrypted }: StoredMessage,
): Promise<void> {
  await tx.execute(sql`
    with stored as (
      update conversations c set status = 'open', snoozed_until = null, sort_at = ${at.toISOString()}::timestamptz,
        last_message_id = ${id}, last_message_at = ${at.toISOString()}::timestamptz, is_last_ours = true,
        is_encrypted = ${isEncrypted}::boolean,
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
