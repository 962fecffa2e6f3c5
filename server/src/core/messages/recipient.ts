import type { SkipReason } from '@x-automated/contract/reason'
import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import type { XUser } from '../../outside/x-schemas.ts'
import { withAccount } from '../neighbors.ts'
import { learnHandles } from '../people/handles.ts'
import { identifySuppressions, SHOWN } from '../people/identity.ts'
import { hadReplied, wasContacted } from '../people/past-contacts.ts'
import { campaigns } from '../tables/campaigns.ts'
import { isIdConfirmed, leads, lostHandleReason } from '../tables/leads.ts'
import { dms, mayGoOut } from '../tables/messages.ts'
import type { Claimed } from './claim.ts'
import { includesReplied } from './eligibility.ts'

const lead = alias(leads, 'l')
const message = alias(dms, 'd')
const campaign = alias(campaigns, 'c')

// A message goes to the person with the lead's X id. Unless X has given both id and handle, X must
// show them together once, before the first message.

type Needs = Parameters<typeof withAccount>[0]
type Lead = NonNullable<Claimed['lead']>
type From = Pick<Claimed, 'workspaceId' | 'campaignId' | 'accountId'>

/** The X id to send a message to, and the reason if it must not be sent. Null: X has no such user. @throws XError */
export async function findRecipient(
  needs: Needs,
  claimed: From,
  lead: Lead,
): Promise<{ recipientId: string; reasonNotToSend: SkipReason | null } | null> {
  const { db } = needs.database
  if (lead.xUserId && (lead.isIdChecked || (await isIdKnown(db, lead.id))))
    return { recipientId: lead.xUserId, reasonNotToSend: null }
  const user = await findUser(needs, claimed.accountId, lead.handle)
  if (!user) return null
  await learnHandles(db, claimed.workspaceId, [user])
  if (lead.xUserId && lead.xUserId !== user.id) {
    const params = { handle: lead.handle, xUserId: lead.xUserId }
    return { recipientId: lead.xUserId, reasonNotToSend: { code: 'identity', params } }
  }
  return { recipientId: user.id, reasonNotToSend: await saveXUserId(db, claimed, lead, user.id) }
}

/** The user's id at X; null if X has no such user. @throws XError */
export async function lookUp(needs: Needs, accountId: string, handle: string): Promise<string | null> {
  return (await findUser(needs, accountId, handle))?.id ?? null
}

function findUser(needs: Needs, accountId: string, handle: string): Promise<XUser | null> {
  return withAccount(needs, accountId, (x, accessToken) => x.findUser(accessToken, handle))
}

async function isIdKnown(db: Db, leadId: string): Promise<boolean> {
  const { rows } = await db.execute<{ isKnown: boolean }>(
    sql`select ${isIdConfirmed(lead)} as "isKnown" from leads l where l.id = ${leadId}`,
  )
  return rows[0]?.isKnown ?? false
}

/** Why a lead cannot be messaged by its handle; null if the handle is not known to belong to someone else. */
export async function findLostHandle(db: Db, leadId: string): Promise<SkipReason | null> {
  const { rows } = await db.execute<{ reason: SkipReason | null }>(
    sql`select ${lostHandleReason(lead)} as reason from leads l where l.id = ${leadId}`,
  )
  return rows[0]?.reason ?? null
}

/**
 * Saves the X id that X has shown with the handle of an imported lead. @returns why the message must
 * not be sent: by this id, the person has replied or was messaged as another lead; else null
 */
async function saveXUserId(db: Db, claimed: From, lead: Lead, xUserId: string): Promise<SkipReason | null> {
  const { workspaceId, campaignId } = claimed
  const { rows } = await db.execute<{ replied: boolean; wrote: boolean; contacted: boolean }>(sql`
    with campaign as (
      select allow_repeat, ${includesReplied(campaign)} as includes_replied from campaigns c where id = ${campaignId}
    ), duplicate as (
      select id, replied_at
      from leads
      where workspace_id = ${workspaceId} and x_user_id = ${xUserId} and id <> ${lead.id}
    ), kept as (
      update leads set x_user_id = ${xUserId}, x_user_checked_at = now(), updated_at = now()
      where id = ${lead.id} and coalesce(x_user_id = ${xUserId}, true) and not exists (select from duplicate)
      returning ${SHOWN}
    ), followed as (${identifySuppressions(sql`kept`)})
    select not includes_replied and (
        exists (select from duplicate where replied_at is not null) or ${hadReplied(workspaceId, xUserId)}
      ) as replied, exists (
        select from dms d join campaigns c on c.id = d.campaign_id
        where d.lead_id in (select id from duplicate)
          and (d.sent_at is not null or d.outcome_unknown or d.status = 'queued')
          and (d.campaign_id = ${campaignId} or not campaign.allow_repeat) and ${mayGoOut(message, campaign)}
      ) as wrote, not allow_repeat and ${wasContacted(workspaceId, xUserId)} as contacted
    from campaign`)
  const [history] = rows
  if (history?.replied) return { code: 'replied', params: {} }
  if (history?.wrote) return { code: 'duplicate', params: {} }
  return history?.contacted ? { code: 'contacted', params: { how: 'x_user' } } : null
}
