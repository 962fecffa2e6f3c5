import { readSync } from 'node:fs'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { readLeadLines } from '../core/people/columns.ts'
import type { FilePart } from '../core/people/import.ts'
import { readSuppressionLines, type SuppressionLayout } from '../core/people/suppression-lines.ts'
import { Refusal } from '../refusal.ts'
import { readParts } from './csv-parts.ts'
import { readCsv } from './csv-records.ts'

// Reads files in a worker thread, so that no file blocks the event loop.
// Each file has its own port. A message on it requests the next part.

/** The domain that a file's rows belong to. */
export type LinesOf =
  | { domain: 'leads'; columns?: readonly string[] | undefined }
  | ({ domain: 'suppressions' } & SuppressionLayout)

/** Requests the thread to read a file. */
export interface ReadOrder {
  fd: number
  linesOf: LinesOf
  port: MessagePort
}

/** Messages on a file's port. Errors lose their class in transfer, hence `refusal`. */
export type Sent =
  | { part: FilePart }
  | { end: true }
  | { refusal: Pick<Refusal, 'code' | 'message' | 'details'> }
  | { fault: unknown }

parentPort?.on('message', ({ fd, linesOf, port }: ReadOrder) => {
  const readLine = linesOf.domain === 'leads' ? readLeadLines(linesOf.columns) : readSuppressionLines(linesOf)
  const parts = readParts(readCsv(chunksOf(fd)), readLine)
  port.on('message', () => port.postMessage(next(parts)))
})

function next(parts: Iterator<FilePart>): Sent {
  try {
    const { value, done } = parts.next()
    return done ? { end: true } : { part: value }
  } catch (error) {
    if (!(error instanceof Refusal)) return { fault: error }
    const { code, message, details } = error
    return { refusal: { code, message, details } }
  }
}

const CHUNK_BYTES = 64 * 1024

function* chunksOf(fd: number): Generator<Buffer> {
  let position = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const size = readSync(fd, chunk, 0, CHUNK_BYTES, position)
    if (size === 0) return
    position += size
    yield chunk.subarray(0, size)
  }
}
