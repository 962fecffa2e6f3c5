import type { CsvRecord } from '@x-automated/contract/csv'
import { invalidField, Refusal } from '../../../refusal.ts'
import { type Columns, readHeader, readLine, stagedRow } from './rules.ts'

/**
 * Reads a lead file's records: each becomes a row to stage or a problem; the header becomes null.
 * @param named each column's meaning, '' to skip it @throws Refusal INVALID_INPUT: bad header
 */
export function readLeadLines(named?: readonly string[]) {
  let columns: Columns | null = null
  return (
    record: CsvRecord,
    delimiter: string | null,
  ): { rows: object[]; warning: string | null } | { problem: string } | null => {
    if (!columns) {
      columns = columnsOf(record, named)
      return null
    }
    if ('problem' in record) return record
    const read = readLine(columns, record.fields, delimiter)
    return 'problem' in read ? read : { rows: [stagedRow(record.line, read.lead)], warning: read.warning }
  }
}

function columnsOf(record: CsvRecord, named: readonly string[] | undefined): Columns {
  if ('problem' in record) throw new Refusal('INVALID_INPUT', `The first line ${record.problem}.`)
  if (named && named.length !== record.fields.length)
    throw invalidField('columns', `must name the ${record.fields.length} columns of the file, not ${named.length}`)
  const columns = readHeader(named ?? record.fields)
  if ('problem' in columns) throw new Refusal('INVALID_INPUT', columns.problem)
  return columns
}
