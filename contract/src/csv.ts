/* Reads CSV files: the server imports them, the screen previews them. */

/**
 * A record's fields, or why it is unreadable. `line` is its first line in the file, from 1. `cells`
 * are the readable cells of a record with wrong quotes or a wrong number of fields. `isComplete` is
 * true if no cell is missing.
 */
export type CsvRecord =
  | { line: number; fields: string[] }
  | { line: number; problem: string; cells?: string[]; isComplete?: true }

/** csv-parse's `parse`. Browsers use another build of it. */
type Parse = (bytes: Uint8Array, options: object) => unknown

/** Maximum record size. Without it, an unclosed quote would consume the rest of the file. */
const RECORD_MAX_BYTES = 128 * 1024

/** Number of bytes that are read at each end of a line that is too long. */
const LINE_END_BYTES = RECORD_MAX_BYTES / 2

const TOO_LONG = `is longer than ${RECORD_MAX_BYTES / 1024} KiB, or a quote in it is never closed`
const BAD_QUOTES = 'has a quote that is not closed or not doubled'

/**
 * Parses one CSV file (RFC 4180) that arrives in parts. Also accepts `sep=;` lines, the usual
 * delimiters, BOMs, missing trailing fields and stray quotes. Reports unreadable lines and
 * continues after them.
 */
export function openCsv(parse: Parse) {
  let line = 1
  let delimiter: string | null = null
  let strict = strictRecord(',')
  const utf8 = new TextDecoder()
  /** Number of fields in the first record. */
  let width: number | null = null
  /** Whether a short line might be the rest of a cell with malformed quotes. */
  let mayBeRest = false
  /** The first cells of a line that is too long, until its end arrives. */
  let longLine: string[] | null = null

  /** Parses records up to the first unreadable one. `end`: offset after the last good record. */
  function parseSome(bytes: Uint8Array) {
    const records: { fields: string[]; isLoose: boolean }[] = []
    let end = 0
    const onRecord = (fields: string[], { bytes: read }: { bytes: number }) => {
      // csv-parse ignores delimiters in the record size, so millions of empty fields would pass.
      if (read - end > RECORD_MAX_BYTES) throw LONG
      const isLoose = fields.some(beginsWithQuote) && !strict.test(utf8.decode(bytes.subarray(end, read)))
      if (isLoose && breaksIn(fields) > 0) throw LOST
      records.push({ fields, isLoose })
      end = read
      return null
    }
    try {
      parse(bytes, { ...OPTIONS, delimiter, onRecord })
      return { records, end: bytes.length, error: null }
    } catch (error) {
      return { records, end, error: codeOf(error) }
    }
  }

  function unreadable(problem: string, cells: string[]) {
    mayBeRest = true
    return { line, problem, cells }
  }

  /** Splits a line into cells, ignoring quotes. Leaves out the middle of a line that is too long. */
  function roughCells(bytes: Uint8Array): string[] {
    if (bytes.length > RECORD_MAX_BYTES)
      return [...roughCells(bytes.subarray(0, LINE_END_BYTES)), ...roughCells(bytes.subarray(-LINE_END_BYTES))]
    return utf8
      .decode(bytes)
      .split(delimiter ?? ',')
      .map((cell) => cell.trim().replace(/^"|"$/g, ''))
  }

  function toRecord({ fields, isLoose }: { fields: string[]; isLoose: boolean }): CsvRecord {
    width ??= fields.length
    const isRest = mayBeRest && fields.length < width
    mayBeRest = isRest || isLoose
    if (fields.length <= width && !isRest) return { line, fields }
    const problem = `has ${fields.length} columns where the first line has ${width}`
    return { line, problem, cells: fields, ...(!mayBeRest && { isComplete: true }) }
  }

  return {
    /** Returns the field delimiter, or null before the first line has been read. */
    delimiter: () => delimiter,

    /** Yields records. Pass unused bytes again, before those of the next part. @returns the number of bytes used */
    *read(bytes: Uint8Array, isLast: boolean): Generator<CsvRecord, number> {
      let used = 0
      if (delimiter === null) {
        if (BOM.every((byte, index) => bytes[index] === byte)) used = BOM.length
        const end = used + endOfFirstLine(bytes.subarray(used))
        // The first line determines the delimiter, so wait until it is complete.
        if (!isLast && end === bytes.length && end <= RECORD_MAX_BYTES) return 0
        const first = utf8.decode(bytes.subarray(used, end))
        const declared = SAYS_DELIMITER.exec(first)?.[1]
        delimiter = declared ?? commonIn(first)
        strict = strictRecord(delimiter)
        if (declared !== undefined) {
          used = end
          line += 1
        }
      }
      if (longLine) {
        used = endOfFirstLine(bytes)
        const last = bytes[used - 1]
        // A trailing CR may be half of a line break.
        const isWhole = isLast || last === LF || (last === CR && used < bytes.length)
        if (!isWhole) return Math.max(0, bytes.length - LINE_END_BYTES)
        yield unreadable(TOO_LONG, [...longLine, ...roughCells(bytes.subarray(0, used).subarray(-LINE_END_BYTES))])
        line += 1
        longLine = null
      }
      const window = isLast ? bytes : bytes.subarray(0, endOfLastLine(bytes))
      while (used < window.length) {
        const { records, end, error } = parseSome(window.subarray(used))
        for (const record of records) {
          yield toRecord(record)
          line += 1 + breaksIn(record.fields)
        }
        used += end
        if (error === null) break
        const isOpen = error === 'CSV_QUOTE_NOT_CLOSED' && !isLast
        // The record may continue in the next part.
        if (isOpen && bytes.length - used <= RECORD_MAX_BYTES) break
        const size = endOfFirstLine(window.subarray(used))
        const problem = isOpen || error === 'CSV_MAX_RECORD_SIZE' ? TOO_LONG : BAD_QUOTES
        yield unreadable(problem, roughCells(window.subarray(used, used + size)))
        line += 1
        used += size
      }
      if (!isLast && used === window.length && bytes.length - used > RECORD_MAX_BYTES) {
        longLine = roughCells(bytes.subarray(used, used + LINE_END_BYTES))
        return bytes.length - LINE_END_BYTES
      }
      return used
    },
  }
}

