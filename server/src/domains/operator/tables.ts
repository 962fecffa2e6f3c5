import { OPERATOR_ACTIONS } from '@x-automated/contract/operator'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id } from '../../db/columns.ts'
import { members } from '../waitlist/tables.ts'

/** What operators did, and who did it. Rows are added only. */
export const operatorLog = pgTable(
  'operator_log',
  {
    id: id(),
    /** The operator's account, whatever became of it. */
    operatorId: uuid('operator_id').notNull(),
    action: text('action', { enum: OPERATOR_ACTIONS }).notNull(),
    /** Whom a decision was about. */
    memberId: uuid('member_id').references(() => members.id),
    /** How many were invited or exported. */
    count: integer('count'),
    createdAt: createdAt(),
  },
  (t) => [index('operator_log_newest').on(t.createdAt, t.id)],
)
