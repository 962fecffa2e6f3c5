import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { recountMessages } from '../../server/src/core/messages/counts.ts'
import type { Db } from '../../server/src/db/open.ts'

/** Counts messages again, after a benchmark has inserted rows of its own. */
export async function recount(client: pg.Client): Promise<void> {
  await recountMessages(drizzle(client) as unknown as Db)
}
