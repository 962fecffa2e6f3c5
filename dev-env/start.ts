import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { openDataDir } from '../server/src/data-dir.ts'
import { buildIfStale } from '../tools/build.ts'
import { onParentGone } from '../tools/programs.ts'
import { root } from '../tools/root.ts'
import { packageOfThisMachine } from './database/binaries.ts'
import { lockDataDir } from './database/data-dir-lock.ts'
import { embeddedUrl, stopLeftover } from './database/embedded.ts'
import { demoAccount } from './demo.ts'
import { allowsDemo, type Environment, type StandIns, serverEnvironment, wantsStandIns } from './environment.ts'
import { type Supervised, type SuperviseOptions, supervise } from './supervise.ts'

const env = process.env
const since = Number(env.STARTING_SINCE ?? Date.now())
const host = env.HOST || '127.0.0.1'
const port = Number(env.PORT || 3000)
const embedded = !env.DATABASE_URL
const isDev = process.argv.includes('--dev')
const webDevPort = 5173
const files = {
  server: { source: 'dev-env/run-server.ts', built: 'server/build/run-server.js' },
  'stand-ins': { source: 'stand-ins/src/main.ts', built: 'stand-ins/build/main.js' },
}
/** Without these, V8 lets each program grow by about 100 MB more before it collects garbage. */
const heapFlags = {
  server: ['--max-semi-space-size=4', '--max-old-space-size=1024'],
  'stand-ins': ['--max-semi-space-size=1', '--max-old-space-size=512', '--no-sparkplug'],
}
/** Saves memory for code and heap. Only regular expressions that run often are compiled to machine code. */
const codeFlags = ['--optimize-for-size', '--regexp-tier-up-ticks=100']
/** Makes glibc return freed memory to the system instead of keeping it per thread. */
const mallocSettings = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }
if (isDev) env.PUBLIC_URL ||= `http://localhost:${webDevPort}`
/** The supervised programs, in the order in which they are stopped. */
const programs: Supervised[] = []
let server: Supervised | undefined
/** The server's environment. Resolves when the stand-ins run and everything is built. */
let environment: Promise<Environment>
let stopping: Promise<void> | undefined

// Ctrl-C signals this process, npm and the programs, and npm may forward it again.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0))
// Leave nothing running once the launcher has ended.
onParentGone(() => end(0))

try {
  await start()
} catch (error) {
  if (!stopping) console.error((error as Error).message)
  await end(1)
}

async function start(): Promise<void> {
  const dataDir = openDataDir(resolve(env.DATA_DIR || '.data'))
  if (embedded) {
    // Fails now rather than after the builds.
    packageOfThisMachine()
    await requireFreeDataDir(dataDir)
  }
  await requireFreePort()

  if (!isDev) {
    const built = await Promise.all([buildIfStale('server', say), buildIfStale('stand-ins', say)])
    if (built.includes(true)) startOver()
  }
  const standIns = wantsStandIns(env) ? superviseStandIns(dataDir) : undefined
  const addresses = standIns?.ready as Promise<StandIns> | undefined
  environment = Promise.all([addresses, isDev || buildIfStale('web', say), buildIfStale('extension', say)]).then(
    ([running]) => serverEnvironment({ ...env, DATA_DIR: dataDir }, running),
  )
  const listening = superviseServer().ready
  await environment
  const { url } = (await listening) as { url: string }
  if (isDev) superviseWebDev(url)
  const address = env.PUBLIC_URL || `http://localhost:${new URL(url).port}`
  const lines = [`X-Automated is ready: ${address}`]
  const running = await addresses
  if (running) {
    const demo = allowsDemo(env) ? await openDemo({ dataDir, url, x: running.x, mailbox: running.mailbox }) : undefined
    if (!env.SMTP_URL) lines.push(`Emails arrive at:   ${running.mailbox}`)
    lines.push(`Identity provider:  ${running.sso}`)
    if (demo) lines.push(`Demo account:       ${demo.email}   password ${demo.password}`)
  }
  console.log(frame([...lines, `Started in ${((Date.now() - since) / 1000).toFixed(1)} s. Press Ctrl-C to stop.`]))
}

/**
 * Continues in a fresh process image with the same id, to free the 15 MB that a first start needs to
 * strip the types of these scripts. An IPC channel would not survive this.
 */
function startOver(): void {
  if (!process.execve || process.connected || stopping) return
  flushCompileCache()
  const command = [process.execPath, ...process.execArgv, join(root, 'dev-env', 'launch.mjs'), 'dev-env/start']
  process.execve(process.execPath, command, { ...env, STARTING_SINCE: `${since}` })
}

/**
 * Creates or reads the demo account. A failure is only logged, because the product runs without it.
 */
async function openDemo(options: { dataDir: string; url: string; x: string; mailbox: string }) {
  try {
    const databaseUrl = env.DATABASE_URL || embeddedUrl(options.dataDir)
    return await demoAccount({ ...options, databaseUrl, say })
  } catch (error) {
    say(`Could not create the demo account: ${(error as Error).message}`)
    return undefined
  }
}