const OPTIONS = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
  max_record_size: RECORD_MAX_BYTES,
}

/** Returns a pattern for correctly quoted records. @param delimiter must not be a letter or digit */
function strictRecord(delimiter: string): RegExp {
  const field = `(?:"[^"]*(?:""[^"]*)*"|(?!")[^\\${delimiter}\\r\\n]*)`
  return new RegExp(`^${field}(?:\\${delimiter}${field})*[\\r\\n]*$`)
}

/** Thrown if a record would swallow lines that follow it. */
const LOST = { code: 'CSV_INVALID_CLOSING_QUOTE' }
/** Thrown if a record exceeds `RECORD_MAX_BYTES`. */
const LONG = { code: 'CSV_MAX_RECORD_SIZE' }

/** Returns csv-parse's error code. Rethrows errors that are not about the file. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') throw error
  return code
}

const BOM = [0xef, 0xbb, 0xbf]
const SAYS_DELIMITER = /^"?sep=([^\w\s"]|\t)"?\s*$/i
const COMMON_DELIMITERS = [',', ';', '\t']

/** Returns the common delimiter that occurs most often in the line. */
function commonIn(line: string): string {
  const often = (mark: string) => line.split(mark).length
  return COMMON_DELIMITERS.reduce((best, mark) => (often(mark) > often(best) ? mark : best))
}

const LF = 10
const CR = 13

/** Returns the offset after the first line break, or the number of bytes if there is none. */
function endOfFirstLine(bytes: Uint8Array): number {
  const lf = bytes.indexOf(LF)
  const cr = bytes.indexOf(CR)
  if (cr !== -1 && (lf === -1 || cr < lf - 1)) return cr + 1
  return lf === -1 ? bytes.length : lf + 1
}

/** Returns the offset after the last line break. A trailing CR does not count: it may be half of a CRLF. */
function endOfLastLine(bytes: Uint8Array): number {
  const lf = bytes.lastIndexOf(LF)
  const cr = bytes.lastIndexOf(CR, -2)
  return Math.max(lf, cr) + 1
}

const beginsWithQuote = (field: string) => field.charCodeAt(0) === 34

/** Counts line breaks within fields, because records may span lines. */
function breaksIn(fields: readonly string[]): number {
  let breaks = 0
  for (const field of fields) {
    if (field.includes('\n') || field.includes('\r')) breaks += field.match(/\r\n|\n|\r/g)?.length ?? 0
  }
  return breaks
}
