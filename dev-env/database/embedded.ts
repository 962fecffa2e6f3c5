import { createHash, randomBytes } from 'node:crypto'
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDataDir, readPrivateJson, writePrivate } from '../../server/src/data-dir.ts'
import { type Account, canEnter, findBinaries, unprivilegedAccount } from './binaries.ts'
import {
  type Cluster,
  changePassword,
  createCluster,
  postmasterOf,
  ROLE,
  removeDrafts,
  startCluster,
  stopCluster,
} from './cluster.ts'
import { lockDataDir } from './data-dir-lock.ts'

/** An open database: its connection string, and an idempotent `close`. */
export type OpenDatabase = { url: string; close(): Promise<void> }

/** The bundled database of a running server. */
type EmbeddedDatabase = OpenDatabase & {
  /** Resolves with the reason once the database has stopped and could not be restarted. */
  lost: Promise<Error>
  announceClosing(): void
}

type Log = (line: string) => void

/**
 * Opens the bundled PostgreSQL on the durable cluster of DATA_DIR, which stays locked until
 * `close()`. Creates the cluster on first use and restarts it if it dies.
 * @throws DataDirBusy
 */
export async function openEmbedded(options: {
  dataDir: string
  log: Log
  restarts?: Restarts
}): Promise<EmbeddedDatabase> {
  const dataDir = openDataDir(options.dataDir)
  const hold = await lockDataDir(dataDir)
  try {
    const { cluster, password } = await durableCluster(dataDir, options.log)
    await startCluster(cluster, options.log)
    const watch = keepRunning(cluster, options.log, options.restarts)
    const close = async () => {
      await watch.end()
      await stopCluster(cluster.data, 'gentle')
      hold.release()
    }
    let closed: Promise<void> | undefined
    return {
      url: urlOf(cluster.socketFolder, password),
      lost: watch.lost,
      announceClosing: hold.announceClosing,
      close() {
        closed ??= close()
        return closed
      },
    }
  } catch (error) {
    hold.release()
    throw error
  }
}

/** Returns the connection string of DATA_DIR's cluster, for tools. The server must be running. */
export function embeddedUrl(dataDir: string): string {
  const record = readRecord(dataDir)
  if (!record) throw new Error(`DATA_DIR ${dataDir} has no database.`)
  const home = record.folder ?? dataDir
  return urlOf(socketFolderFor(home, ownerOf(join(home, 'postgres'))), record.password)
}

/** At most `tries` restarts in a row, with pauses that double. */
type Restarts = { tries: number; firstPauseMs: number }

const RESTARTS: Restarts = { tries: 12, firstPauseMs: 250 }
const PAUSE_MS_MAX = 30_000
/** After running this long, a new failure is unrelated to the previous ones. */
const TROUBLE_MS = 60_000
const LOOK_MS = 250

/** Restarts the cluster whenever it stops. `end` stops watching, and waits for a restart in progress. */
function keepRunning(
  cluster: Cluster,
  log: Log,
  { tries, firstPauseMs }: Restarts = RESTARTS,
): { lost: Promise<Error>; end(): Promise<void> } {
  const stop = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal, ref: false }).catch(() => {})
  const lost = Promise.withResolvers<Error>()
  const watch = async () => {
    let restarts = 0
    let failures = 0
    let startedAt = Date.now()
    while (!stop.signal.aborted) {
      await pause(LOOK_MS)
      if (stop.signal.aborted || postmasterOf(cluster.data)) continue
      if (failures === 0) {
        log('The database has stopped. Restarting it.')
        if (Date.now() - startedAt > TROUBLE_MS) restarts = 0
      }
      if (restarts > 0) await pause(Math.min(PAUSE_MS_MAX, firstPauseMs * 2 ** (restarts - 1)))
      if (stop.signal.aborted) return
      restarts += 1
      try {
        await startCluster(cluster, log)
        failures = 0
        startedAt = Date.now()
      } catch (error) {
        failures += 1
        if (failures === 1) log(`${(error as Error).message}\nTrying again.`)
        if (failures < tries) continue
        lost.resolve(
          new Error(
            `The database stopped and could not be restarted in ${tries} attempts. ${(error as Error).message}`,
          ),
        )
        return
      }
    }
  }
  const watching = watch()
  return {
    lost: lost.promise,
    end() {
      stop.abort()
      return watching
    },
  }
}

