import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries, unprivilegedAccount } from '../../dev-env/database/binaries.ts'
import { type Cluster, createCluster, startCluster, stopCluster } from '../../dev-env/database/cluster.ts'
import {
  commonSettings,
  type OpenDatabase,
  rootFolder,
  temporaryFolder,
  urlOf,
} from '../../dev-env/database/embedded.ts'
import { isAlive, startOf } from '../../dev-env/database/processes.ts'

const SCRATCH_PREFIX = 'x-automated-scratch-'

/** `crash` simulates a power cut: it kills the postmaster with SIGKILL and starts it again. */
export type ScratchCluster = OpenDatabase & { crash(): Promise<void> }

/**
 * Opens an empty, fast and non-durable PostgreSQL for tests and benchmarks, removed by `close()`.
 * Its role can create databases. Also removes leftovers of killed runs.
 */
export async function openScratchCluster(options: {
  log: (line: string) => void
  settings?: Record<string, string>
  /** Keeps its files in memory if there is room: ext4 takes longer to create and delete databases. */
  inMemory?: boolean
}): Promise<ScratchCluster> {
  const account = unprivilegedAccount()
  const parent = (options.inMemory && memoryFolder()) || temporaryFolder(account)
  await clearLeftovers(parent)
  const home = mkdtempSync(join(parent, `${SCRATCH_PREFIX}${process.pid}-${startOf(process.pid)}-`))
  if (account) chownSync(home, account.uid, account.gid)
  const cluster: Cluster = {
    account,
    binaries: findBinaries(account, () => (account ? rootFolder() : home)),
    data: join(home, 'postgres'),
    socketFolder: join(home, 'socket'),
    logFile: join(home, 'postgres.log'),
    settings: {
      ...commonSettings,
      ...scratchSettings,
      ...(options.inMemory && { max_wal_size: '1GB' }),
      ...options.settings,
    },
  }
  const password = randomBytes(12).toString('hex')
  await createCluster(cluster, { password, durable: false })
  let pid = await startCluster(cluster, options.log)
  const kill = () => process.kill(pid, 'SIGQUIT')
  process.once('exit', kill)
  const close = async () => {
    process.off('exit', kill)
    await stopCluster(cluster.data, 'immediate')
    rmSync(home, { recursive: true, force: true })
  }
  const crash = async () => {
    process.kill(pid, 'SIGKILL')
    while (isAlive(pid)) await sleep(5)
    pid = await startCluster(cluster, options.log)
  }
  let crashing: Promise<void> | undefined
  let closed: Promise<void> | undefined
  return {
    url: urlOf(cluster.socketFolder, password),
    crash() {
      crashing ??= crash().finally(() => {
        crashing = undefined
      })
      return crashing
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

const scratchSettings: Record<string, string> = {
  shared_buffers: '128MB',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  max_wal_size: '4GB',
  max_connections: '300',
}

/** Returns a folder in memory if it has 2 GB free. A run needs 200 MB, and up to 1 GB for its write-ahead log. */
export function memoryFolder(): string | undefined {
  const folder = '/dev/shm'
  if (!existsSync(folder)) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > 2 * 2 ** 30 ? folder : undefined
}

/** Stops and removes scratch clusters whose process has exited. */
async function clearLeftovers(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const [pid, start] = name.startsWith(SCRATCH_PREFIX) ? name.slice(SCRATCH_PREFIX.length).split('-') : []
    if (pid === undefined || (isAlive(Number(pid)) && startOf(Number(pid)) === start)) continue
    const home = join(parent, name)
    try {
      await stopCluster(join(home, 'postgres'), 'immediate')
      rmSync(home, { recursive: true, force: true })
    } catch (error) {
      // The leftover belongs to another user, whose next run removes it.
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EACCES' && code !== 'EPERM') throw error
    }
  }
}
