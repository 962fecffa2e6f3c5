import { PLAN_IDS } from '@x-automated/contract/plans'
import { boolean, date, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, time, updatedAt } from '../../db/columns.ts'
import { workspaces } from '../workspaces/tables.ts'

/** What a workspace pays for. */
export const subscriptions = pgTable('subscriptions', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  planId: text('plan_id', { enum: PLAN_IDS }).notNull(),
  status: text('status', { enum: ['active', 'canceled', 'past_due', 'trialing'] }).notNull(),
  currentPeriodEnd: time('current_period_end').notNull(),
  cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** How much of what plans limit a workspace has used in a calendar month (UTC). Kept in the transaction that uses it. */
export const monthlyUsage = pgTable(
  'monthly_usage',
  {
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    /** Its first day. */
    month: date('month', { mode: 'string' }).notNull(),
    kind: text('kind', { enum: ['scraped_leads', 'dms'] }).notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.kind, t.month] })],
)
