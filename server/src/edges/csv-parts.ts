import type { CsvRecord } from '@x-automated/contract/csv'
import { IMPORT_REJECTED_MAX, IMPORT_REJECTED_NAMED } from '@x-automated/contract/import-limits'
import type { FilePart, RejectedLine } from '../domains/leads/service.ts'
import { Refusal } from '../refusal.ts'
import type { CsvFile } from './csv-records.ts'

/** What a domain makes of a record: a row to stage, what is wrong with it, or null for a header. */
export type ReadLine = (record: CsvRecord, delimiter: string | null) => { row: object } | { problem: string } | null

const ROWS_MAX = 1_000
/** Characters of JSON. The event loop passes each part on to PostgreSQL in one piece. */
const SIZE_MAX = 512 * 1024
/** How long one part takes at most, in milliseconds: other files are read in between. */
const PART_MS = 50

/**
 * Reads a file part by part.
 * @throws Refusal INVALID_INPUT: the file is empty, or more than `rejectedMax` of its lines are rejected
 */
export function* readParts(file: CsvFile, readLine: ReadLine, rejectedMax = IMPORT_REJECTED_MAX): Generator<FilePart> {
  let first: RejectedLine | null = null
  let count = 0
  let isEmpty = true
  let rows: string[] = []
  let size = 0
  let rejected: RejectedLine[] = []
  let countBefore = 0
  let began = performance.now()
  const part = (): FilePart => ({
    rows: `[${rows.join(',')}]`,
    rejected,
    rejectedCount: count - countBefore,
    bytesRead: file.bytesRead(),
  })
  for (const record of file.records) {
    isEmpty = false
    const line = readLine(record, file.delimiter())
    if (line !== null && 'row' in line) {
      const row = JSON.stringify(line.row)
      rows.push(row)
      size += row.length
    } else if (line !== null) {
      const one = { line: record.line, problem: line.problem }
      first ??= one
      count += 1
      if (count > rejectedMax) throw tooManyRejected(rejectedMax, first)
      if (count <= IMPORT_REJECTED_NAMED) rejected.push(one)
    }
    if (rows.length < ROWS_MAX && size < SIZE_MAX && performance.now() - began < PART_MS) continue
    yield part()
    rows = []
    size = 0
    rejected = []
    countBefore = count
    began = performance.now()
  }
  if (isEmpty) throw new Refusal('INVALID_INPUT', 'The file is empty.')
  yield part()
}

function tooManyRejected(max: number, { line, problem }: RejectedLine): Refusal {
  const number = (value: number) => value.toLocaleString('en')
  return new Refusal(
    'INVALID_INPUT',
    `More than ${number(max)} lines have a problem, so nothing of the file was imported. The first problem is in line ${number(line)}: ${problem}.`,
  )
}
