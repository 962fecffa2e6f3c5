import type { CsvRecord } from '@x-automated/contract/csv'
import { invalidField, Refusal } from '../../refusal.ts'
import { type Columns, readHeader, readLine, stagedRow } from './rules.ts'

/**
 * Reads the rows of a lead file. Loaded by the CSV thread, so it imports little.
 * @param named the meaning of each column, replacing the header; '' skips a column
 * @returns for each record the row to stage, or its problem; null for the header
 * @throws Refusal INVALID_INPUT for an invalid header
 */
export function readLeadLines(named?: readonly string[]) {
  let columns: Columns | null = null
  return (record: CsvRecord, delimiter: string | null): { row: object } | { problem: string } | null => {
    if (!columns) {
      columns = columnsOf(record, named)
      return null
    }
    if ('problem' in record) return record
    const lead = readLine(columns, record.fields, delimiter)
    return 'problem' in lead ? lead : { row: stagedRow(record.line, lead) }
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
