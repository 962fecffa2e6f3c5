import { and, eq, inArray, is, SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '../src/db/open.ts'

/** Selects rows by a condition or by their values: a list matches any of its values, `{}` matches all rows. */
export type Which<T extends PgTable> = SQL | { [K in keyof T['$inferSelect']]?: unknown }

/** Database access for test helpers: the app, or a transaction as `{ db: tx }`. */
export type Writer = { db: Db }

/** The condition that selects these rows; undefined for all rows. */
export function matching<T extends PgTable>(table: T, which: Which<T> | undefined): SQL | undefined {
  if (is(which, SQL)) return which
  const columns = table as unknown as Record<string, AnyPgColumn>
  return and(
    ...Object.entries(which ?? {}).map(([name, value]) => {
      const column = columns[name] as AnyPgColumn
      return Array.isArray(value) ? inArray(column, value) : eq(column, value)
    }),
  )
}
