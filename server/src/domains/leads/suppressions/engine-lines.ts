import type { CsvRecord } from '@x-automated/contract/csv'
import { Refusal } from '../../../refusal.ts'
import { type Columns, readHeader, readLine, stagedRow } from './rules.ts'

/**
 * Reads a suppression file for the CSV thread: per record a row, a problem, or null for a header.
 * @throws Refusal INVALID_INPUT if the first row has neither a header nor a handle
 */
export function readSuppressionLines() {
  let columns: Columns | null = null
  return (record: CsvRecord): { row: object; warning: string | null } | { problem: string } | null => {
    if ('problem' in record) {
      if (!columns) throw new Refusal('INVALID_INPUT', `The first line ${record.problem}.`)
      return record
    }
    if (!columns) {
      const header = readHeader(record.fields)
      if ('problem' in header) throw new Refusal('INVALID_INPUT', header.problem)
      columns = header.columns
      if (!header.isData) return null
    }
    const read = readLine(columns, record.fields)
    return 'problem' in read ? read : { row: stagedRow(record.line, read.named), warning: read.warning }
  }
}
