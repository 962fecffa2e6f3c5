import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { giveToOwner, writePrivate } from '../../server/src/data-dir.ts'
import { isAlive, parentOf } from './processes.ts'

/** Another server is using this DATA_DIR. `ownerPid` is its process id, if known. */
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

const LOCK_FILE = 'server.lock'
const OWNER_FILE = 'server.json'

interface DataDirLock {
  /** Tells the next start to wait until this process exits. */
  announceClosing(): void
  release(): void
}

/**
 * Locks DATA_DIR until `release()`. Uses SQLite, because the kernel then unlocks when the process
 * ends, even across containers. Waits up to `patienceMs` for a closing server.
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

// How long to wait for a dying owner. A launcher needs up to a second to notice that npm was killed.
const GRACE_MS = 2_000

// Keeps references: a garbage-collected lock would be released.
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

/** Returns the server that last locked DATA_DIR, whether it still runs or not. */
function ownerOf(dataDir: string): Owner | undefined {
  const path = join(dataDir, OWNER_FILE)
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner
  } catch {
    return undefined
  }
}

/** Whether the server's parent process has ended, so the server is about to exit. */
function isOrphan(owner: Owner): boolean {
  const parent = parentOf(owner.pid)
  return parent !== undefined && parent !== owner.parent
}
