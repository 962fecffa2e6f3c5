import { and, eq, inArray, is, SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '../src/db/open.ts'

/** Rows with these values, a list meaning any of them, or those of a condition. `{}` means all. */
export type Which<T extends PgTable> = SQL | { [K in keyof T['$inferSelect']]?: unknown }

/** The app, or a transaction as `{ db: tx }`. */
export type Writer = { db: Db }

/** The condition that chooses these rows. */
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
