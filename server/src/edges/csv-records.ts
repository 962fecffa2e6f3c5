import { type CsvRecord, openCsv } from '@x-automated/contract/csv'
import { parse } from 'csv-parse/sync'

/** A file of CSV that is being read: its records as `openCsv` reads them, and what is known of it so far. */
export interface CsvFile {
  records: Iterable<CsvRecord>
  bytesRead(): number
  /** What separates its cells; null before the first record. */
  delimiter(): string | null
}

/** @param chunks the bytes of the file, in order */
export function readCsv(chunks: Iterable<Buffer>): CsvFile {
  const csv = openCsv(parse)
  let bytesRead = 0
  function* records(): Generator<CsvRecord> {
    let rest: Buffer = Buffer.alloc(0)
    for (const chunk of chunks) {
      bytesRead += chunk.length
      const bytes = Buffer.concat([rest, chunk])
      rest = bytes.subarray(yield* csv.read(bytes, false))
    }
    yield* csv.read(rest, true)
  }
  return { records: records(), bytesRead: () => bytesRead, delimiter: csv.delimiter }
}
