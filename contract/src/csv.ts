/*
 * How files of CSV are read: by the server, which takes them in, and by the screen, which shows beforehand what would come of one.
 */

/** One record of a CSV file: its fields, or why it could not be read. `line`: where it begins, 1 being the first of the file. */
export type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string }

/** csv-parse's `parse`, of which the browser has a build of its own. */
type Parse = (bytes: Uint8Array, options: object) => unknown

/** The longest record. A quote that is never closed would else swallow the rest of the file. */
const RECORD_MAX_BYTES = 128 * 1024

const TOO_LONG = `is longer than ${RECORD_MAX_BYTES / 1024} KiB, or a quote in it is never closed`
const BAD_QUOTES = 'has a quote that is not closed or not doubled'

/**
 * A reader of one file, part after part: RFC 4180, with any line ends, in UTF-8 with or without a byte order mark; and what programs write beyond it.
 * - The delimiter is what a first line `sep=;` says, which is no record, or of the usual ones what the first line has most of.
 * - A line may leave its last fields out: the record then has fewer of them than the first one.
 * - A quote within a field that does not begin with one means itself, and so does one whose field goes on behind its end, in the same line.
 * A line that cannot be read is said so, and reading goes on with the next: one bad quote costs one line, not the rest of the file.
 */
export function openCsv(parse: Parse) {
  let line = 1
  let delimiter: string | null = null
  let strict = strictRecord(',')
  const utf8 = new TextDecoder()
  /** Fields of the first record. */
  let width: number | null = null
  /** Behind a cell whose quotes are wrong a short line may be the rest of it, and somebody else's name. */
  let mayBeRest = false
  /** The line before was reported as too long before its end arrived: what follows is the rest of it. */
  let isInLongLine = false

  /** Records up to the first that cannot be read. `end`: where they end. */
  function parseSome(bytes: Uint8Array) {
    const records: { fields: string[]; isLoose: boolean }[] = []
    let end = 0
    const onRecord = (fields: string[], { bytes: read }: { bytes: number }) => {
      // csv-parse does not count delimiters: a record of millions of empty fields is short to it.
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

  function unreadable(problem: string): CsvRecord {
    mayBeRest = true
    return { line, problem }
  }

  function taken({ fields, isLoose }: { fields: string[]; isLoose: boolean }): CsvRecord {
    width ??= fields.length
    const isRest = mayBeRest && fields.length < width
    mayBeRest = isRest || isLoose
    return fields.length > width || isRest
      ? { line, problem: `has ${fields.length} columns where the first line has ${width}` }
      : { line, fields }
  }

  return {
    /** What stands between fields; null before anything is read. */
    delimiter: () => delimiter,

    /**
     * The records that begin in these bytes and end there.
     * @param bytes what the last call left, and what comes behind it
     * @param isLast nothing comes behind them
     * @returns how many bytes need not come again
     */
    *read(bytes: Uint8Array, isLast: boolean): Generator<CsvRecord, number> {
      let used = 0
      if (delimiter === null) {
        if (BOM.every((byte, place) => bytes[place] === byte)) used = BOM.length
        const end = used + endOfFirstLine(bytes.subarray(used))
        // The first line decides, so it is read whole.
        if (!isLast && end === bytes.length && end <= RECORD_MAX_BYTES) return 0
        const first = utf8.decode(bytes.subarray(used, end))
        const said = SAYS_DELIMITER.exec(first)?.[1]
        delimiter = said ?? commonIn(first)
        strict = strictRecord(delimiter)
        if (said !== undefined) {
          used = end
          line += 1
        }
      }
      if (isInLongLine) {
        used = endOfFirstLine(bytes)
        const last = bytes[used - 1]
        // A CR at the very end may be half of a line break.
        if (last === CR && used === bytes.length && !isLast) return used - 1
        if (last !== CR && last !== LF) return used
        isInLongLine = false
      }
      const window = isLast ? bytes : bytes.subarray(0, endOfLastLine(bytes))
      while (used < window.length) {
        const { records, end, error } = parseSome(window.subarray(used))
        for (const record of records) {
          yield taken(record)
          line += 1 + breaksIn(record.fields)
        }
        used += end
        if (error === null) break
        const isOpen = error === 'CSV_QUOTE_NOT_CLOSED' && !isLast
        // The record may go on in what has not been read yet.
        if (isOpen && bytes.length - used <= RECORD_MAX_BYTES) break
        yield unreadable(isOpen || error === 'CSV_MAX_RECORD_SIZE' ? TOO_LONG : BAD_QUOTES)
        line += 1
        used += endOfFirstLine(window.subarray(used))
      }
      if (!isLast && used === window.length && bytes.length - used > RECORD_MAX_BYTES) {
        yield unreadable(TOO_LONG)
        line += 1
        isInLongLine = true
        return bytes.at(-1) === CR ? bytes.length - 1 : bytes.length
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

/** Matches a record of which each field that begins with a quote ends with one, and has all others doubled. @param delimiter no letter or digit */
function strictRecord(delimiter: string): RegExp {
  const field = `(?:"[^"]*(?:""[^"]*)*"|(?!")[^\\${delimiter}\\r\\n]*)`
  return new RegExp(`^${field}(?:\\${delimiter}${field})*[\\r\\n]*$`)
}

/** Thrown at a record that would swallow lines which are none of its. */
const LOST = { code: 'CSV_INVALID_CLOSING_QUOTE' }
/** Thrown at a record that is longer than `RECORD_MAX_BYTES`. */
const LONG = { code: 'CSV_MAX_RECORD_SIZE' }

/** What csv-parse found wrong. @throws whatever is no fault of the file */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') throw error
  return code
}

const BOM = [0xef, 0xbb, 0xbf]
const SAYS_DELIMITER = /^"?sep=([^\w\s"]|\t)"?\s*$/i
const COMMON_DELIMITERS = [',', ';', '\t']

/** Of the usual delimiters the one that the line has most of. */
function commonIn(line: string): string {
  const often = (mark: string) => line.split(mark).length
  return COMMON_DELIMITERS.reduce((best, mark) => (often(mark) > often(best) ? mark : best))
}

const LF = 10
const CR = 13

/** Behind the first line break, or the end. */
function endOfFirstLine(bytes: Uint8Array): number {
  const lf = bytes.indexOf(LF)
  const cr = bytes.indexOf(CR)
  if (cr !== -1 && (lf === -1 || cr < lf - 1)) return cr + 1
  return lf === -1 ? bytes.length : lf + 1
}

/** Behind the last line break; a CR at the very end may be half of one. */
function endOfLastLine(bytes: Uint8Array): number {
  const lf = bytes.lastIndexOf(LF)
  const cr = bytes.lastIndexOf(CR, -2)
  return Math.max(lf, cr) + 1
}

const beginsWithQuote = (field: string) => field.charCodeAt(0) === 34

/** A field may hold line breaks; each is a line of the file. */
function breaksIn(fields: readonly string[]): number {
  let breaks = 0
  for (const field of fields) {
    if (field.includes('\n') || field.includes('\r')) breaks += field.match(/\r\n|\n|\r/g)?.length ?? 0
  }
  return breaks
}
