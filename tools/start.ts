import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { DataDirBusy, holdDataDir, openDataDir } from '../server/src/data-dir.ts'
import { embeddedUrl, stopLeftover } from '../server/src/db/embedded.ts'
import { demoAccount } from './demo.ts'
import { mayHaveDemo, type StandIns, serverEnvironment, wantsStandIns } from './environment.ts'
import { buildExtensionIfStale } from './extension-build.ts'
import { onParentGone } from './programs.ts'
import { root } from './root.ts'
import { buildWebIfStale } from './web-build.ts'

const since = performance.now()
const env = process.env
const host = env.HOST || '127.0.0.1'
const port = Number(env.PORT || 3000)
const embedded = !env.DATABASE_URL
const isDev = process.argv.includes('--dev')
const webDevPort = 5173
if (isDev) env.PUBLIC_URL ||= `http://localhost:${webDevPort}`
const children: { name: string; process: ChildProcess }[] = []
let stopping: Promise<void> | undefined

// Ctrl-C reaches us, npm and our children together; npm may pass it on once more. We end them in order, once.
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

  const standIns = wantsStandIns(env) ? startStandIns(dataDir) : undefined
  const server = launchServer()
  await Promise.all([isDev || buildWebIfStale(say), buildExtensionIfStale(say), standIns])
  server.send(serverEnvironment({ ...env, DATA_DIR: dataDir }, await standIns))
  const { url } = (await message(server, 'listening')) as { url: string }
  if (isDev) launchWebDev(url)
  const address = env.PUBLIC_URL || `http://localhost:${new URL(url).port}`
  const lines = [`X-Automated is ready: ${address}`]
  const running = await standIns
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

async function startStandIns(dataDir: string): Promise<StandIns> {
  const child = launch('stand-ins', ['stand-ins/src/main.ts'], { ...env, DATA_DIR: dataDir }, 'inherit')
  return (await message(child, 'ready')) as StandIns
}

/** The server, loading its modules and waiting to be sent its environment. */
function launchServer(): ChildProcess {
  const readable = env.NODE_ENV !== 'production'
  const wait = ['--import', join(root, 'tools', 'await-environment.ts')]
  const child = launch('server', [...wait, 'server/src/main.ts'], env, readable ? 'pipe' : 'inherit')
  if (child.stdout) printReadably(child.stdout)
  return child
}

/** Vite's server of the web app, which passes calls of the API on to ours. */
function launchWebDev(url: string): void {
  const program = join(root, 'node_modules', '.bin', 'react-router')
  const args = [program, 'dev', '--port', `${webDevPort}`, '--strictPort', '--host', '127.0.0.1']
  launch('web app', args, { ...env, API_ORIGIN: url }, 'inherit', join(root, 'web'))
}

async function printReadably(log: Readable): Promise<void> {
  const { default: pretty } = await import('pino-pretty')
  const colorize = process.stdout.isTTY
  // A line for each request would scroll away what was printed at the start. Whoever names a level sees all of it.
  const minimumLevel = env.LOG_LEVEL ? 'trace' : 'warn'
  log.pipe(pretty({ colorize, minimumLevel, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', singleLine: true }))
}

function launch(
  name: string,
  args: string[],
  environment: NodeJS.ProcessEnv,
  output: 'inherit' | 'pipe',
  cwd = root,
): ChildProcess {
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    cwd,
    env: environment,
    stdio: ['ignore', output, 'inherit', 'ipc'],
  })
  children.unshift({ name, process: child })
  child.once('exit', (code, signal) => {
    if (stopping) return
    console.error(`The ${name} ended (${signal ?? `exit code ${code}`}), so everything stops.`)
    end(1)
  })
  return child
}

/** Waits for the child's message of this type; forever when the child ends, as everything ends then. */
function message(child: ChildProcess, type: string): Promise<unknown> {
  return new Promise((resolve) => {
    child.on('message', (value: { type?: string }) => {
      if (value?.type === type) resolve(value)
    })
  })
}

/** Stops the children, last started first, and leaves no database running. Asked twice it does it once. */
function end(code: number): Promise<void> {
  process.exitCode ??= code
  stopping ??= stop().then(() => process.exit())
  return stopping
}

async function stop(): Promise<void> {
  if (children.some(isRunning)) say('Stopping…')
  for (const child of children) {
    if (!isRunning(child)) continue
    const exit = once(child.process, 'exit')
    child.process.kill('SIGTERM')
    const ended = await Promise.race([exit, sleep(30_000, undefined, { ref: false })])
    if (!ended) child.process.kill('SIGKILL')
    await exit
  }
  if (!embedded || children.length === 0) return
  await stopLeftover(resolve(env.DATA_DIR || '.data')).catch((error: Error) => {
    if (!(error instanceof DataDirBusy)) throw error
  })
}

function isRunning(child: { process: ChildProcess }): boolean {
  return child.process.exitCode === null && child.process.signalCode === null
}

function say(line: string): void {
  console.error(line)
}

function frame(lines: string[]): string {
  const rule = '─'.repeat(Math.max(...lines.map((line) => line.length)))
  return `\n${rule}\n${lines.join('\n')}\n${rule}\n`
}
