import type { InputOf } from '@x-automated/contract/contract'
import type { Provider, ProviderKind } from '@x-automated/contract/outreach/writer'
import { eq } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { Env } from '../../../env.ts'
import { addressProblem } from '../../../public-address.ts'
import { invalidField } from '../../../refusal.ts'
import type { Sealer } from '../../../sealing.ts'
import { factsOf } from '../../platform/billing/plan.ts'
import { usage as usageOf } from './budget.ts'
import { allowanceOf, type BudgetLimits, type Price, priceOf } from './prices.ts'
import { writerProviders } from './tables.ts'

export interface ProviderContext {
  db: Db
  env: Pick<Env, 'ai' | 'standIns'>
  /** Seals the keys of workspaces. */
  writerSealer: Sealer
}

/** A model that can be called. */
export interface ModelProvider {
  kind: ProviderKind
  baseUrl: string | null
  model: string
  apiKey: string | null
  price: Price | null
  from: 'workspace' | 'operator'
  limits: BudgetLimits
}

type Row = typeof writerProviders.$inferSelect

const rowOf = async (db: Db, workspaceId: string): Promise<Row | undefined> =>
  (await db.select().from(writerProviders).where(eq(writerProviders.workspaceId, workspaceId)))[0]

/** The model of a workspace: its own, or the operator's; null: there is no model. */
export async function findModel(
  { db, env, writerSealer }: ProviderContext,
  workspaceId: string,
): Promise<ModelProvider | null> {
  const row = await rowOf(db, workspaceId)
  if (row)
    return {
      kind: row.kind,
      baseUrl: row.baseUrl,
      model: row.model,
      apiKey: row.sealedKey && writerSealer.open(row.sealedKey),
      price: enteredPrice(row) ?? priceOf(row.model),
      from: 'workspace',
      limits: { cents: row.budgetCents, tokens: row.budgetTokens },
    }
  const { operator } = env.ai
  if (!operator) return null
  const price = operator.price ?? priceOf(operator.model)
  const { plan, achievements } = await factsOf(db, workspaceId)
  const isViral = achievements.includes('viral')
  return { ...operator, price, from: 'operator', limits: allowanceOf({ plan, isViral, price }, env.ai.allowances) }
}

function enteredPrice({ inputPrice, outputPrice }: Row): Price | null {
  return inputPrice === null || outputPrice === null ? null : { input: inputPrice, output: outputPrice }
}

type ReadProvider = Omit<Provider, 'updatedAt'> & { updatedAt?: Date | null }

/** The model as the settings show it. Callers below admin see only which model it is. */
export async function find(context: ProviderContext, actor: Actor): Promise<ReadProvider | null> {
  const { db, env } = context
  const row = await rowOf(db, actor.workspaceId)
  const isAdmin = roleAllows(actor.role, 'admin')
  if (row) return isAdmin ? providerOf(row) : { kind: row.kind, model: row.model, from: 'workspace' }
  const { operator } = env.ai
  if (!operator) return null
  const { kind, model } = operator
  if (!isAdmin) return { kind, model, from: 'operator' }
  const pricedModel = await findModel(context, actor.workspaceId)
  return {
    kind,
    model,
    from: 'operator',
    // Workspaces must not see the operator's address and key.
    baseUrl: null,
    keyEnding: null,
    inputCentsPerMillion: pricedModel?.price?.input ?? null,
    outputCentsPerMillion: pricedModel?.price?.output ?? null,
    budgetCents: pricedModel?.limits.cents ?? null,
    budgetTokens: pricedModel?.limits.tokens ?? null,
    updatedAt: null,
  }
}

function providerOf(row: Row): ReadProvider {
  const price = enteredPrice(row) ?? priceOf(row.model)
  return {
    kind: row.kind,
    model: row.model,
    from: 'workspace',
    baseUrl: row.baseUrl,
    keyEnding: row.keyEnding,
    inputCentsPerMillion: price?.input ?? null,
    outputCentsPerMillion: price?.output ?? null,
    budgetCents: row.budgetCents,
    budgetTokens: row.budgetTokens,
    updatedAt: row.updatedAt,
  }
}

/** The part of a key that is shown: its last 4 characters, but at most a third of the key. */
const endingOf = (key: string) => key.slice(key.length - Math.min(4, Math.floor(key.length / 3)))

/**
 * Stores the workspace's own model. @throws Refusal INVALID_INPUT: the address is not allowed, or
 * the key is missing for a new address
 */
export async function save(
  { db, env, writerSealer }: ProviderContext,
  { workspaceId }: Actor,
  { apiKey, ...input }: InputOf<'writer', 'saveProvider'>,
): Promise<ReadProvider> {
  const baseUrl = input.baseUrl ? input.baseUrl.replace(/\/+$/, '') : null
  if (baseUrl) {
    const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
    if (!url) throw invalidField('baseUrl', 'must be a web address')
    if (/[?#]/.test(baseUrl)) throw invalidField('baseUrl', 'must not contain ? or #')
    const isPrivateAllowed = env.ai.allowsPrivateAddresses && /^https?:$/.test(url.protocol)
    const problem = isPrivateAllowed ? null : addressProblem(url, env.standIns)
    if (problem) throw invalidField('baseUrl', problem)
  }
  const stored = await rowOf(db, workspaceId)
  const keeps = apiKey === undefined && stored?.sealedKey
  // Otherwise an admin could send a stored key, which they never saw, to an address of their choice.
  if (keeps && (stored.kind !== input.kind || originOf(stored.baseUrl) !== originOf(baseUrl)))
    throw invalidField('apiKey', 'must be entered again for another provider or address')
  if (apiKey === undefined && !stored?.sealedKey && input.kind !== 'openai_compatible')
    throw invalidField('apiKey', 'is required')
  const key = keeps
    ? { sealedKey: stored.sealedKey, keyEnding: stored.keyEnding }
    : { sealedKey: apiKey ? writerSealer.seal(apiKey) : null, keyEnding: apiKey ? endingOf(apiKey) : null }
  const row = {
    ...key,
    kind: input.kind,
    baseUrl,
    model: input.model,
    inputPrice: input.inputCentsPerMillion ?? null,
    outputPrice: input.outputCentsPerMillion ?? null,
    budgetCents: input.budgetCents ?? null,
    budgetTokens: input.budgetTokens ?? null,
    updatedAt: new Date(),
  }
  const saved = await db
    .insert(writerProviders)
    .values({ ...row, workspaceId })
    .onConflictDoUpdate({ target: writerProviders.workspaceId, set: row })
    .returning()
  return providerOf(one(saved))
}

function originOf(baseUrl: string | null): string {
  return baseUrl ? new URL(baseUrl).origin : ''
}

/** Deletes the workspace's own model and its key. */
export async function remove(db: Db, { workspaceId }: Actor): Promise<void> {
  await db.delete(writerProviders).where(eq(writerProviders.workspaceId, workspaceId))
}

/** The usage of a month, and the limits of the current model. */
export async function usage(context: ProviderContext, actor: Actor, input: InputOf<'writer', 'usage'>) {
  const model = await findModel(context, actor.workspaceId)
  return usageOf(context.db, actor, input, {
    limits: model?.limits ?? { cents: null, tokens: null },
    payer: model?.from ?? 'operator',
  })
}
