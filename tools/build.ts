import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { lockedByFlock, runLocked, runQuietly } from './programs.ts'
import { root } from './root.ts'

interface Target {
  title: string
  folder: string
  /** The folder of the result, in `folder`. */
  output: string
  /** A program in node_modules/.bin that builds it. */
  program: string
  env?: NodeJS.ProcessEnv
}

const targets = {
  web: { title: 'the web app', folder: join(root, 'web'), output: 'build', program: 'react-router' },
  extension: {
    title: 'the browser extension',
    folder: join(root, 'extension'),
    output: '.output',
    program: 'wxt',
    env: { PUBLIC_URL: undefined },
  },
} satisfies Record<string, Target>

/** Builds the web app or the extension if its sources changed. Parallel builds wait for each other. */
export async function buildIfStale(name: keyof typeof targets, say: (line: string) => void): Promise<void> {
  const target = targets[name]
  if (isBuilt(target)) return
  say(`Building ${target.title}…`)
  await runLocked(lockFileOf(target), import.meta.filename, [name], () =>
    say(`Another launch is building ${target.title}. Waiting for it…`),
  )
}

const lockFileOf = ({ folder }: Target) => join(folder, 'package.json')
const stampFileOf = ({ folder, output }: Target) => join(folder, output, '.made-from')

/** A hash of the paths and contents of all sources. Both bundle parts of the contract. */
function hashSources({ folder }: Target): string {
  const hash = createHash('sha256')
  const unused = new Set(['build', 'node_modules', '.react-router', '.output', '.wxt'])
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
  walk(folder)
  walk(join(root, 'contract', 'src'))
  add(join(root, 'package-lock.json'))
  add(join(root, 'tsconfig.base.json'))
  return hash.digest('hex')
}

function isBuilt(target: Target): boolean {
  const stampFile = stampFileOf(target)
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hashSources(target)
}

async function build(target: Target): Promise<void> {
  const hash = hashSources(target)
  // An interrupted build must not look complete.
  rmSync(stampFileOf(target), { force: true })
  await runQuietly(process.execPath, [join(root, 'node_modules', '.bin', target.program), 'build'], {
    cwd: target.folder,
    env: { ...process.env, NODE_ENV: 'production', VITEST: undefined, ...target.env },
    doing: `Still building ${target.title}`,
    lock: lockedByFlock(lockFileOf(target)),
  })
  writeFileSync(stampFileOf(target), hash)
}

if (process.argv[1] === import.meta.filename) {
  const target = targets[process.argv[2] as keyof typeof targets]
  process.on('SIGTERM', () => process.exit(143))
  if (!isBuilt(target))
    await build(target).catch((error: Error) => {
      console.error(error.message)
      process.exitCode = 1
    })
}
