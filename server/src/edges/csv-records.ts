import { type CsvRecord, openCsv } from '@x-automated/contract/csv'
import { parse } from 'csv-parse/sync'

/** A CSV file that is being read. */
export interface CsvFile {
  records: Iterable<CsvRecord>
  bytesRead(): number
  /** The separator of its cells; null before the first record. */
  delimiter(): string | null
}

/** Reads a CSV file. @param chunks the bytes of the file, in order */
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
