import { sql } from 'drizzle-orm'
import { boolean, check, integer, pgTable, smallint, text, unique, uuid } from 'drizzle-orm/pg-core'
import { id, time, updatedAt } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { workspaces } from '../workspaces/tables.ts'
import { xAccounts } from '../x-account/tables.ts'

/**
 * The pace that an X account sends at, where somebody has set it; without a row the defaults hold (rules.ts).
 * A trigger has senders look at the account anew when it changes.
 */
export const sendingLimits = pgTable(
  'sending_limits',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    /** Null: of what the extension sends while no X account is connected, so that nobody knows from which. */
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'cascade' }),
    /** A name of the IANA database, such as Europe/Berlin. */
    timeZone: text('time_zone').notNull(),
    /** Days on which working hours begin, 1 (Monday) to 7. */
    workDays: smallint('work_days').array().notNull(),
    /** Minutes after midnight, both or neither; null: all day. An end before the start is on the next day. */
    startMinute: integer('start_minute'),
    endMinute: integer('end_minute'),
    /** Lower than DAILY_DM_CAP; null: that one alone. */
    dailyCap: integer('daily_cap'),
    warmUp: boolean('warm_up').notNull(),
    /** When warming up was switched on; it begins with the first message after that. Null: with the first of all. */
    warmUpSince: time('warm_up_since'),
    /** Longer than SEND_INTERVAL_SECONDS; null: that one alone. */
    pauseSeconds: integer('pause_seconds'),
    updatedAt: updatedAt(),
  },
  (t) => [
    unique('sending_limits_account').on(t.workspaceId, t.xAccountId).nullsNotDistinct(),
    check(
      'sending_limits_hours',
      sql`(start_minute is null) = (end_minute is null) and start_minute between 0 and 1439 and end_minute between 0 and 1439 and start_minute <> end_minute
        or start_minute is null and end_minute is null`,
    ),
    check(
      'sending_limits_days',
      sql`cardinality(work_days) > 0 and work_days <@ array[1, 2, 3, 4, 5, 6, 7]::smallint[]`,
    ),
    check('sending_limits_bounds', sql`daily_cap > 0 and pause_seconds >= 0`),
  ],
)

/** Whether a workspace's campaigns write only to leads with a contact basis, where somebody has decided it; without a row they do where X is the real one. */
export const sendingSettings = pgTable('sending_settings', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  basisRequired: boolean('basis_required').notNull(),
  /** Who lifted it, having read what X says, and when. */
  basisLiftedBy: uuid('basis_lifted_by').references(() => authUsers.id, { onDelete: 'set null' }),
  basisLiftedAt: time('basis_lifted_at'),
  updatedAt: updatedAt(),
})
