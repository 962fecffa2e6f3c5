import { createHash } from 'node:crypto'
import type { SQL } from 'drizzle-orm'
import type { PgDialect, PgSession } from 'drizzle-orm/pg-core'
import type { Db } from './open.ts'

/** Runs a statement, prepared once per connection. Each takes memory there, so keep them few. */
export async function executePrepared<Row>(db: Db, statement: SQL): Promise<{ rows: Row[] }> {
  const { dialect, session } = db as unknown as { dialect: PgDialect; session: PgSession }
  const query = dialect.sqlToQuery(statement)
  const name = createHash('sha1').update(query.sql).digest('hex')
  return (await session.prepareQuery(query, undefined, name, false).execute()) as { rows: Row[] }
}
