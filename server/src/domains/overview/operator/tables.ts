import { OPERATOR_ACTIONS } from '@x-automated/contract/overview/operator'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id } from '../../../db/columns.ts'
import { members } from '../../waitlist/waitlist/tables.ts'

/** The audit log of operator actions. Rows are only added. */
export const operatorLog = pgTable(
  'operator_log',
  {
    id: id(),
    /** The operator's account. No foreign key: the entry outlives the account. */
    operatorId: uuid('operator_id').notNull(),
    action: text('action', { enum: OPERATOR_ACTIONS }).notNull(),
    /** The member a decision concerns. */
    memberId: uuid('member_id').references(() => members.id),
    /** Members invited or exported. */
    count: integer('count'),
    createdAt: createdAt(),
  },
  (t) => [index('operator_log_newest').on(t.createdAt, t.id)],
)
