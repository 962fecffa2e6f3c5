import { OPERATOR_ACTIONS, UNREADABLE_SOURCES } from '@x-automated/contract/overview/operator'
import { date, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../../db/columns.ts'
import { members } from '../../waitlist/waitlist/tables.ts'

/** The audit log of operator actions. Rows are only added. */
export const operatorLog = pgTable(
  'operator_log',
  {
    id: id(),
    /** The operator's account. No foreign key: the entry outlives the account. */
    operatorId: uuid('operator_id').notNull(),
    action: text('action', { enum: OPERATOR_ACTIONS }).notNull(),
    /** The member whom the decision concerns. */
    memberId: uuid('member_id').references(() => members.id),
    /** How many members were invited or exported. */
    count: integer('count'),
    createdAt: createdAt(),
  },
  (t) => [index('operator_log_newest').on(t.createdAt, t.id)],
)

/** Counts of data from X that the product could not read, by UTC day and form. Old days are purged. */
export const xUnreadables = pgTable(
  'x_unreadables',
  {
    day: date('day').notNull(),
    source: text('source', { enum: UNREADABLE_SOURCES }).notNull(),
    /** The type of the event, or the call. */
    name: text('name').notNull(),
    /** A hash of `keys`. */
    form: text('form').notNull(),
    /** The names of the unreadable value's fields, never their values. */
    keys: text('keys').array().notNull(),
    count: integer('count').notNull(),
    lastAt: time('last_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.source, t.name, t.form] })],
)
