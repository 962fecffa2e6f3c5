import { bigserial, pgTable } from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

/** Working processes. Each holds an advisory lock on its id for life (liveness.ts). */
export const workers = pgTable('workers', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  startedAt: time('started_at').notNull().defaultNow(),
})
