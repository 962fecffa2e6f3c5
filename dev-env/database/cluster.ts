import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account, Binaries } from './binaries.ts'
import { isAlive } from './processes.ts'

/** The name of the product's database and of the role that owns it. The role is not a superuser. */
export const ROLE = 'x_automated'

/** One PostgreSQL cluster on disk: its programs, the account it runs as, and its files. */
export type Cluster = {
  binaries: Binaries
  /** `undefined` means our own account. */
  account: Account | undefined
  data: string
  socketFolder: string
  logFile: string
  settings: Record<string, string>
}

// PostgreSQL must not inherit our own environment (PGDATA, PGPORT, locales). MALLOC_TRIM_THRESHOLD_
// makes glibc return the memory of large query plans.
const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Creates a cluster with one role and database, both named ROLE. The folder is renamed once
 * complete. Text sorts by code point, and case follows Unicode rules, independent of system
 * locales.
 */
export async function createCluster(
  cluster: Cluster,
  { password, durable }: { password: string; durable: boolean },
): Promise<void> {
  // The suffix is random, because a killed start's initdb may still be writing to its draft.
  const draft = `${cluster.data}.${randomBytes(4).toString('hex')}.new`
  await run(cluster, cluster.binaries.initdb, [
    `--pgdata=${draft}`,
    '--username=postgres',
    '--auth=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    // A disposable cluster has many short connections and no attackers, so it needs no slow
    // hashing.
    ...(durable ? [] : ['--no-sync', '--set=scram_iterations=1']),
  ])
  await runAlone({ ...cluster, data: draft }, [
    `CREATE ROLE ${ROLE} LOGIN ${durable ? '' : 'CREATEDB'} PASSWORD '${password}'`,
    `CREATE DATABASE ${ROLE} OWNER ${ROLE}`,
  ])
  // Only this role can connect, through the socket and with its password. The superuser cannot log
  // in.
  writeFileSync(join(draft, 'pg_hba.conf'), `local all ${ROLE} scram-sha-256\n`)
  renameSync(draft, cluster.data)
}

