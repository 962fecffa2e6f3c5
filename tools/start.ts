import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { holdDataDir, openDataDir } from '../server/src/data-dir.ts'
import { embeddedUrl, stopLeftover } from '../server/src/db/embedded.ts'
import { demoAccount } from './demo.ts'
import { type Environment, mayHaveDemo, type StandIns, serverEnvironment, wantsStandIns } from './environment.ts'
import { buildExtensionIfStale } from './extension-build.ts'
import { onParentGone } from './programs.ts'
import { root } from './root.ts'
import { type Supervised, type SuperviseOptions, supervise } from './supervise.ts'
import { buildWebIfStale } from './web-build.ts'

const since = performance.now()
const env = process.env
const host = env.HOST || '127.0.0.1'
const port = Number(env.PORT || 3000)
const embedded = !env.DATABASE_URL
const isDev = process.argv.includes('--dev')
const webDevPort = 5173
if (isDev) env.PUBLIC_URL ||= `http://localhost:${webDevPort}`
/** In the order in which they are stopped. */
const programs: Supervised[] = []
let server: Supervised | undefined
/** What the server is started with, known once the stand-ins run and everything is built. */
let environment: Promise<Environment>
let stopping: Promise<void> | undefined

// Ctrl-C reaches this process, npm and the programs together, and npm may pass it on once more.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0))
// The launcher is gone, however it ended: nothing of ours is left running.
onParentGone(() => end(0))

try {
  await start()
} catch (error) {
  if (!stopping) console.error((error as Error).message)
  await end(1)
}

async function start(): Promise<void> {
  const dataDir = openDataDir(resolve(env.DATA_DIR || '.data'))
  if (embedded) await refuseSecondServer(dataDir)
  await refuseTakenPort()

  const standIns = wantsStandIns(env) ? superviseStandIns(dataDir) : undefined
  const addresses = standIns?.ready as Promise<StandIns> | undefined
  environment = Promise.all([addresses, isDev || buildWebIfStale(say), buildExtensionIfStale(say)]).then(([running]) =>
    serverEnvironment({ ...env, DATA_DIR: dataDir }, running),
  )
  const listening = superviseServer().ready
  await environment
  const { url } = (await listening) as { url: string }
  if (isDev) superviseWebDev(url)
  const address = env.PUBLIC_URL || `http://localhost:${new URL(url).port}`
  const lines = [`X-Automated is ready: ${address}`]
  const running = await addresses
  if (running) {
    const demo = mayHaveDemo(env) ? await makeDemo({ dataDir, url, x: running.x, mailbox: running.mailbox }) : undefined
    if (!env.SMTP_URL) lines.push(`Mail it sends arrives at:  ${running.mailbox}`)
    lines.push(`A company to sign in by:   ${running.sso}`)
    if (demo) lines.push(`A demo account:        ${demo.email}   password ${demo.password}`)
  }
  console.log(frame([...lines, `Started in ${((performance.now() - since) / 1000).toFixed(1)} s. Ctrl-C stops it.`]))
}

/** The demo account, or a line that says why there is none: the product runs without it. */
async function makeDemo(options: { dataDir: string; url: string; x: string; mailbox: string }) {
  try {
    const databaseUrl = env.DATABASE_URL || embeddedUrl(options.dataDir)
    return await demoAccount({ ...options, databaseUrl, say })
  } catch (error) {
    say(`The demo account could not be made: ${(error as Error).message}`)
    return undefined
  }
}

/** The kernel's lock on DATA_DIR tells the truth, whatever files say. The server takes it again, for good. */
async function refuseSecondServer(dataDir: string): Promise<void> {
  const hold = await holdDataDir(dataDir, { onWait: () => say('Waiting for the server of a killed launch to end…') })
  hold.release()
}