/** Stops the cluster of DATA_DIR if a killed server left it running. */
export async function stopLeftover(dataDir: string): Promise<void> {
  const record = readRecord(dataDir)
  if (!record) return
  const hold = await lockDataDir(dataDir)
  await stopCluster(join(record.folder ?? dataDir, 'postgres'), 'gentle')
  hold.release()
}

/** `folder` is set if the cluster is outside DATA_DIR. `made` distinguishes a lost cluster from an unfinished one. */
type DatabaseRecord = { password: string; folder?: string; made?: boolean }

const RECORD_FILE = 'database.json'

function readRecord(dataDir: string): DatabaseRecord | undefined {
  return readPrivateJson(
    join(dataDir, RECORD_FILE),
    isRecord,
    'It contains the password and location of the database. Restore the file, or restore a backup into another DATA_DIR.',
  )
}

function isRecord(value: unknown): value is DatabaseRecord {
  const { password, folder } = (value ?? {}) as Partial<DatabaseRecord>
  return typeof password === 'string' && (folder === undefined || typeof folder === 'string')
}

function keepRecord(dataDir: string, record: DatabaseRecord): void {
  writePrivate(join(dataDir, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`)
}

async function durableCluster(dataDir: string, log: Log): Promise<{ cluster: Cluster; password: string }> {
  const stored = readRecord(dataDir)
  const record = stored ?? newRecord(dataDir)
  const home = record.folder ?? dataDir
  const data = join(home, 'postgres')
  const exists = existsSync(data)
  if (stored && !exists && (stored.made || !existsSync(home))) {
    throw new Error(
      `The database of DATA_DIR ${dataDir} is missing: it should be at ${data}. ` +
        `Restore it, or delete ${join(dataDir, RECORD_FILE)} to start with an empty one.`,
    )
  }
  if (stored) removeDrafts(data)
  const account = exists ? ownerOf(data) : unprivilegedAccount()
  const cluster: Cluster = {
    account,
    binaries: findBinaries(account, () => (isRoot() ? rootFolder() : dataDir)),
    data,
    socketFolder: socketFolderFor(home, account),
    logFile: join(home, 'postgres.log'),
    settings: durableSettings(),
  }
  if (!stored && record.folder) makeFolder(record.folder, account, dataDir)
  if (exists) refuseOtherVersion(cluster)
  if (exists && !stored) {
    await stopCluster(data, 'gentle')
    await changePassword(cluster, record.password)
  }
  if (!record.made) {
    // Write the password to disk before it is used, so that a kill cannot separate the two.
    keepRecord(dataDir, record)
    if (!exists) {
      log('Creating the database…')
      await createCluster(cluster, { password: record.password, durable: true })
    }
    keepRecord(dataDir, { ...record, made: true })
  }
  return { cluster, password: record.password }
}

/**
 * Makes the record of a new cluster. Root's cluster runs under another account, which cannot enter
 * DATA_DIR, so it gets a permanent folder elsewhere.
 */
function newRecord(dataDir: string): DatabaseRecord {
  const password = randomBytes(24).toString('base64url')
  if (!isRoot() || existsSync(join(dataDir, 'postgres'))) return { password }
  return { password, folder: join(rootFolder(), randomBytes(6).toString('hex')) }
}

function makeFolder(folder: string, account: Account | undefined, dataDir: string): void {
  mkdirSync(folder, { mode: 0o700 })
  if (account) chownSync(folder, account.uid, account.gid)
  // Tells an administrator what this folder is for.
  writeFileSync(join(folder, 'belongs-to'), `${dataDir}\n`, { mode: 0o600 })
}

function refuseOtherVersion({ data, binaries }: Cluster): void {
  const file = join(data, 'PG_VERSION')
  if (!existsSync(file)) throw new Error(`The database at ${data} is damaged: ${file} is missing. Restore a backup.`)
  const version = readFileSync(file, 'utf8').trim()
  if (version === binaries.version.split('.')[0]) return
  throw new Error(
    `The database at ${data} was created by PostgreSQL ${version}, but the bundled version is ${binaries.version}. ` +
      'Export it with the version that created it.',
  )
}

/** Returns the connection string of a cluster. */
export function urlOf(socketFolder: string, password: string): string {
  return `postgresql://${ROLE}:${password}@localhost/${ROLE}?host=${encodeURIComponent(socketFolder)}`
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Returns the account that owns a data folder; undefined if it is ours. */
function ownerOf(data: string): Account | undefined {
  const { uid, gid } = statSync(data)
  return isRoot() && uid !== 0 ? { uid, gid } : undefined
}

/** Creates and returns the permanent folder where root keeps files that another account must reach. */
export function rootFolder(): string {
  const parent = ['/var/lib', '/srv', '/opt'].find(isWritable)
  if (!parent) throw new Error('No folder for the database: /var/lib, /srv and /opt are read-only. Set DATABASE_URL.')
  const folder = join(parent, 'x-automated')
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  return folder
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

// The kernel's limit is 108 bytes on Linux and 104 on macOS, including the closing zero.
const SOCKET_PATH_BYTES = 103

/** Returns the folder for the cluster's socket: next to its data or, if that path is too long, a temporary one. */
function socketFolderFor(home: string, account: Account | undefined): string {
  const folder = join(home, 'socket')
  if (Buffer.byteLength(join(folder, '.s.PGSQL.5432')) <= SOCKET_PATH_BYTES) return folder
  const owner = account?.uid ?? process.getuid?.()
  const name = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const temporary = join(temporaryFolder(account), `x-automated-${owner}-${name}`)
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  if (account) chownSync(temporary, account.uid, account.gid)
  const stats = lstatSync(temporary)
  if (!stats.isDirectory() || stats.uid !== owner || (stats.mode & 0o077) !== 0) {
    throw new Error(`${temporary} must be a private folder for the database's socket. Remove it and start again.`)
  }
  return temporary
}

/** Returns a temporary folder that the account can enter, with a path short enough for a socket. */
export function temporaryFolder(account: Account | undefined): string {
  const folders = [tmpdir(), '/tmp', '/var/tmp'].filter((folder) => existsSync(folder))
  const fits = folders.find((folder) => Buffer.byteLength(folder) < 40 && canEnter(folder, account))
  return realpathSync(fits ?? '/tmp')
}

/** Returns settings for a small machine: little memory, short queries, full durability. */
function durableSettings(): Record<string, string> {
  const memory = totalmem() / 2 ** 20
  return {
    ...commonSettings,
    // More would not help, because the system's file cache is just as good.
    shared_buffers: '32MB',
    // Avoid processes that would only wait: two cores gain nothing from I/O workers, and nothing
    // replicates.
    io_method: 'sync',
    max_logical_replication_workers: '0',
    effective_cache_size: `${Math.round(memory / 2)}MB`,
    fsync: 'on',
    synchronous_commit: 'on',
    wal_compression: 'on',
    checkpoint_timeout: '15min',
    max_wal_size: '1GB',
  }
}

/** Settings of every bundled cluster. */
export const commonSettings: Record<string, string> = {
  max_connections: '100',
  jit: 'off',
  random_page_cost: '1.1',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and details of rejected queries contain personal data. The server logs the errors.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  unix_socket_permissions: '0700',
}
