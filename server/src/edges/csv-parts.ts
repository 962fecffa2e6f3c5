import type { CsvRecord } from '@x-automated/contract/csv'
import { formatNumber } from '@x-automated/contract/format'
import { IMPORT_REJECTED_MAX, IMPORT_REJECTED_NAMED } from '@x-automated/contract/leads/import-limits'
import type { FilePart, LineProblem } from '../core/people/import.ts'
import { Refusal } from '../refusal.ts'
import type { CsvFile } from './csv-records.ts'

/** Parses a record into rows to stage, possibly with a warning; into a problem; or into null for a header. */
type ReadLine = (
  record: CsvRecord,
  delimiter: string | null,
) => { rows: object[]; warning?: string | null } | { problem: string } | null

const ROWS_MAX = 1_000
/** Maximum characters of JSON per part. The event loop passes each part to PostgreSQL as one string. */
const SIZE_MAX = 512 * 1024
/** Maximum time per part, in milliseconds, so that several files make progress. */
const PART_MS = 50

/** Reads a file in parts. @throws Refusal INVALID_INPUT: empty, or too many rejected rows */
export function* readParts(file: CsvFile, readLine: ReadLine): Generator<FilePart> {
  let first: LineProblem | null = null
  let count = 0
  let isEmpty = true
  let rows: string[] = []
  let size = 0
  let rejected: LineProblem[] = []
  let countBefore = 0
  let warnings: LineProblem[] = []
  let warningCount = 0
  let warned = 0
  let began = performance.now()
  const part = (): FilePart => ({
    rows: `[${rows.join(',')}]`,
    rejected,
    rejectedCount: count - countBefore,
    warnings,
    warningCount,
    bytesRead: file.bytesRead(),
  })
  for (const record of file.records) {
    isEmpty = false
    const line = readLine(record, file.delimiter())
    if (line !== null && 'rows' in line) {
      const staged = line.rows.map((row) => JSON.stringify(row))
      rows.push(...staged)
      size += staged.reduce((sum, row) => sum + row.length, 0)
      if (line.warning) {
        warningCount += 1
        warned += 1
        if (warned <= IMPORT_REJECTED_NAMED) warnings.push({ line: record.line, problem: line.warning })
      }
    } else if (line !== null) {
      const rejection = { line: record.line, problem: line.problem }
      first ??= rejection
      count += 1
      if (count > IMPORT_REJECTED_MAX) throw tooManyRejected(first)
      if (count <= IMPORT_REJECTED_NAMED) rejected.push(rejection)
    }
    if (rows.length < ROWS_MAX && size < SIZE_MAX && performance.now() - began < PART_MS) continue
    yield part()
    rows = []
    size = 0
    rejected = []
    countBefore = count
    warnings = []
    warningCount = 0
    began = performance.now()
  }
  if (isEmpty) throw new Refusal('INVALID_INPUT', 'The file is empty.')
  yield part()
}

function tooManyRejected({ line, problem }: LineProblem): Refusal {
  return new Refusal(
    'INVALID_INPUT',
    `More than ${formatNumber(IMPORT_REJECTED_MAX)} rows have a problem, so nothing was imported. The first problem is in row ${formatNumber(line)}: ${problem}.`,
  )
}