/** Fails if another server holds the kernel's lock on DATA_DIR. Our server locks it again later. */
async function requireFreeDataDir(dataDir: string): Promise<void> {
  const hold = await lockDataDir(dataDir, { onWait: () => say('Waiting for the previous server to stop…') })
  hold.release()
}

async function requireFreePort(): Promise<void> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`PORT ${env.PORT} is not a port number.`)
  const probe = createServer().listen(port, host)
  await once(probe, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') {
      throw new Error(`Port ${port} on ${host} is used by another program. Stop it, or run: PORT=${port + 1} npm start`)
    }
    if (error.code === 'EACCES') throw new Error(`This user may not use port ${port}. Run: PORT=3000 npm start`)
    throw new Error(`Cannot listen on HOST ${host}: ${error.message}`)
  })
  probe.close()
  await once(probe, 'close')
}

/**
 * Supervises the stand-ins. They keep their ports when they restart. If a port was taken in the
 * meantime, the server restarts, too.
 */
function superviseStandIns(dataDir: string): Supervised {
  let lastAddresses: string | undefined
  const standIns = superviseProgram({
    name: 'stand-ins',
    launch: () => launch('stand-ins', { ...env, DATA_DIR: dataDir }, 'inherit'),
    readyType: 'ready',
    onReadyAgain(addresses) {
      if (JSON.stringify(addresses) === lastAddresses) return
      lastAddresses = JSON.stringify(addresses)
      say('The stand-ins have new addresses. Restarting the server…')
      environment = Promise.resolve(serverEnvironment({ ...env, DATA_DIR: dataDir }, addresses as StandIns))
      server?.restart()
    },
  })
  void standIns.ready.then((addresses) => {
    lastAddresses = JSON.stringify(addresses)
  })
  return standIns
}

/** Supervises the server, which loads its modules while the stand-ins start, then waits for its environment. */
function superviseServer(): Supervised {
  const readable = env.NODE_ENV !== 'production'
  server = superviseProgram({
    name: 'server',
    launch() {
      const child = launch('server', env, readable ? 'pipe' : 'inherit')
      if (child.stdout) printReadably(child.stdout)
      environment.then(
        (values) => child.send(values, () => {}),
        () => {},
      )
      return child
    },
    readyType: 'listening',
  })
  return server
}

/** Supervises Vite's development server, which proxies API calls to ours. */
function superviseWebDev(url: string): void {
  const program = join(root, 'node_modules', '.bin', 'react-router')
  const args = [program, 'dev', '--port', `${webDevPort}`, '--strictPort', '--host', '127.0.0.1']
  superviseProgram({
    name: 'web app',
    launch: () => spawnNode(args, { ...env, API_ORIGIN: url }, 'inherit', join(root, 'web')),
  })
}

/** Keeps a program running until everything stops. If it cannot start, everything stops. */
function superviseProgram(options: Omit<SuperviseOptions, 'say' | 'giveUp'>): Supervised {
  const program = supervise({
    ...options,
    say,
    giveUp(why) {
      say(`${why} Stopping everything.`)
      end(1)
    },
  })
  programs.unshift(program)
  return program
}

async function printReadably(log: Readable): Promise<void> {
  const { default: pretty } = await import('pino-pretty')
  const colorize = process.stdout.isTTY
  // Otherwise, request logs would scroll the start's output away.
  const minimumLevel = env.LOG_LEVEL ? 'trace' : 'warn'
  log.pipe(pretty({ colorize, minimumLevel, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', singleLine: true }))
}

/** Starts the built program or, in development, its sources. */
function launch(
  program: 'server' | 'stand-ins',
  environment: NodeJS.ProcessEnv,
  output: 'inherit' | 'pipe',
): ChildProcess {
  const { source, built } = files[program]
  return spawnNode(
    [...heapFlags[program], ...codeFlags, isDev ? source : built],
    { ...mallocSettings, ...environment },
    output,
  )
}

function spawnNode(args: string[], environment: NodeJS.ProcessEnv, output: 'inherit' | 'pipe', cwd = root) {
  return spawn(process.execPath, [...process.execArgv, ...args], {
    cwd,
    env: environment,
    stdio: ['ignore', output, 'inherit', 'ipc'],
  })
}

/** Stops the programs, last started first, then the database. A second call waits for the first. */
function end(code: number): Promise<void> {
  process.exitCode ??= code
  stopping ??= stop().then(() => process.exit())
  return stopping
}

async function stop(): Promise<void> {
  if (programs.some((program) => program.isRunning())) say('Stopping…')
  for (const program of programs) await program.stop()
  if (!embedded || programs.length === 0) return
  // Fails if another server owns the database or its files are damaged. The server has already
  // logged that.
  await stopLeftover(resolve(env.DATA_DIR || '.data')).catch(() => {})
}

function say(line: string): void {
  console.error(line)
}

function frame(lines: string[]): string {
  const rule = '─'.repeat(Math.max(...lines.map((line) => line.length)))
  return `\n${rule}\n${lines.join('\n')}\n${rule}\n`
}
