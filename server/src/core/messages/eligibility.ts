import type { SkipReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import type { Db } from '../../db/open.ts'
import { reasonSql } from '../../db/reasons.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads, sampleReason } from '../tables/leads.ts'
import { dms, mayGoOut } from '../tables/messages.ts'
import { answeredReason, repliedReason } from '../tables/replies.ts'
import { enrollments, isEnrollmentOf } from '../tables/sequences.ts'
import { suppressionReason } from '../tables/suppressions.ts'
import type { SendingEnv } from './sending-state.ts'

const enrollment = alias(enrollments, 'e')

/**
 * SQL over the aliases of a lead and a message: the reason if another message to the lead was sent,
 * or was claimed earlier; else null. Queueing checks this too, but leads may be merged later.
 * Direct messages, follow-ups and campaigns that allow repeats are not checked.
 */
function duplicateReason(lead: AliasOf<typeof leads>, message: AliasOf<typeof dms>): SQL {
  return sql`(
  select ${reasonSql('duplicate')} from campaigns c
  where c.id = ${message.campaignId} and c.kind = 'campaign' and not c.allow_repeat
    and not ${message.isFollowUp} and (
    ${lead.contactedBeforeAt} is not null or exists (
      select from dms o join campaigns other on other.id = o.campaign_id
      where o.lead_id = ${lead.id}
        and o.id <> ${message.id}
        and not other.allow_repeat
        and (o.sent_at is not null or o.outcome_unknown
        or (o.lease_expires_at is not null and (${message.claimedAt} is null
          or (o.claimed_at, o.id) < (${message.claimedAt}, ${message.id})))))))`
}

/**
 * SQL over the aliases of a message and its campaign: another message to the lead was claimed
 * later, but before this claim was visible, so its sender may not know that it must yield.
 * @param seenForSeconds how long this claim has been visible
 */
export function isContested(
  message: AliasOf<typeof dms>,
  campaign: AliasOf<typeof campaigns>,
  seenForSeconds: number,
): SQL<boolean> {
  return sql`(${campaign.kind} = 'campaign' and not ${campaign.allowRepeat} and not ${message.isFollowUp} and exists (
    select from dms o join campaigns other on other.id = o.campaign_id
    where o.lead_id = ${message.leadId} and o.id <> ${message.id}
      and not other.allow_repeat and o.lease_expires_at is not null
      and (o.claimed_at, o.id) > (${message.claimedAt}, ${message.id})
      and o.claimed_at < now() - make_interval(secs => ${seenForSeconds})))`
}

/** SQL over a campaign's alias: the campaign includes people who have replied. 'Direct' always does. */
export function includesReplied(campaign: AliasOf<typeof campaigns>): SQL {
  return sql`(${campaign.allowReplied} or ${campaign.kind} = 'direct')`
}

/**
 * SQL over the aliases of a lead and a message: the reason if the lead has replied and the campaign
 * excludes such people; else null. Queueing checks this too, but replies may arrive later.
 * Follow-ups are not checked: replies to a sequence end or pause it.
 */
function repliedBefore(lead: AliasOf<typeof leads>, message: AliasOf<typeof dms>): SQL {
  const isContinued = sql`
    exists (
      select from enrollments e where ${isEnrollmentOf(enrollment, message)} and e.resumed_at >= ${lead.repliedAt}
    )`
  const isAllowed = sql`(${includesReplied(alias(campaigns, 'c'))} or ${isContinued})`
  return sql`(select ${repliedReason(lead, isAllowed)} from campaigns c
    where c.id = ${message.campaignId} and not ${message.isFollowUp})`
}

/**
 * SQL over a message's alias: the reason if a person stopped its enrollment, or the lead or the
 * account's user wrote; else null.
 */
function stoppedReason(message: AliasOf<typeof dms>): SQL {
  return sql`(
  select case when e.state = 'stopped' and e.reason ->> 'code' = 'person' then ${reasonSql('person')}
      when e.state = 'replied' and e.reason ->> 'code' = 'written_by_hand' then ${reasonSql('written_by_hand')}
      when e.state in ('replied', 'opted_out') then ${reasonSql('replied')} end
  from enrollments e where ${isEnrollmentOf(enrollment, message)})`
}

/** SQL over the aliases of a lead and a message: why the message must not be sent; null if it may be. */
export function reasonToStop(lead: AliasOf<typeof leads>, message: AliasOf<typeof dms>): SQL {
  return sql`coalesce(${suppressionReason(lead)}, ${stoppedReason(message)}, ${answeredReason(lead, message)},
    ${repliedBefore(lead, message)}, ${duplicateReason(lead, message)})`
}

/** Why a message must not be sent now; null if it may be. */
export async function findReasonToStop(db: Db, dmId: string): Promise<SkipReason | null> {
  const { rows } = await db.execute<{ reason: SkipReason | null }>(
    sql`
      select ${reasonToStop(alias(leads, 'l'), alias(dms, 'd'))} as reason
      from dms d
      join leads l on l.id = d.lead_id
      where d.id = ${dmId}`,
  )
  return rows[0]?.reason ?? null
}

export type Campaign = typeof campaigns.$inferSelect

/** SQL over a campaign `c`: the parameters of a reason that names the campaign. */
const SOURCE = {
  how: sql`c.kind`,
  campaign: sql`case c.kind when 'campaign' then c.name end`,
  campaignId: sql`case c.kind when 'campaign' then c.id end`,
}

/**
 * SQL over a lead's alias: why this campaign must not message the lead; null if it may. A campaign
 * can allow repeats, people who replied, or both, but never suppressed leads. @param dmId a message
 * to queue again: then the lead's other direct messages count, too
 */
export function reasonToSkip(
  lead: AliasOf<typeof leads>,
  campaign: Pick<Campaign, 'id' | 'kind' | 'xAccountId' | 'allowRepeat' | 'allowReplied'>,
  basisRequired: boolean,
  env: Pick<SendingEnv, 'isRealX'>,
  dmId: string | null = null,
): SQL {
  const mayStillGoOut = sql`(d.status = 'queued' and ${mayGoOut(alias(dms, 'd'), alias(campaigns, 'c'))})`
  const isLimited = basisRequired && campaign.kind === 'campaign'
  return sql`
    select coalesce(${sampleReason(lead, env)}, ${suppressionReason(lead)},
    case when ${isLimited}::boolean and ${lead.basis} = 'none' then ${reasonSql('no_basis')} end,
    ${repliedReason(lead, sql`${campaign.allowReplied}::boolean`)},
    case when ${lead.closedTo} is not null and ${lead.closedTo} = (
      select x_user_id from x_accounts where id = ${campaign.xAccountId}::uuid
    )
      then ${reasonSql('closed_inbox')} end,
    case when ${lead.contactedBeforeAt} is not null and not ${campaign.allowRepeat}::boolean
      then ${reasonSql('contacted', { how: sql`'earlier_lead'` })} end, (
    select case
      when d.status = 'queued' then ${reasonSql('queued_elsewhere', SOURCE)}
      else ${reasonSql('contacted', SOURCE)} end
    from dms d join campaigns c on c.id = d.campaign_id
    where not ${campaign.allowRepeat}::boolean and d.lead_id = ${lead.id}
      and (d.campaign_id <> ${campaign.id}::uuid or (c.kind = 'direct' and d.id <> ${dmId}::uuid))
      and (d.sent_at is not null or d.outcome_unknown or ${mayStillGoOut})
    order by d.sent_at nulls last, d.created_at, d.id limit 1)) as reason`
}
