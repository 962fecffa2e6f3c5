import { PROVIDER_KINDS } from '@x-automated/contract/outreach/writer'
import { bigint, date, doublePrecision, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, updatedAt } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** The models that workspaces have configured. A workspace without a row uses the operator's. */
export const writerProviders = pgTable('writer_providers', {
  workspaceId: workspaceId().primaryKey(),
  kind: text('kind', { enum: PROVIDER_KINDS }).notNull(),
  baseUrl: text('base_url'),
  model: text('model').notNull(),
  /** Null: the provider needs no key. */
  sealedKey: text('sealed_key'),
  keyEnding: text('key_ending'),
  /** Price of input, in cents per million tokens; null: the known price, or no price. */
  inputPrice: doublePrecision('input_price'),
  /** Price of output, in cents per million tokens; null: the known price, or no price. */
  outputPrice: doublePrecision('output_price'),
  budgetCents: bigint('budget_cents', { mode: 'number' }),
  budgetTokens: bigint('budget_tokens', { mode: 'number' }),
  updatedAt: updatedAt(),
})

/** A workspace's description of itself. */
export const writerAbouts = pgTable('writer_abouts', {
  workspaceId: workspaceId().primaryKey(),
  text: text('text').notNull(),
  updatedAt: updatedAt(),
})

/** Whose key paid. The two budgets are separate. */
const payer = () => text('payer', { enum: ['workspace', 'operator'] }).notNull()
const month = () => date('month', { mode: 'string' }).notNull()
const tokens = () => bigint('tokens', { mode: 'number' }).notNull()
/** In millionths of a cent: tokens multiplied by the price in cents per million tokens. */
const microcents = () => bigint('microcents', { mode: 'number' }).notNull()

/** Tokens and costs per UTC month. Running calls count with their maximum. */
export const writerUsage = pgTable(
  'writer_usage',
  { workspaceId: workspaceId(), month: month(), payer: payer(), tokens: tokens(), microcents: microcents() },
  (t) => [primaryKey({ columns: [t.workspaceId, t.month, t.payer] })],
)

/** The members' shares of `writer_usage`, changed in the same statement. */
export const writerMemberUsage = pgTable(
  'writer_member_usage',
  {
    workspaceId: workspaceId(),
    month: month(),
    payer: payer(),
    /** No foreign key: the usage outlives the account. */
    userId: uuid('user_id').notNull(),
    tokens: tokens(),
    microcents: microcents(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.month, t.payer, t.userId] })],
)

/** Replies for which a second opinion was requested, so that each is requested once. Kept for a day. */
export const writerOpinions = pgTable(
  'writer_opinions',
  { workspaceId: workspaceId(), replyId: uuid('reply_id').notNull(), createdAt: createdAt() },
  (t) => [primaryKey({ columns: [t.workspaceId, t.replyId] }), index('writer_opinions_oldest').on(t.createdAt)],
)
