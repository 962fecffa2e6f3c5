import { sql } from 'drizzle-orm'
import type { Db } from './open.ts'

/** What takes in or changes hundreds of thousands of rows in one statement may take longer than a request's query; until the transaction ends. */
export async function allowLongStatements(tx: Db): Promise<void> {
  await tx.execute(sql`set local statement_timeout = '10min'`)
}
