import type { InputOf } from '@x-automated/contract/contract'
import { desc, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { findCampaign } from '../../../core/sequences/sequence.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import type { Db } from '../../../db/open.ts'
import { lint } from './lint.ts'

/** How many campaigns' messages a text is compared with. */
const COMPARED = 50

/** @throws Refusal CAMPAIGN_NOT_FOUND */
export async function lintMessage(db: Db, actor: Actor, { text, campaignId }: InputOf<'writer', 'lint'>) {
  if (campaignId !== undefined) await findCampaign(db, actor, campaignId)
  const earlier = await db
    .select({ campaign: campaigns.name, messageTemplate: campaigns.messageTemplate })
    .from(campaigns)
    .where(
      sql`
        ${campaigns.workspaceId} = ${actor.workspaceId}
        and ${campaigns.kind} = 'campaign'
        and ${campaigns.queuedAt} is not null
        and ${campaigns.id} is distinct from ${campaignId ?? null}::uuid`,
    )
    .orderBy(desc(campaigns.createdAt))
    .limit(COMPARED)
  return { problems: lint(text, earlier) }
}
