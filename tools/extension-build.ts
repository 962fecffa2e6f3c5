import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { lockedByFlock, runLocked, runQuietly } from './programs.ts'
import { root } from './root.ts'

const extension = join(root, 'extension')
const stampFile = join(extension, '.output', '.made-from')
const lockFile = join(extension, 'package.json')

/** Builds the browser extension if its sources changed. Parallel builds wait for each other. */
export async function buildExtensionIfStale(say: (line: string) => void): Promise<void> {
  if (isBuilt()) return
  say('Building the browser extension…')
  await runLocked(lockFile, join(root, 'tools', 'extension-build.ts'), [], () =>
    say('Another launch is building the browser extension. Waiting for it…'),
  )
}

/** A hash of the paths and contents of all sources. The extension bundles parts of the contract. */
function hashSources(): string {
  const hash = createHash('sha256')
  const add = (path: string) => hash.update(`${relative(root, path)}\n`).update(readFileSync(path))
  for (const folder of [join(extension, 'src'), join(extension, 'public'), join(root, 'contract', 'src')]) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
    for (const file of files.sort()) add(file)
  }
  for (const file of ['wxt.config.ts', 'package.json']) add(join(extension, file))
  add(join(root, 'package-lock.json'))
  return hash.digest('hex')
}

function isBuilt(): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hashSources()
}

async function build(): Promise<void> {
  const hash = hashSources()
  // An interrupted build must not look complete.
  rmSync(stampFile, { force: true })
  await runQuietly(process.execPath, [join(root, 'node_modules', '.bin', 'wxt'), 'build'], {
    cwd: extension,
    env: { ...process.env, NODE_ENV: 'production', VITEST: undefined, PUBLIC_URL: undefined },
    doing: 'Still building the browser extension',
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
