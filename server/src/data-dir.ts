import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isAlive, parentOf } from './processes.ts'

/** Another server is using this DATA_DIR. `ownerPid` is its process id if known. */
export class DataDirBusy extends Error {
  override name = 'DataDirBusy'
  readonly dataDir: string
  readonly ownerPid: number | undefined

  constructor(dataDir: string, ownerPid: number | undefined) {
    const owner = ownerPid === undefined ? 'Another server' : `Another server (process ${ownerPid})`
    super(`${owner} is already running on DATA_DIR ${dataDir}. Stop it first, or set another DATA_DIR.`)
    this.dataDir = dataDir
    this.ownerPid = ownerPid
  }
}

type Owner = { pid: number; parent: number; isClosing?: true }

/**
 * Creates DATA_DIR with mode 0700 if missing, and returns its real path. Rejects a folder with
 * unknown files: a mistyped DATA_DIR must not change someone else's permissions.
 */
export function openDataDir(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const dataDir = realpathSync(path)
    if ((statSync(dataDir).mode & 0o077) !== 0) closeToOthers(dataDir)
    accessSync(dataDir, constants.W_OK)
    return dataDir
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EROFS') throw new Error(`DATA_DIR ${path} is read-only. Make it writable, or set another DATA_DIR.`)
    if (code === 'EACCES' || code === 'EPERM') {
      throw new Error(`DATA_DIR ${path} belongs to another user. Run as that user, or set another DATA_DIR.`)
    }
    if (code === 'ENOTDIR' || code === 'EEXIST') throw new Error(`DATA_DIR ${path} is not a folder.`)
    throw error
  }
}

function closeToOthers(dataDir: string): void {
  const names = readdirSync(dataDir).filter((name) => name !== 'lost+found')
  if (names.length > 0 && !names.some((name) => OUR_FILES.includes(name))) {
    throw new Error(`DATA_DIR ${dataDir} contains other files. Use a separate folder.`)
  }
  chmodSync(dataDir, 0o700)
}

/**
 * Atomically writes a file that only its owner can read. It gets its folder's owner, so that a
 * start as root does not lock the user out. @throws Error with one sentence that names the file
 */
export function writePrivate(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    giveToOwner(draft)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new Error(`${path} cannot be written: ${reasonOf(error)}.`, { cause: error })
  }
}

const REASONS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
}

function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}

/** Reads a JSON file; undefined if missing. @param repair how to fix a damaged one */
export function readPrivateJson<T>(
  path: string,
  isValid: (value: unknown) => value is T,
  repair: string,
): T | undefined {
  if (!existsSync(path)) return undefined
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError))
      throw new Error(`${path} cannot be read: ${reasonOf(error)}.`, { cause: error })
  }
  if (!isValid(value)) throw new Error(`${path} is damaged. ${repair}`)
  return value
}

function giveToOwner(path: string): void {
  const { uid, gid } = statSync(dirname(path))
  if (process.getuid?.() === 0 && uid !== 0) chownSync(path, uid, gid)
}

const LOCK_FILE = 'server.lock'
const OWNER_FILE = 'server.json'
const OUR_FILES = [LOCK_FILE, OWNER_FILE, 'auth-secret', 'database.json', 'stand-ins.json']

interface DataDirLock {
  /** Lets the next start wait for this process to exit. */
  announceClosing(): void
  release(): void
}

/**
 * Locks DATA_DIR until `release()`, with SQLite: the kernel unlocks when the process ends, also
 * across containers. Waits up to `patienceMs` for a closing server.
 * @throws DataDirBusy
 */
export async function lockDataDir(
  dataDir: string,
  { patienceMs = 15_000, onWait = () => {} }: { patienceMs?: number; onWait?: () => void } = {},
): Promise<DataDirLock> {
  const lock = openLock(dataDir)
  const latest = Date.now() + patienceMs
  // A killed server may briefly look alive, and a closing one has no owner for a moment.
  let deadline = Date.now() + GRACE_MS
  let waiting = false
  while (!tryLock(lock)) {
    const owner = ownerOf(dataDir)
    const closes = owner && isAlive(owner.pid) && (owner.isClosing || isOrphan(owner))
    if (closes) deadline = Math.max(deadline, Math.min(latest, Date.now() + GRACE_MS))
    if (Date.now() > deadline) {
      lock.close()
      throw new DataDirBusy(dataDir, owner?.pid)
    }
    if (closes && !waiting) onWait()
    waiting ||= closes === true
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  chmodSync(join(dataDir, LOCK_FILE), 0o600)
  giveToOwner(join(dataDir, LOCK_FILE))
  const owner: Owner = { pid: process.pid, parent: process.ppid }
  writePrivate(join(dataDir, OWNER_FILE), JSON.stringify(owner))
  held.add(lock)
  return {
    announceClosing() {
      if (held.has(lock)) writePrivate(join(dataDir, OWNER_FILE), JSON.stringify({ ...owner, isClosing: true }))
    },
    release() {
      if (!held.delete(lock)) return
      rmSync(join(dataDir, OWNER_FILE), { force: true })
      lock.close()
    },
  }
}

function openLock(dataDir: string): DatabaseSync {
  const path = join(dataDir, LOCK_FILE)
  try {
    return new DatabaseSync(path)
  } catch (error) {
    throw new Error(`${path} cannot be opened. Make DATA_DIR writable, or set another one.`, { cause: error })
  }
}

// The launcher notices within a second that npm was killed.
const GRACE_MS = 2_000

// An unreferenced lock would be garbage collected, which releases it.
const held = new Set<DatabaseSync>()

function tryLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === 5) return false
    throw error
  }
}

/** The server that last took DATA_DIR, alive or not. */
function ownerOf(dataDir: string): Owner | undefined {
  const path = join(dataDir, OWNER_FILE)
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner
  } catch {
    return undefined
  }
}

/** Whether the server's parent process is gone, which means that it is about to exit. */
function isOrphan(owner: Owner): boolean {
  const parent = parentOf(owner.pid)
  return parent !== undefined && parent !== owner.parent
}
