import { createHash } from 'node:crypto'
import type { SQL } from 'drizzle-orm'
import type { PgDialect, PgSession } from 'drizzle-orm/pg-core'
import type { Db } from './open.ts'

/** Like `executePrepared`, but builds the statement once. Its values are placeholders. */
export function prepare<Row>(name: string, build: () => SQL) {
  let query: ReturnType<PgDialect['sqlToQuery']> | undefined
  return async (db: Db, values: Record<string, unknown>): Promise<{ rows: Row[] }> => {
    const { dialect, session } = db as unknown as { dialect: PgDialect; session: PgSession }
    query ??= dialect.sqlToQuery(build())
    return (await session.prepareQuery(query, undefined, name, false).execute(values)) as { rows: Row[] }
  }
}

/**
 * Runs a statement that is prepared once per connection. Each uses memory of the server, so keep
 * their number small.
 */
export async function executePrepared<Row>(db: Db, statement: SQL): Promise<{ rows: Row[] }> {
  const { dialect, session } = db as unknown as { dialect: PgDialect; session: PgSession }
  const query = dialect.sqlToQuery(statement)
  const name = createHash('sha1').update(query.sql).digest('hex')
  return (await session.prepareQuery(query, undefined, name, false).execute()) as { rows: Row[] }
}
