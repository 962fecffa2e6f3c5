import { X_APP_PROBLEMS } from '@x-automated/contract/platform/x-apps'
import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../../db/columns.ts'
import { workspaces } from '../../identity/workspaces/tables.ts'

/** The operator's app, whose credentials come from the environment. A migration inserts its row. */
export const OPERATOR_APP_ID = '00000000-0000-7000-8000-000000000001'

/**
 * Apps registered with X: the operator's, and those that workspaces bring. X counts limits, charges
 * and webhooks per app, over all its X accounts.
 */
export const xApps = pgTable('x_apps', {
  id: id(),
  /** The workspace that brought the app; null: the operator's app. */
  workspaceId: uuid('workspace_id')
    .unique()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  /** Null, like the secrets, for the operator's app, whose credentials come from the environment. */
  clientId: text('client_id'),
  sealedClientSecret: text('sealed_client_secret'),
  sealedConsumerSecret: text('sealed_consumer_secret'),
  sealedBearerToken: text('sealed_bearer_token'),
  /** The part of the app that X refuses. */
  problem: text('problem', { enum: X_APP_PROBLEMS }),
  /** The time since which X says that the app's credits are used up or its spending limit is reached; null: not now. */
  fundsEmptySince: time('funds_empty_since'),
  /** When the next call may try X again while the app has no funds. */
  fundsTryAt: time('funds_try_at'),
  /** When someone who can add credits was last notified. */
  fundsAlarmedAt: time('funds_alarmed_at'),
  /** When X last delivered to the app's webhook, accurate to 10 seconds. */
  deliveredAt: time('delivered_at'),
  /** Deliveries from this time on may be missing, and X is asked to repeat them; null: none are missing. */
  gapSince: time('gap_since'),
  /** The end of the period in which deliveries may be missing. */
  gapUntil: time('gap_until'),
  /** When X was last asked to repeat deliveries. */
  replayedAt: time('replayed_at'),
  /** Until this time the app may not send: its messages of 24 hours are used up, according to X's headers. */
  restsUntil: time('rests_until'),
  /** How many messages X allows in 24 hours, according to its headers; null: not reported yet. */
  dailyLimit: integer('daily_limit'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})
