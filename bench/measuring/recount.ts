import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { recountMessages } from '../../server/src/core/messages/counts.ts'
import { recountLeads } from '../../server/src/core/people/lead-counts.ts'
import type { Db } from '../../server/src/db/open.ts'

/** Counts leads and messages again, after a benchmark has inserted rows directly. */
export async function recount(client: pg.Client | pg.PoolClient): Promise<void> {
  const db = drizzle(client) as unknown as Db
  await recountLeads(db)
  await recountMessages(db)
}
