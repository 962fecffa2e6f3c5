import type { InputOf } from '@x-automated/contract/contract'
import { desc, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { findCampaign } from '../../../core/sequences/sequence.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import type { Db } from '../../../db/open.ts'
import { aboutOf } from './about.ts'
import { usage as usageOf } from './budget.ts'
import { lint } from './lint.ts'
import { findModel, type ProviderContext } from './provider.ts'
import { writerAbouts } from './tables.ts'

// About

export async function about(db: Db, actor: Actor) {
  return { text: await aboutOf(db, actor) }
}

export async function saveAbout(db: Db, { workspaceId }: Actor, { text }: InputOf<'writer', 'saveAbout'>) {
  const row = { text, updatedAt: new Date() }
  await db
    .insert(writerAbouts)
    .values({ ...row, workspaceId })
    .onConflictDoUpdate({ target: writerAbouts.workspaceId, set: row })
  return { text }
}

// Usage

/** The usage of a month, and the limits of the current model. */
export async function usage(context: ProviderContext, actor: Actor, input: InputOf<'writer', 'usage'>) {
  const model = await findModel(context, actor.workspaceId)
  return usageOf(context.db, actor, input, {
    limits: model?.limits ?? { cents: null, tokens: null },
    payer: model?.from ?? 'operator',
  })
}

// Lint

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
