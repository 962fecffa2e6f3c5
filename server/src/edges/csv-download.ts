import { pipeline, Readable } from 'node:stream'
import { stringify } from 'csv-stringify'

/** A CSV file for spreadsheets. @param columns the value of each column, by its name */
export function csvOf<Row>(columns: Record<string, (row: Row) => unknown>, batches: AsyncIterable<Row[]>): Readable {
  async function* records() {
    for await (const batch of batches)
      for (const row of batch) yield Object.values(columns).map((cellOf) => cellOf(row))
  }
  const lines = stringify({
    header: true,
    bom: true,
    columns: Object.keys(columns),
    // Spreadsheets would run a cell that looks like a formula. Imports remove the escape.
    escape_formulas: true,
    record_delimiter: 'windows',
  })
  // If either stream fails, the other one ends.
  return pipeline(Readable.from(records()), lines, () => {})
}
