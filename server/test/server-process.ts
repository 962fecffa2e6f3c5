import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { stopLeftover } from '../../dev-env/database/embedded.ts'
import type { TestApp } from './open-app.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const MAIN_WITH_DATABASE = fileURLToPath(new URL('../../dev-env/run-server.ts', import.meta.url))

export interface ServerProcess {
  /** URL without /api. */
  origin: string
  dataDir: string
  child: ChildProcess
  /** The process's output so far. */
  output(): string
  isRunning(): boolean
  /** Sends a signal and waits for the process to end. @returns its exit code */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts another server process on the app's database and stand-ins. Killed when the test ends. */
export function startProcess(app: TestApp, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  return launchServer({
    DATABASE_URL: app.databaseUrl,
    AUTH_SECRET: app.env.authSecret,
    PUBLIC_URL: 'http://localhost:3000',
    STAND_INS: 'on',
    SEND_INTERVAL_SECONDS: '0',
    ...(app.x ? { X_API_URL: app.x.url, X_CLIENT_ID: app.x.clientId, X_CLIENT_SECRET: app.x.clientSecret ?? '' } : {}),
    ...env,
  })
}

/**
 * Starts a server process with this environment, with the bundled database unless DATABASE_URL is set.
 * When the test ends, kills it and deletes that database, unless the test set DATA_DIR.
 */
export async function launchServer(env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'x-automated-process-'))
  const child = fork(env.DATABASE_URL ? MAIN : MAIN_WITH_DATABASE, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...env },
    silent: true,
  })
  // run-server.ts waits for this message: variables to add to its environment.
  if (!env.DATABASE_URL) child.send({})
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(String(chunk)))
  const exit = once(child, 'exit')
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (isRunning()) child.kill(signal)
    await exit
    return child.exitCode
  }
  onTestFinished(async () => {
    await end('SIGKILL')
    await stopLeftover(dataDir)
    if (env.DATA_DIR) return
    const record = join(dataDir, 'database.json')
    const { folder } = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {}
    if (folder) rmSync(folder, { recursive: true, force: true })
    rmSync(dataDir, { recursive: true, force: true })
  })
  const origin = await new Promise<string>((resolve, reject) => {
    child.on('message', (message: { type?: string; url?: string }) => {
      if (message.type === 'listening') resolve(message.url ?? '')
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${printed.join('')}`)))
  })
  return { origin, dataDir, child, output: () => printed.join(''), isRunning, end }
}
