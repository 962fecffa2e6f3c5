import { sql } from 'drizzle-orm'
import { boolean, check, integer, pgTable, smallint, text, unique, uuid } from 'drizzle-orm/pg-core'
import { id, time, updatedAt } from '../../../db/columns.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { workspaceId, workspaces } from '../../identity/workspaces/tables.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'

/**
 * Sending limits of an X account; without a row, the defaults apply. A trigger makes the account
 * due when they change.
 */
export const sendingLimits = pgTable(
  'sending_limits',
  {
    id: id(),
    workspaceId: workspaceId(),
    /** Null: limits of the extension while no X account is connected. */
    xAccountId: uuid('x_account_id').references(() => xAccounts.id, { onDelete: 'cascade' }),
    /** A name of the IANA database, such as Europe/Berlin. */
    timeZone: text('time_zone').notNull(),
    /** Days on which working hours start: 1 (Monday) to 7. */
    workDays: smallint('work_days').array().notNull(),
    /** Start of working hours, in minutes after midnight; null, like `endMinute`: all day. */
    startMinute: integer('start_minute'),
    /** End of working hours, in minutes after midnight. If it is before the start, it is on the next day. */
    endMinute: integer('end_minute'),
    /** At most DAILY_DM_CAP; null: only DAILY_DM_CAP applies. */
    dailyCap: integer('daily_cap'),
    warmUp: boolean('warm_up').notNull(),
    /** Warm-up starts with the first message after this time; null: with the first ever. */
    warmUpSince: time('warm_up_since'),
    /** The interval between messages: at least SEND_INTERVAL_SECONDS; null: SEND_INTERVAL_SECONDS. */
    pauseSeconds: integer('pause_seconds'),
    updatedAt: updatedAt(),
  },
  (t) => [
    unique('sending_limits_account').on(t.workspaceId, t.xAccountId).nullsNotDistinct(),
    check(
      'sending_limits_hours',
      sql`
        (start_minute is null) = (end_minute is null)
        and start_minute between 0 and 1439
        and end_minute between 0 and 1439
        and start_minute <> end_minute
        or start_minute is null and end_minute is null`,
    ),
    check(
      'sending_limits_days',
      sql`cardinality(work_days) > 0 and work_days <@ array[1, 2, 3, 4, 5, 6, 7]::smallint[]`,
    ),
    check('sending_limits_bounds', sql`daily_cap > 0 and pause_seconds >= 0`),
  ],
)

/** Settings of a workspace for all its accounts. Null: the default. */
export const sendingSettings = pgTable('sending_settings', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  /** Whether campaigns require a contact basis; null: only with the real X. */
  basisRequired: boolean('basis_required'),
  /** When a campaign pauses itself or warns; see `Protection`. */
  refusalPercent: smallint('refusal_percent'),
  closedInboxPercent: smallint('closed_inbox_percent'),
  optOutsPerHundred: smallint('opt_outs_per_hundred'),
  /** Who lifted the requirement after reading X's rules. */
  basisLiftedBy: uuid('basis_lifted_by').references(() => authUsers.id, { onDelete: 'set null' }),
  /** When the requirement was lifted. */
  basisLiftedAt: time('basis_lifted_at'),
  updatedAt: updatedAt(),
})

/** A workspace's own opt-out words, in addition to the built-in ones. */
export const replySettings = pgTable('reply_settings', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  optOutWords: text('opt_out_words').array().notNull(),
})
