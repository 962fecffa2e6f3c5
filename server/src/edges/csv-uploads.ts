import type { ReadStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { CsvRecord } from '@x-automated/contract/csv'
import { IMPORT_MAX_BYTES } from '@x-automated/contract/leads'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { readCsv } from './csv-records.ts'

/** A file that was received: its records, from the beginning each time they are asked for, and how far reading is. */
export interface Upload {
  records(): AsyncIterable<CsvRecord>
  bytes: number
  bytesRead(): number
  /** What stands between its cells; null before the first record is read. */
  delimiter(): string | null
}

/** Files of CSV that people send us: a few at a time, received whole before any work begins. */
export interface Uploads {
  /**
   * Receives the body of a request and gives it to `take`.
   * @throws Refusal INVALID_INPUT (not CSV in UTF-8), BODY_TOO_LARGE, RATE_LIMITED (others are being taken in)
   */
  receive<T>(request: FastifyRequest, userId: string, take: (upload: Upload) => Promise<T>): Promise<T>
}

export function openUploads(): Uploads {
  const enter = placesForImports()
  return {
    async receive(request, userId, take) {
      const type = request.headers['content-type'] ?? ''
      if (!/^text\/csv\s*(;|$)/i.test(type)) throw new Refusal('INVALID_INPUT', 'Send the file as text/csv.')
      const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1]
      if (charset && !/^utf-?8$/i.test(charset)) throw new Refusal('INVALID_INPUT', NOT_UTF8)
      const leave = enter(userId)
      let folder = ''
      let file: FileHandle | null = null
      try {
        folder = await mkdtemp(join(tmpdir(), 'csv-import-'))
        const opened = await openUnnamed(join(folder, 'sent.csv'))
        file = opened
        // Received whole before a database connection is taken: a slow sender holds up nobody.
        const bytes = await receive(request.body as Readable | undefined, opened)
        let reading: ReadStream | null = null
        let delimiter: string | null = null
        return await take({
          bytes,
          bytesRead: () => reading?.bytesRead ?? 0,
          delimiter: () => delimiter,
          records: () => {
            reading = opened.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES })
            return readCsv(reading, undefined, (found) => {
              delimiter = found
            })
          },
        })
      } finally {
        await file?.close()
        if (folder) await rm(folder, { recursive: true, force: true })
        leave()
      }
    },
  }
}

const CHUNK_BYTES = 256 * 1024
const NOT_UTF8 = 'The file is not UTF-8 text. Save it as CSV UTF-8 and try again.'

/** Each import has a file on our disk, and in the end a connection of the database for minutes: the rest of the API needs some too. */
const IMPORTS_AT_ONCE = 6
const IMPORTS_OF_ONE_USER = 3

/** @returns takes a place for an import of a user, and returns what gives it back; RATE_LIMITED where none is free */
function placesForImports(): (userId: string) => () => void {
  const importing: string[] = []
  return (userId) => {
    const own = importing.filter((id) => id === userId).length
    if (own >= IMPORTS_OF_ONE_USER || importing.length >= IMPORTS_AT_ONCE)
      throw new Refusal('RATE_LIMITED', 'Other files are being imported. Please try again in a minute.', {
        retryAfterSeconds: 30,
      })
    importing.push(userId)
    return () => importing.splice(importing.indexOf(userId), 1)
  }
}

/** A new file that has lost its name already: nothing of the people in it is left on the disk, however this process ends. */
async function openUnnamed(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}

/** Writes the body to a file. @returns its bytes @throws Refusal BODY_TOO_LARGE, INVALID_INPUT (not UTF-8) */
async function receive(body: Readable | undefined, file: FileHandle): Promise<number> {
  let size = 0
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const check = (chunk?: Buffer) => {
    try {
      utf8.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new Refusal('INVALID_INPUT', NOT_UTF8)
    }
  }
  try {
    for await (const chunk of body?.iterator({ destroyOnReturn: false }) ?? []) {
      size += chunk.length
      if (size > IMPORT_MAX_BYTES)
        throw new Refusal('BODY_TOO_LARGE', `A file may have at most ${IMPORT_MAX_BYTES / 1024 / 1024} MB.`)
      check(chunk)
      await file.write(chunk)
    }
    check()
    return size
  } finally {
    // Read to its end, so that the sender comes to read our answer.
    body?.resume()
  }
}
