import type { InputOf } from '@x-automated/contract/contract'
import type { OperatorAction } from '@x-automated/contract/overview/operator'
import { desc, eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { WaitlistContext } from '../../../ports.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { members } from '../../waitlist/waitlist/tables.ts'
import { operatorLog } from './tables.ts'

/** Services that operator actions use. */
export interface OperatorContext extends WaitlistContext {
  db: Db
  log: FastifyBaseLogger
}

/** The number of rows before a page. */
export const offsetOf = ({ page, pageSize }: InputOf<'operator', 'log'>) => (page - 1) * pageSize

/** An action of an operator, as it is recorded. */
export interface Done {
  operatorId: string
  action: OperatorAction
  memberId?: string
  count?: number
}

/** Records an action, also in the log of the process. */
export async function note({ db, log }: Pick<OperatorContext, 'db' | 'log'>, done: Done): Promise<void> {
  await db.insert(operatorLog).values(done)
  log.info(done, 'operator action')
}

/** How many of the newest entries the pages show. */
const LOG_SHOWN = 1_000

/** One page of operator actions, newest first. */
export async function listLog(db: Db, paging: InputOf<'operator', 'log'>) {
  const [actions, total] = await Promise.all([
    db
      .select({
        id: operatorLog.id,
        action: operatorLog.action,
        operatorEmail: authUsers.email,
        memberEmail: members.email,
        count: operatorLog.count,
        at: operatorLog.createdAt,
      })
      .from(operatorLog)
      .leftJoin(authUsers, eq(authUsers.id, operatorLog.operatorId))
      .leftJoin(members, eq(members.id, operatorLog.memberId))
      .orderBy(desc(operatorLog.createdAt), desc(operatorLog.id))
      .limit(paging.pageSize)
      .offset(Math.min(offsetOf(paging), LOG_SHOWN)),
    db.execute<{ total: number }>(
      sql`select count(*)::int as total from (select from ${operatorLog} limit ${LOG_SHOWN}) as newest`,
    ),
  ])
  return { actions, total: one(total.rows).total, ...paging }
}
