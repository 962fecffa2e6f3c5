import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'

/* An archive consists of gzipped lines: a header; for each table a JSON line, its rows in COPY's
   text format and `\.`; the sequences; and an end with the SHA-256 of all previous lines. */

export const Head = z.object({
  format: z.literal(1),
  product: z.literal('x-automated'),
  madeAt: z.iso.datetime(),
  /** The newest migration in the database. */
  migration: z.object({ name: z.string(), at: z.number(), hash: z.string() }),
  /** Version of pg-boss's tables; null if they did not exist yet. */
  queueVersion: z.number().nullable(),
  /** AUTH_SECRET, which decrypts sealed columns. */
  authSecret: z.string().min(32),
})
export type Head = z.output<typeof Head>

const TableHead = z.object({ table: z.string(), columns: z.array(z.string()) })
const Sequences = z.object({
  sequences: z.array(z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() })),
})
const End = z.object({ end: z.literal(true), tables: z.number(), sha256: z.string() })

/** The line after a table's rows. A row can never look like it, because COPY doubles backslashes. */
const ROWS_END = Buffer.from('\\.\n')
const NEWLINE = 10

type Part =
  | { kind: 'head'; head: Head }
  | { kind: 'table'; table: string; columns: string[] }
  /** Complete rows of the last table. */
  | { kind: 'rows'; bytes: Buffer }
  | { kind: 'rows end' }
  | { kind: 'sequences'; sequences: z.output<typeof Sequences>['sequences'] }

/** The archive cannot be used. The message says why. */
export class BadArchive extends Error {}

/** Computes the checksum of an archive while it is written. */
export function createChecksum() {
  const hash = createHash('sha256')
  let tables = 0
  return {
    /** Adds bytes to the checksum and returns them. */
    pass(bytes: Buffer): Buffer {
      hash.update(bytes)
      return bytes
    },
    line(value: object): Buffer {
      return this.pass(Buffer.from(`${JSON.stringify(value)}\n`))
    },
    rowsEnd(): Buffer {
      tables += 1
      return this.pass(ROWS_END)
    },
    end(): Buffer {
      return Buffer.from(`${JSON.stringify({ end: true, tables, sha256: hash.digest('hex') })}\n`)
    },
  }
}

/**
 * Yields the parts of an archive, in order. Run `checkArchive` first: damage is detected only at
 * the end.
 * @throws BadArchive
 */
export async function* readArchive(file: string): AsyncGenerator<Part> {
  const hash = createHash('sha256')
  let tables = 0
  let hasEnded = false
  let inRows = false
  let isFirst = true
  for await (const fullLine of completeLines(file)) {
    let rest = fullLine
    while (rest.length > 0) {
      if (hasEnded) throw new BadArchive(`${file} has data after its end.`)
      if (inRows) {
        const at = endOfRows(rest)
        const rows = at === -1 ? rest : rest.subarray(0, at)
        if (rows.length > 0) {
          hash.update(rows)
          yield { kind: 'rows', bytes: rows }
        }
        if (at === -1) break
        hash.update(ROWS_END)
        rest = rest.subarray(at + ROWS_END.length)
        inRows = false
        tables += 1
        yield { kind: 'rows end' }
        continue
      }
      const line = rest.subarray(0, rest.indexOf(NEWLINE) + 1)
      rest = rest.subarray(line.length)
      const value = parsed(line)
      const table = TableHead.safeParse(value).data
      const sequences = Sequences.safeParse(value).data
      if (isFirst) {
        isFirst = false
        const head = Head.safeParse(value)
        if (!head.success) throw new BadArchive(`${file} is not an archive that this version can read.`)
        yield { kind: 'head', head: head.data }
      } else if (table) {
        yield { kind: 'table', ...table }
        inRows = true
      } else if (sequences) {
        yield { kind: 'sequences', ...sequences }
      } else {
        const end = End.safeParse(value).data
        if (end?.sha256 !== hash.copy().digest('hex') || end.tables !== tables)
          throw new BadArchive(`${file} is damaged: its checksum does not match.`)
        hasEnded = true
      }
      hash.update(line)
    }
  }
  if (!hasEnded) throw new BadArchive(`${file} is incomplete, or not an archive.`)
}

/** Reads an archive from start to end. @returns its header @throws BadArchive */
export async function checkArchive(file: string): Promise<Head> {
  let head: Head | undefined
  for await (const part of readArchive(file)) if (part.kind === 'head') head = part.head
  if (!head) throw new BadArchive(`${file} is empty.`)
  return head
}

/** Yields the unpacked bytes in chunks of complete lines. */
async function* completeLines(file: string): AsyncGenerator<Buffer> {
  const unpacked = createReadStream(file)
    .on('error', (error) => unpacked.destroy(error))
    .pipe(createGunzip())
  let carry: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of unpacked) {
      const all = carry.length === 0 ? (chunk as Buffer) : Buffer.concat([carry, chunk as Buffer])
      const cut = all.lastIndexOf(NEWLINE) + 1
      carry = all.subarray(cut)
      if (cut > 0) yield all.subarray(0, cut)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new BadArchive(`${file} does not exist.`)
    throw new BadArchive(`Could not read ${file}: ${message}.`)
  }
  if (carry.length > 0) throw new BadArchive(`${file} is incomplete.`)
}

function endOfRows(lines: Buffer): number {
  if (lines.subarray(0, ROWS_END.length).equals(ROWS_END)) return 0
  const at = lines.indexOf('\n\\.\n')
  return at === -1 ? -1 : at + 1
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    return null
  }
}
