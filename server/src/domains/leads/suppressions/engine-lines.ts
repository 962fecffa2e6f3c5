import type { CsvRecord } from '@x-automated/contract/csv'
import { invalidField, Refusal } from '../../../refusal.ts'
import { type Columns, readHeader, readLine, readOverlong, stagedRow } from './rules.ts'

/** How to read a suppression file, if its first row does not say it. */
export interface SuppressionLayout {
  /** The meaning of each column, '' to skip it. */
  columns?: readonly string[] | undefined
  /** Whether the first row is a header and not a person. */
  hasHeader?: boolean | undefined
}

/**
 * Reads a suppression file for the CSV thread: per record its people, a problem, or null for a header.
 * @throws Refusal INVALID_INPUT if the first row has neither a header nor a person, or contradicts the layout
 */
export function readSuppressionLines({ columns: named, hasHeader }: SuppressionLayout) {
  let columns: Columns | null = null
  return (record: CsvRecord): { rows: object[]; warning: string | null } | { problem: string } | null => {
    if (!columns) {
      if ('problem' in record) throw new Refusal('INVALID_INPUT', `The first line ${record.problem}.`)
      const { fields } = record
      if (named && named.length !== fields.length)
        throw invalidField('columns', `must name the ${fields.length} columns of the file, not ${named.length}`)
      const header = readHeader(fields, named, hasHeader)
      if ('problem' in header) throw new Refusal('INVALID_INPUT', header.problem)
      columns = header.columns
      if (!header.isData) return null
    }
    const { line } = record
    if ('problem' in record) {
      const people = readOverlong(columns, record.cells ?? [])
      if (people.length === 0) return { problem: record.problem }
      const warning = `${record.problem}, so only its handle and X user ID were read`
      return { rows: people.map((person) => stagedRow(line, person)), warning }
    }
    const read = readLine(columns, record.fields)
    return 'problem' in read ? read : { rows: [stagedRow(line, read.named)], warning: read.warning }
  }
}
