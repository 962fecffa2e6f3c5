import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { lockedByFlock, runLocked, runQuietly } from './programs.ts'
import { root } from './root.ts'

const web = join(root, 'web')
const stampFile = join(web, 'build', '.made-from')
const lockFile = join(web, 'package.json')

/** Builds the web app if its sources changed. Parallel builds wait for each other. */
export async function buildWebIfStale(say: (line: string) => void): Promise<void> {
  if (isBuilt()) return
  say('Building the web app…')
  await runLocked(lockFile, join(root, 'tools', 'web-build.ts'), [], () =>
    say('Another launch is building the web app. Waiting for it…'),
  )
}

/** A hash of the paths and contents of all sources. */
function hashSources(): string {
  const hash = createHash('sha256')
  const unused = new Set(['build', 'node_modules', '.react-router'])
  const add = (path: string) => {
    hash.update(`${relative(root, path)}\n`).update(createHash('sha256').update(readFileSync(path)).digest())
  }
  const walk = (folder: string) => {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !unused.has(entry.name)) walk(path)
      else if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)) add(path)
    }
  }
  walk(web)
  walk(join(root, 'contract', 'src'))
  add(join(root, 'package-lock.json'))
  add(join(root, 'tsconfig.base.json'))
  return hash.digest('hex')
}

function isBuilt(): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hashSources()
}

async function build(): Promise<void> {
  const hash = hashSources()
  // An interrupted build must not look complete.
  rmSync(stampFile, { force: true })
  await runQuietly(process.execPath, [join(root, 'node_modules', '.bin', 'react-router'), 'build'], {
    cwd: web,
    env: { ...process.env, NODE_ENV: 'production', VITEST: undefined },
    doing: 'Still building the web app',
    lock: lockedByFlock(lockFile),
  })
  writeFileSync(stampFile, hash)
}

if (process.argv[1] === import.meta.filename && !isBuilt()) {
  process.on('SIGTERM', () => process.exit(143))
  await build().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
