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
import { dirname } from 'node:path'

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
 * Atomically writes a file with mode 0600. It gets the folder's owner, so that a start as root does
 * not lock the user out. @throws Error with one sentence that names the file
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

/** Gives a file to the owner of its folder, if root writes it. */
export function giveToOwner(path: string): void {
  const { uid, gid } = statSync(dirname(path))
  if (process.getuid?.() === 0 && uid !== 0) chownSync(path, uid, gid)
}

const OUR_FILES = ['server.lock', 'server.json', 'auth-secret', 'database.json', 'stand-ins.json']
