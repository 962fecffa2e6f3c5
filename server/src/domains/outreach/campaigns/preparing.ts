import type { InputOf } from '@x-automated/contract/contract'
import { nameInSubject } from '@x-automated/contract/fields'
import { CAMPAIGN_NAME_MAX } from '@x-automated/contract/outreach/campaigns'
import { parseTemplate } from '@x-automated/contract/outreach/template'
import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../../actor.ts'
import { copyName } from '../../../copy-name.ts'
import { find, insert } from '../../../core/campaigns/campaign.ts'
import { renderedMessage } from '../../../core/messages/render.ts'
import { findStored } from '../../../core/people/list-entries.ts'
import { selectLeads } from '../../../core/people/selection.ts'
import { copySteps, findCampaign, findSteps } from '../../../core/sequences/sequence.ts'
import { leads } from '../../../core/tables/leads.ts'
import type { VersionStep } from '../../../core/tables/sequences.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { Email } from '../../../emails/email.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { SignedInContext } from '../../../requests/context.ts'
import { authUsers } from '../../identity/auth/tables.ts'

// Test messages and copies of campaigns.

/** SQL: the ids of a list's leads, in the order in which they are queued. */
export function membersOf(
  actor: Actor,
  { id, filter }: Pick<Awaited<ReturnType<typeof findStored>>, 'id' | 'filter'>,
): SQL {
  return filter
    ? sql`select id from leads where id in (${selectLeads(actor, { filter })}) order by created_at, id`
    : sql`select lead_id as id from lead_list_items where lead_list_id = ${id} order by added_at, lead_id`
}

/**
 * Copies a campaign as a draft.
 * @throws Refusal CAMPAIGN_NOT_FOUND; CAMPAIGN_STATE: its list was deleted
 */
export async function duplicate(db: Db, actor: Actor, id: string) {
  const { name, leadListId, templateId, channel, xAccountId, allowRepeat, allowReplied } = await find(db, actor, id)
  if (!leadListId)
    throw new Refusal('CAMPAIGN_STATE', "This campaign's lead list was deleted. Create a campaign with another list.")
  const copy = {
    name: copyName(name, CAMPAIGN_NAME_MAX),
    leadListId,
    templateId,
    channel,
    xAccountId,
    allowRepeat,
    allowReplied,
    status: 'draft' as const,
  }
  return find(db, actor, await insert(db, actor, copy, await copySteps(db, actor, id)))
}

/** The lead of a test message if the list has no leads. */
const EXAMPLE = sql`
  (
    select null::uuid as id, null::uuid as workspace_id, 'Maya Okafor' as name, 'Maya' as first_name,
      'mayabuilds' as twitter_handle, '{}'::jsonb as metadata
  ) l`

/**
 * Emails the user a step's message as one lead would see it.
 * @throws Refusal CAMPAIGN_NOT_FOUND; LEAD_NOT_FOUND; INVALID_INPUT; RATE_LIMITED
 */
export async function sendTest(
  { db, outbox, origin, limits }: SignedInContext,
  actor: Actor,
  { id, leadId, stepNumber, variantId }: InputOf<'campaigns', 'sendTest'>,
) {
  const campaign = await findCampaign(db, actor, id)
  const template = templateOf(await findSteps(db, campaign), stepNumber, variantId)
  const { handle, message } = await renderFor(db, actor, campaign, template, leadId)
  const users = await db.select({ email: authUsers.email }).from(authUsers).where(eq(authUsers.id, actor.userId))
  const { email: sentTo } = one(users)
  await limits.consume('testMailByUser', actor.userId)
  await outbox.post(
    db,
    testEmail(sentTo, {
      campaign: campaign.name,
      handle,
      message,
      link: `${origin}/campaigns/${id}`,
    }),
  )
  return { success: true as const, sentTo }
}

/** @throws Refusal INVALID_INPUT for an unknown step or variant */
function templateOf(steps: readonly VersionStep[], stepNumber: number, variantId: string | undefined): string {
  const step = steps[stepNumber - 1]
  if (!step) throw invalidField('stepNumber', `This campaign has no step ${stepNumber}.`)
  const variant = step.variants.find(({ id, isActive }) => (variantId ? id === variantId : isActive))
  if (!variant) throw invalidField('variantId', `Step ${stepNumber} has no such variant.`)
  return variant.messageTemplate
}

/**
 * Renders a message for the given lead; without one, for the first lead of the list or an example.
 * @throws Refusal LEAD_NOT_FOUND
 */
async function renderFor(
  db: Db,
  actor: Actor,
  { id, leadListId }: { id: string; leadListId: string | null },
  source: string,
  leadId: string | undefined,
): Promise<{ handle: string; message: string }> {
  const parsed = parseTemplate(source)
  const message =
    'template' in parsed ? renderedMessage(alias(leads, 'l'), parsed.template, id) : sql<string>`${source}::text`
  const render = async (recipients: SQL) => {
    const { rows } = await db.execute<{ handle: string; message: string }>(
      sql`select l.twitter_handle as handle, ${message} as message from ${recipients}`,
    )
    return rows
  }
  if (leadId) {
    const [chosen] = await render(sql`leads l where l.id = ${leadId} and l.workspace_id = ${actor.workspaceId}`)
    if (!chosen) throw new Refusal('LEAD_NOT_FOUND')
    return chosen
  }
  const members = leadListId ? membersOf(actor, await findStored(db, actor, leadListId)) : null
  const [first] = members ? await render(sql`leads l where l.id in (select id from (${members} limit 1) m(id))`) : []
  return first ?? one(await render(EXAMPLE))
}

/** The email that shows a message as one lead would see it. @param to the user who requested the test */
function testEmail(
  to: string,
  { campaign, handle, message, link }: { campaign: string; handle: string; message: string; link: string },
): Email {
  return {
    to,
    subject: `Test message from “${nameInSubject(campaign, 'your campaign')}”`,
    lines: [`This is the message that @${handle} would receive:`, ...message.split(/\n{2,}/)],
    action: { label: 'Open campaign', link },
    closing: 'You requested this test on the campaign page. Nothing was sent on X.',
  }
}