/** Removes drafts of killed first starts, unless they are still being written. */
export function removeDrafts(data: string): void {
  for (const name of readdirSync(dirname(data))) {
    if (!name.startsWith(`${basename(data)}.`) || !name.endsWith('.new')) continue
    try {
      rmSync(join(dirname(data), name), { recursive: true, force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
    }
  }
}

/** Changes the role's password. The cluster must be stopped. */
export async function changePassword(cluster: Cluster, password: string): Promise<void> {
  await runAlone(cluster, [`ALTER ROLE ${ROLE} PASSWORD '${password}'`])
}

/**
 * Runs statements in PostgreSQL's single-user mode, which needs neither a server nor a password.
 */
function runAlone(cluster: Cluster, statements: string[]): Promise<void> {
  const settings = ['-c', 'log_min_messages=log', '-c', 'log_checkpoints=off', '-c', 'exit_on_error=on']
  const args = ['--single', '-D', cluster.data, ...settings, 'postgres']
  return run(cluster, cluster.binaries.postgres, args, `${statements.join('\n')}\n`)
}

async function run({ account, data }: Cluster, program: string, args: string[], input = ''): Promise<void> {
  const child = spawn(program, args, { cwd: dirname(data), env: environment, ...account })
  const ended = once(child, 'close')
  child.stdin.end(input)
  const [[code], output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output}${errors}`)
}

/**
 * Starts the cluster, waits until it accepts connections, and returns its process id. Reuses a cluster
 * that a killed server left running, and recovers one that crashed.
 */
export async function startCluster(cluster: Cluster, log: (line: string) => void): Promise<number> {
  const left = await waitUntilSettled(cluster.data)
  if (left !== undefined) {
    log(`Reusing the database that was left running (process ${left}).`)
    return left
  }
  const patience = Date.now() + 10_000
  for (;;) {
    try {
      return await launch(cluster, log)
    } catch (error) {
      // The last processes of a killed cluster need a moment to exit. Until then, PostgreSQL does
      // not start.
      if (Date.now() > patience || !/shared memory block/.test((error as Error).message)) throw error
      await sleep(100)
    }
  }
}

async function launch(cluster: Cluster, log: (line: string) => void): Promise<number> {
  const { account, binaries, data, logFile } = cluster
  disownPidFile(data)
  mkdirSync(cluster.socketFolder, { recursive: true, mode: 0o700 })
  // The lock file contains a process id too, but only this cluster uses the folder.
  rmSync(join(cluster.socketFolder, '.s.PGSQL.5432.lock'), { force: true })
  if (account) chownSync(cluster.socketFolder, account.uid, account.gid)
  const settings = { ...cluster.settings, listen_addresses: '', unix_socket_directories: cluster.socketFolder }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const logEnd = keepLogSmall(logFile)
  const output = openSync(logFile, 'a', 0o600)
  // Detached, so that Ctrl-C only reaches the server, which needs its database while it shuts down.
  const child = spawn(binaries.postgres, ['-D', data, ...args], {
    cwd: dirname(data),
    env: environment,
    stdio: ['ignore', output, output],
    detached: true,
    ...account,
  })
  closeSync(output)
  child.unref()
  let ended: string | undefined
  child.once('error', (error) => {
    ended = error.message
  })
  child.once('exit', (code, signal) => {
    ended = `it ended with ${code ?? signal}`
  })
  let lastLogAt = Date.now()
  for (;;) {
    if (ended !== undefined) {
      const output = readFileSync(logFile).subarray(logEnd).toString().trim()
      throw new Error(`The database at ${data} did not start: ${ended}.\n${output}`)
    }
    const postmaster = readPidFile(data)
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return postmaster.pid
    if (Date.now() - lastLogAt > 5_000) {
      lastLogAt = Date.now()
      log('The database is still starting. It is recovering from an unclean shutdown…')
    }
    await sleep(5)
  }
}

/**
 * Stops the cluster. `gentle` gives open sessions a second and writes everything; `immediate` is
 * for disposable data.
 */
export async function stopCluster(data: string, mode: 'gentle' | 'immediate'): Promise<void> {
  const pid = postmasterOf(data)?.pid
  if (pid === undefined) return
  // PostgreSQL's smart, fast and immediate shutdown. Each step starts when the previous one has had
  // its time.
  const steps: { signal: NodeJS.Signals; afterMs: number }[] =
    mode === 'immediate'
      ? [{ signal: 'SIGQUIT', afterMs: 0 }]
      : [
          { signal: 'SIGTERM', afterMs: 0 },
          { signal: 'SIGINT', afterMs: 1_000 },
          // A frozen process has to run to receive a signal.
          { signal: 'SIGCONT', afterMs: 10_000 },
          { signal: 'SIGQUIT', afterMs: 10_000 },
          { signal: 'SIGKILL', afterMs: 16_000 },
        ]
  const since = Date.now()
  while (isAlive(pid)) {
    const [next] = steps
    if (next && Date.now() - since >= next.afterMs) {
      steps.shift()
      send(pid, next.signal)
    }
    await sleep(5)
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Waits while the cluster starts or stops. Returns its process id once it is ready, or undefined once
 * it is not running.
 */
async function waitUntilSettled(data: string): Promise<number | undefined> {
  for (;;) {
    const postmaster = postmasterOf(data)
    if (!postmaster || postmaster.status === 'ready') return postmaster?.pid
    await sleep(5)
  }
}

type Postmaster = { pid: number; status: string }

/**
 * Returns the running postmaster of the data folder, if any. Ignores another process that now has the
 * id of a former postmaster.
 */
export function postmasterOf(data: string): Postmaster | undefined {
  const postmaster = readPidFile(data)
  if (!postmaster || !isAlive(postmaster.pid)) return undefined
  if (platform() !== 'linux') return postmaster
  try {
    // A postmaster's working directory is its data folder.
    return readlinkSync(`/proc/${postmaster.pid}/cwd`) === realpathSync(data) ? postmaster : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return undefined
    throw error
  }
}

// The lines of the file are: process id, data folder, start time, port, socket folder, address,
// shared memory key, status.
function readPidFile(data: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), status: lines[7]?.trim() ?? 'starting' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Replaces the process id in a stale pid file with our own. PostgreSQL does not start if that id
 * belongs to any running process but its parent. It needs the other lines to detect remnants of the
 * old cluster.
 */
function disownPidFile(data: string): void {
  const path = join(data, 'postmaster.pid')
  if (!existsSync(path)) return
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, [String(process.pid), ...lines.slice(1)].join('\n'))
}

const LOG_LIMIT_BYTES = 5_000_000

/** Moves an oversized log to `….1`. @returns the log's size in bytes */
function keepLogSmall(logFile: string): number {
  const size = existsSync(logFile) ? statSync(logFile).size : 0
  if (size <= LOG_LIMIT_BYTES) return size
  renameSync(logFile, `${logFile}.1`)
  return 0
}
