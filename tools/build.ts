import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { lockedByFlock, runLocked, runQuietly } from './programs.ts'
import { root } from './root.ts'

interface Target {
  title: string
  folder: string
  /** Sources outside `folder`, except installed packages. */
  otherSources: string[]
  /** The output folder, within `folder`. */
  output: string
  /** A program in node_modules/.bin and its arguments. */
  command: [program: string, ...args: string[]]
  env?: NodeJS.ProcessEnv
}

const bundling = join(root, 'tools', 'rolldown.config.ts')
const contract = join(root, 'contract', 'src')
const bundled = (title: string, workspace: string, ...otherSources: string[]): Target => ({
  title,
  folder: join(root, workspace),
  otherSources: [contract, bundling, ...otherSources],
  output: 'build',
  command: ['rolldown', '--config', bundling],
})

const targets = {
  server: bundled('the server', 'server', join(root, 'dev-env')),
  'stand-ins': bundled('the stand-ins', 'stand-ins'),
  web: {
    title: 'the web app',
    folder: join(root, 'web'),
    otherSources: [contract],
    output: 'build',
    command: ['react-router', 'build'],
  },
  extension: {
    title: 'the browser extension',
    folder: join(root, 'extension'),
    otherSources: [contract],
    output: '.output',
    command: ['wxt', 'build'],
    env: { PUBLIC_URL: undefined },
  },
} satisfies Record<string, Target>

/**
 * Builds a part of the product if its sources changed. Parallel builds wait for each other.
 * @returns whether it was built
 */
export async function buildIfStale(name: keyof typeof targets, say: (line: string) => void): Promise<boolean> {
  const target = targets[name]
  if (isBuilt(target)) return false
  say(`Building ${target.title}…`)
  await runLocked(lockFileOf(target), import.meta.filename, [name], () =>
    say(`Another launch is building ${target.title}. Waiting for it…`),
  )
  return true
}

const lockFileOf = ({ folder }: Target) => join(folder, 'package.json')
const stampFileOf = ({ folder, output }: Target) => join(folder, output, '.made-from')

/** Returns a hash of the paths and contents of all sources. */
function hashSources({ folder, otherSources }: Target): string {
  const hash = createHash('sha256')
  // All files share one buffer. With one per file, `npm start` would keep the memory of all of them.
  const buffer = Buffer.allocUnsafe(64 * 1024)
  const unused = new Set(['build', 'node_modules', '.react-router', '.output', '.wxt'])
  const add = (path: string) => {
    const content = createHash('sha256')
    const file = openSync(path, 'r')
    const read = () => readSync(file, buffer, 0, buffer.length, null)
    for (let size = read(); size > 0; size = read()) {
      content.update(buffer.subarray(0, size))
    }
    closeSync(file)
    hash.update(`${relative(root, path)}\n`).update(content.digest())
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
  for (const path of [...otherSources, join(root, 'package-lock.json'), join(root, 'tsconfig.base.json')]) {
    if (statSync(path).isDirectory()) walk(path)
    else add(path)
  }
  return hash.digest('hex')
}

function isBuilt(target: Target): boolean {
  const stampFile = stampFileOf(target)
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hashSources(target)
}

async function build(target: Target): Promise<void> {
  const [program, ...args] = target.command
  const hash = hashSources(target)
  // Remove the stamp first, so that an interrupted build does not look complete.
  rmSync(stampFileOf(target), { force: true })
  await runQuietly(process.execPath, [join(root, 'node_modules', '.bin', program), ...args], {
    cwd: target.folder,
    env: { ...process.env, NODE_ENV: 'production', VITEST: undefined, ...target.env },
    doing: `Still building ${target.title}`,
    lock: lockedByFlock(lockFileOf(target)),
  })
  writeFileSync(stampFileOf(target), hash)
}

/** Builds what is stale of the product, one part after the other, for machines with little memory. */
async function buildProduct(): Promise<void> {
  for (const name of ['server', 'web', 'extension'] as const) await buildIfStale(name, (line) => console.error(line))
}

// `npm run build` names no target. `buildIfStale` names the one whose lock this process holds.
if (process.argv[1] === import.meta.filename) {
  const target = targets[process.argv[2] as keyof typeof targets] as Target | undefined
  process.on('SIGTERM', () => process.exit(143))
  const building = !target ? buildProduct() : isBuilt(target) ? undefined : build(target)
  await building?.catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
