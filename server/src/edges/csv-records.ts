import { setImmediate } from 'node:timers/promises'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import type { CsvRecord } from '../domains/leads/service.ts'
import { Refusal } from '../refusal.ts'

/** The longest record. A quote that is never closed would else swallow the rest of the file. */
const RECORD_MAX_BYTES = 128 * 1024
const WINDOW_BYTES = 256 * 1024
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

const TOO_LONG = `is longer than ${RECORD_MAX_BYTES / 1024} KiB, or a quote in it is never closed`
/** After each line that cannot be read the parser begins anew, which costs a thousand times a good one: others get their turn in between, */
const UNREADABLE_AT_A_TIME = 50
/** and a file of nothing else is given up. */
const UNREADABLE_MAX = 100_000

const BAD_QUOTES = 'has a quote that is not closed or not doubled'

/**
 * Reads CSV (RFC 4180; any line ends; comma, semicolon or tab, as the first line has it) record by record.
 * A line that cannot be read is said so, and reading goes on with the next: one bad quote costs one line, not the rest of the file.
 * @param onDelimiter told before the first record
 * @throws Refusal INVALID_INPUT: more than `unreadableMax` lines cannot be read
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  unreadableMax = UNREADABLE_MAX,
  onDelimiter: (delimiter: string) => void = () => {},
): AsyncGenerator<CsvRecord> {
  let pending: Buffer[] = []
  let size = 0
  let enough = WINDOW_BYTES
  let line = 1
  let delimiter: string | null = null

  function* readPending(isLast: boolean): Generator<CsvRecord> {
    let bytes = Buffer.concat(pending)
    if (delimiter === null) {
      if (bytes.subarray(0, 3).equals(BOM)) bytes = bytes.subarray(3)
      delimiter = delimiterOf(bytes)
      onDelimiter(delimiter)
    }
    const window = isLast ? bytes : bytes.subarray(0, endOfLastLine(bytes))
    let used = 0
    while (used < window.length) {
      const rest = window.subarray(used)
      const { records, end, error } = parseSome(rest, delimiter)
      for (const fields of records) {
        yield { line, fields }
        line += 1 + breaksIn(fields)
      }
      used += end
      if (!error) break
      // The record may go on in what has not been read yet.
      if (error.code === 'CSV_QUOTE_NOT_CLOSED' && !isLast) break
      yield { line, problem: error.code === 'CSV_MAX_RECORD_SIZE' ? TOO_LONG : BAD_QUOTES }
      line += 1
      used += endOfFirstLine(window.subarray(used))
    }
    const rest = bytes.subarray(used)
    pending = [rest]
    size = rest.length
    enough = Math.max(WINDOW_BYTES, 2 * size)
  }

  let unreadable = 0
  async function* inTurns(records: Iterable<CsvRecord>): AsyncGenerator<CsvRecord> {
    for (const record of records) {
      yield record
      if (!('problem' in record)) continue
      unreadable += 1
      if (unreadable > unreadableMax)
        throw new Refusal(
          'INVALID_INPUT',
          `More than ${unreadableMax.toLocaleString('en')} lines cannot be read as CSV.`,
        )
      if (unreadable % UNREADABLE_AT_A_TIME === 0) await setImmediate()
    }
  }

  for await (const chunk of chunks) {
    pending.push(chunk)
    size += chunk.length
    if (size >= enough) yield* inTurns(readPending(false))
  }
  yield* inTurns(readPending(true))
}

/** Records up to the first that cannot be read. `end`: where they end. */
function parseSome(bytes: Buffer, delimiter: string): { records: string[][]; end: number; error: CsvError | null } {
  const records: string[][] = []
  let end = 0
  try {
    parse(bytes, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: RECORD_MAX_BYTES,
      onRecord(fields: string[], { bytes: read }: { bytes: number }) {
        records.push(fields)
        end = read
        return null
      },
    })
    return { records, end: bytes.length, error: null }
  } catch (error) {
    if (error instanceof CsvError) return { records, end, error }
    throw error
  }
}

/** Of the usual delimiters the one that the first line has most of. */
function delimiterOf(bytes: Buffer): string {
  const first = bytes.subarray(0, endOfFirstLine(bytes)).toString()
  const often = (mark: string) => first.split(mark).length
  return [',', ';', '\t'].reduce((best, mark) => (often(mark) > often(best) ? mark : best))
}

const LF = 10
const CR = 13

/** Behind the first line break, or the end. */
function endOfFirstLine(bytes: Buffer): number {
  const lf = bytes.indexOf(LF)
  const cr = bytes.indexOf(CR)
  if (cr !== -1 && (lf === -1 || cr < lf - 1)) return cr + 1
  return lf === -1 ? bytes.length : lf + 1
}

/** Behind the last line break; a CR at the very end may be half of one. */
function endOfLastLine(bytes: Buffer): number {
  const lf = bytes.lastIndexOf(LF)
  const cr = bytes.lastIndexOf(CR, -2)
  return Math.max(lf, cr) + 1
}

/** A field may hold line breaks; each is a line of the file. */
function breaksIn(fields: readonly string[]): number {
  let breaks = 0
  for (const field of fields) {
    if (field.includes('\n') || field.includes('\r')) breaks += field.match(/\r\n|\n|\r/g)?.length ?? 0
  }
  return breaks
}