async function refuseTakenPort(): Promise<void> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`PORT ${env.PORT} is not a port number.`)
  const probe = createServer().listen(port, host)
  await once(probe, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} on ${host} is taken by another program. Stop it, or choose: PORT=${port + 1} npm start`,
      )
    }
    if (error.code === 'EACCES')
      throw new Error(`Port ${port} may not be used by this user. Choose: PORT=3000 npm start`)
    throw new Error(`HOST ${host} cannot be listened on: ${error.message}`)
  })
  probe.close()
  await once(probe, 'close')
}

/** The stand-ins keep their addresses from start to start. If a port was taken meanwhile, the server needs the new one. */
function superviseStandIns(dataDir: string): Supervised {
  let known: string | undefined
  const standIns = keep({
    name: 'stand-ins',
    launch: () => launch(['stand-ins/src/main.ts'], { ...env, DATA_DIR: dataDir }, 'inherit'),
    readyType: 'ready',
    onReadyAgain(addresses) {
      if (JSON.stringify(addresses) === known) return
      known = JSON.stringify(addresses)
      say('The stand-ins have new addresses, so the server is started again with them.')
      environment = Promise.resolve(serverEnvironment({ ...env, DATA_DIR: dataDir }, addresses as StandIns))
      server?.restart()
    },
  })
  void standIns.ready.then((addresses) => {
    known = JSON.stringify(addresses)
  })
  return standIns
}

/** The server loads its modules while the stand-ins start, and waits for its environment. */
function superviseServer(): Supervised {
  const readable = env.NODE_ENV !== 'production'
  const wait = ['--import', join(root, 'tools', 'await-environment.ts')]
  server = keep({
    name: 'server',
    launch() {
      const child = launch([...wait, 'server/src/main.ts'], env, readable ? 'pipe' : 'inherit')
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

/** Vite's server of the web app, which passes calls of the API on to ours. */
function superviseWebDev(url: string): void {
  const program = join(root, 'node_modules', '.bin', 'react-router')
  const args = [program, 'dev', '--port', `${webDevPort}`, '--strictPort', '--host', '127.0.0.1']
  keep({ name: 'web app', launch: () => launch(args, { ...env, API_ORIGIN: url }, 'inherit', join(root, 'web')) })
}

/** Keeps a program running until everything stops, which also happens if it cannot be started. */
function keep(options: Omit<SuperviseOptions, 'say' | 'giveUp'>): Supervised {
  const program = supervise({
    ...options,
    say,
    giveUp(why) {
      say(`${why} Everything stops.`)
      end(1)
    },
  })
  programs.unshift(program)
  return program
}

async function printReadably(log: Readable): Promise<void> {
  const { default: pretty } = await import('pino-pretty')
  const colorize = process.stdout.isTTY
  // A line for each request would scroll away what was printed at the start. Whoever names a level sees all of it.
  const minimumLevel = env.LOG_LEVEL ? 'trace' : 'warn'
  log.pipe(pretty({ colorize, minimumLevel, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', singleLine: true }))
}

function launch(args: string[], environment: NodeJS.ProcessEnv, output: 'inherit' | 'pipe', cwd = root): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, ...args], {
    cwd,
    env: environment,
    stdio: ['ignore', output, 'inherit', 'ipc'],
  })
}

/** Stops the programs, the last started first, and leaves no database running. A second call waits for the first. */
function end(code: number): Promise<void> {
  process.exitCode ??= code
  stopping ??= stop().then(() => process.exit())
  return stopping
}

async function stop(): Promise<void> {
  if (programs.some((program) => program.isRunning())) say('Stopping…')
  for (const program of programs) await program.stop()
  if (!embedded || programs.length === 0) return
  // The database is another server's, or its files are damaged, and the server has said so.
  await stopLeftover(resolve(env.DATA_DIR || '.data')).catch(() => {})
}

function say(line: string): void {
  console.error(line)
}

function frame(lines: string[]): string {
  const rule = '─'.repeat(Math.max(...lines.map((line) => line.length)))
  return `\n${rule}\n${lines.join('\n')}\n${rule}\n`
}
