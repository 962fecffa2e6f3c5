import { setImmediate } from 'node:timers/promises'
import { type CsvRecord, openCsv, UNREADABLE } from '@x-automated/contract/csv'
import { parse } from 'csv-parse/sync'
import { Refusal } from '../refusal.ts'

const WINDOW_BYTES = 256 * 1024

/** After each line that cannot be read the parser begins anew, which costs a thousand times a good one: others get their turn in between, */
const UNREADABLE_AT_A_TIME = 50
/** and a file of nothing else is given up. */
const UNREADABLE_MAX = 100_000

/**
 * Reads CSV as `openCsv` does, record by record.
 * @param onDelimiter told before the first record
 * @throws Refusal INVALID_INPUT: more than `unreadableMax` lines cannot be read
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  unreadableMax = UNREADABLE_MAX,
  onDelimiter: (delimiter: string) => void = () => {},
): AsyncGenerator<CsvRecord> {
  const csv = openCsv(parse)
  let pending: Buffer[] = []
  let size = 0
  let enough = WINDOW_BYTES
  let unreadable = 0

  async function* readPending(isLast: boolean): AsyncGenerator<CsvRecord> {
    const bytes = Buffer.concat(pending)
    const reading = csv.read(bytes, isLast)
    let next = reading.next()
    onDelimiter(csv.delimiter() ?? ',')
    for (; !next.done; next = reading.next()) {
      const record = next.value
      yield record
      if (!('problem' in record) || !UNREADABLE.has(record.problem)) continue
      unreadable += 1
      if (unreadable > unreadableMax)
        throw new Refusal(
          'INVALID_INPUT',
          `More than ${unreadableMax.toLocaleString('en')} lines cannot be read as CSV.`,
        )
      if (unreadable % UNREADABLE_AT_A_TIME === 0) await setImmediate()
    }
    const rest = bytes.subarray(next.value)
    pending = [rest]
    size = rest.length
    enough = Math.max(WINDOW_BYTES, 2 * size)
  }

  for await (const chunk of chunks) {
    pending.push(chunk)
    size += chunk.length
    if (size >= enough) yield* readPending(false)
  }
  yield* readPending(true)
}
