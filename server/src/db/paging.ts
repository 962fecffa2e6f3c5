import { BAD_CURSOR, isId, isMoment } from '@x-automated/contract/fields'
import { desc, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { invalidField } from '../refusal.ts'

/** A row's position in an order by time. The id breaks ties. */
export interface Position {
  at: Date
  id: string
}

/** Encodes a position as an opaque cursor. */
export function writeCursor({ at, id }: Position): string {
  return Buffer.from(`${at.toISOString()} ${id}`).toString('base64url')
}

/** Decodes a cursor. @throws Refusal INVALID_INPUT for anything that `writeCursor` did not write */
export function readCursor(cursor: string): Position {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!isMoment(at) || !isId(id)) throw invalidField('cursor', BAD_CURSOR)
  return { at: new Date(at), id }
}

interface Paging {
  page: number
  pageSize: number
  cursor?: string | undefined
}

/** The parts of a query for one page, newest first. @throws Refusal INVALID_INPUT: bad cursor */
export function newestFirst({ page, pageSize, cursor }: Paging, time: PgColumn, id: PgColumn) {
  const position = cursor === undefined ? null : readCursor(cursor)
  return {
    where: position
      ? sql`(${time}, ${id}) < (${position.at.toISOString()}::timestamptz, ${position.id}::uuid)`
      : undefined,
    order: [desc(time), desc(id)],
    // One extra row shows whether there are more.
    limit: pageSize + 1,
    offset: position ? 0 : (page - 1) * pageSize,
    /** The rows to show, and the paging fields of the response. */
    cut<Row>(rows: Row[], positionOf: (row: Row) => Position) {
      const pageRows = rows.slice(0, pageSize)
      const last = rows.length > pageSize ? pageRows.at(-1) : undefined
      return { shown: pageRows, paging: { page, pageSize, cursor: last ? writeCursor(positionOf(last)) : null } }
    },
  }
}
