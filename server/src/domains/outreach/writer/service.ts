import type { InputOf } from '@x-automated/contract/contract'
import type { Draft, DraftsDone, DraftsInput } from '@x-automated/contract/outreach/writer'
import { desc, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { campaigns } from '../campaigns/tables.ts'
import { findConversation } from '../conversations/service.ts'
import { findCampaign } from '../sequences/service.ts'
import { writeMessages, writeSequences } from './rules-built-in.ts'
import { lint } from './rules-lint.ts'
import { usage as usageOf } from './service-budget.ts'
import { findModel, type ProviderContext } from './service-provider.ts'
import { writerAbouts } from './tables.ts'

export { find as findProvider, remove as removeProvider, save as saveProvider } from './service-provider.ts'

/** What calls of the writer need. */
export interface WriterContext extends ProviderContext {}

// About

export async function about(db: Db, { workspaceId }: Pick<Actor, 'workspaceId'>) {
  const [row] = await db.select().from(writerAbouts).where(eq(writerAbouts.workspaceId, workspaceId))
  return { text: row?.text ?? '' }
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

/** What a month used, and the limits of the model in use. */
export async function usage(context: WriterContext, actor: Actor, input: InputOf<'writer', 'usage'>) {
  const model = await findModel(context, actor.workspaceId)
  return usageOf(context.db, actor, input, {
    limits: model?.limits ?? { cents: null, tokens: null },
    payer: model?.from ?? 'operator',
  })
}

// Lint

/** Campaigns whose messages a text is compared with. */
const COMPARED = 50

/** @throws Refusal CAMPAIGN_NOT_FOUND */
export async function lintMessage(db: Db, actor: Actor, { text, campaignId }: InputOf<'writer', 'lint'>) {
  if (campaignId !== undefined) await findCampaign(db, actor, campaignId)
  const earlier = await db
    .select({ campaign: campaigns.name, messageTemplate: campaigns.messageTemplate })
    .from(campaigns)
    .where(
      sql`${campaigns.workspaceId} = ${actor.workspaceId} and ${campaigns.kind} = 'campaign' and ${campaigns.queuedAt} is not null
        and ${campaigns.id} is distinct from ${campaignId ?? null}::uuid`,
    )
    .orderBy(desc(campaigns.createdAt))
    .limit(COMPARED)
  return { problems: lint(text, earlier) }
}

// Drafts

/** Calls the model once. @throws Refusal MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE */
export async function testProvider(
  context: WriterContext,
  { workspaceId }: Actor,
): Promise<{ success: true; milliseconds: number; model: string }> {
  const model = await findModel(context, workspaceId)
  throw new Refusal(model ? 'MODEL_UNAVAILABLE' : 'MODEL_NOT_CONFIGURED')
}

/**
 * Writes drafts one by one. Returns what the event `done` reports.
 * @throws Refusal CONVERSATION_NOT_FOUND; MODEL_NOT_CONFIGURED, BUDGET_EXCEEDED, MODEL_UNAVAILABLE
 * where the built-in writer cannot help
 */
export async function* writeDrafts(
  context: WriterContext,
  actor: Actor,
  input: DraftsInput,
): AsyncGenerator<Draft, DraftsDone> {
  if (input.kind === 'reply') await findConversation(context.db, actor, input.conversationId ?? '')
  if (input.kind === 'rewrite' || input.kind === 'reply') throw new Refusal('MODEL_NOT_CONFIGURED')
  const drafts = input.kind === 'sequence' ? writeSequences(input) : writeMessages(input)
  yield* drafts
  return { drafts, source: 'built_in', usage: { tokens: 0, cents: null }, fault: null }
}
