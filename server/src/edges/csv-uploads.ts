import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { IMPORT_MAX_BYTES } from '@x-automated/contract/leads/leads'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../actor.ts'
import type { FilePart, ImportSource } from '../core/people/import.ts'
import { Refusal } from '../refusal.ts'
import { createCsvReader } from './csv-reading.ts'
import type { LinesOf } from './csv-thread.ts'

/** A fully received file. */
export interface Upload extends Pick<ImportSource, 'bytes' | 'inTurn'> {
  /** Reads its rows, from the beginning each time. */
  read(linesOf: LinesOf): AsyncIterable<FilePart>
}

/** Uploaded CSV files: received completely, then imported a few at a time. */
interface Uploads {
  /**
   * Receives a request body and passes it to `take`. @throws Refusal INVALID_INPUT (not CSV in
   * UTF-8), BODY_TOO_LARGE, RATE_LIMITED (too many files in progress), UNAVAILABLE (disk full)
   */
  receive<T>(request: FastifyRequest, caller: Caller, take: (upload: Upload) => Promise<T>): Promise<T>
  close(): Promise<void>
}

type Caller = Pick<Actor, 'userId' | 'workspaceId'>

/** Opens the uploads of this process. @param connections the number of connections for requests */
export function openUploads(connections: number): Uploads {
  const space = createSpace()
  // Each import occupies a connection for minutes, and other requests need some too.
  const inTurn = createTurns(Math.max(1, Math.floor(connections / 3)))
  const reader = createCsvReader()
  return {
    async receive(request, { userId, workspaceId }, take) {
      const type = request.headers['content-type'] ?? ''
      if (!/^text\/csv\s*(;|$)/i.test(type)) throw new Refusal('INVALID_INPUT', 'Send the file as text/csv.')
      const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1]
      if (charset && !/^utf-?8$/i.test(charset)) throw new Refusal('INVALID_INPUT', NOT_UTF8)
      const slot = space.take(userId)
      let file: FileHandle | null = null
      try {
        const opened = await openUnnamed()
        file = opened
        const bytes = await receive(request.body as Readable | undefined, opened, slot.fill)
        return await take({
          bytes,
          inTurn: (work, signal) => inTurn(workspaceId, work, signal),
          read: (linesOf) => reader.read(opened.fd, linesOf),
        })
      } catch (error) {
        throw isOutOfSpace(error) ? new Refusal('UNAVAILABLE', NO_SPACE, { retryAfterSeconds: 60 }) : error
      } finally {
        await file?.close()
        slot.leave()
      }
    },
    close: () => reader.close(),
  }
}

const NO_SPACE = 'The server has no disk space for this file right now. Nothing was imported. Try again in a minute.'
const isOutOfSpace = (error: unknown) => /^(ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException | null)?.code ?? '')
const NOT_UTF8 = 'The file is not UTF-8 text. Save it as CSV UTF-8 and try again.'

const FILES_OF_ONE_USER = 3
/** Disk space for all files, whether received or still arriving. */
const HELD_BYTES_MAX = 2 * 1024 * 1024 * 1024

/** Limits concurrent files: their number per user and their total size. */
function createSpace() {
  const users: string[] = []
  let held = 0
  const tryLater = (text: string) => new Refusal('RATE_LIMITED', text, { retryAfterSeconds: 30 })
  return {
    /** Reserves room for a file of the user. @throws Refusal RATE_LIMITED */
    take(userId: string) {
      if (users.filter((id) => id === userId).length >= FILES_OF_ONE_USER)
        throw tryLater(`You're already importing ${FILES_OF_ONE_USER} files. Try again when one is done.`)
      users.push(userId)
      let own = 0
      return {
        /** Counts received bytes of the file. @throws Refusal RATE_LIMITED */
        fill(bytes: number) {
          own += bytes
          held += bytes
          if (held > HELD_BYTES_MAX) throw tryLater('Other files are being imported. Try again in a minute.')
        },
        leave() {
          users.splice(users.indexOf(userId), 1)
          held -= own
        },
      }
    },
  }
}

/** Runs work of a few workspaces at the same time, one file per workspace, in order of arrival. */
function createTurns(concurrency: number) {
  const running: string[] = []
  const waiting: { workspaceId: string; start: () => void }[] = []
  const startNext = () => {
    const next = waiting.find(({ workspaceId }) => !running.includes(workspaceId))
    if (!next || running.length >= concurrency) return
    waiting.splice(waiting.indexOf(next), 1)
    running.push(next.workspaceId)
    next.start()
  }
  return async <T>(workspaceId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    signal?.throwIfAborted()
    const turn = Promise.withResolvers<void>()
    const waiter = { workspaceId, start: turn.resolve }
    const giveUp = () => {
      if (!waiting.includes(waiter)) return
      waiting.splice(waiting.indexOf(waiter), 1)
      turn.reject(signal?.reason)
    }
    signal?.addEventListener('abort', giveUp)
    waiting.push(waiter)
    startNext()
    await turn.promise.finally(() => signal?.removeEventListener('abort', giveUp))
    try {
      return await work()
    } finally {
      running.splice(running.indexOf(workspaceId), 1)
      startNext()
    }
  }
}

const NAME_START = 'csv-import-'

/** Opens a temporary file without a name, so that no personal data stays on disk if this process dies. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `${NAME_START}${crypto.randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}

/** A file keeps its name only for a moment, so an older named file belongs to a dead process. */
const ABANDONED_MS = 60_000

/** Deletes files of processes that were killed while opening them. */
export async function removeAbandonedUploads(): Promise<void> {
  const folder = tmpdir()
  for (const name of await readdir(folder)) {
    if (!name.startsWith(NAME_START)) continue
    const path = join(folder, name)
    const stats = await lstat(path).catch(() => null)
    // Skip other users' files in the shared folder.
    if (!stats || stats.uid !== process.getuid?.() || Date.now() - stats.mtimeMs < ABANDONED_MS) continue
    await rm(path, { recursive: true, force: true })
  }
}

/**
 * Writes the body to a file and returns its size in bytes. @param onChunk gets each chunk's size
 * before it is written @throws Refusal BODY_TOO_LARGE, INVALID_INPUT (not UTF-8)
 */
async function receive(
  body: Readable | undefined,
  file: FileHandle,
  onChunk: (bytes: number) => void,
): Promise<number> {
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
        throw new Refusal('BODY_TOO_LARGE', `The file is larger than ${IMPORT_MAX_BYTES / 1024 / 1024} MB.`)
      onChunk(chunk.length)
      check(chunk)
      await file.write(chunk)
    }
    check()
    return size
  } finally {
    // Drain the body, so that the client reads our response.
    body?.resume()
  }
}
