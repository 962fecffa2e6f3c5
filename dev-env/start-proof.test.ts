import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { isLongProof } from '../server/test/proof-length.ts'
import { root } from '../tools/root.ts'
import { stopLeftover } from './database/embedded.ts'
import { isAlive } from './database/processes.ts'

// Runs dev-env/start.ts: the product and its stand-ins, as processes that the tests kill.

const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
const dataDir = join(folder, '.data')
const started = new Set<ChildProcess>()

afterEach(async () => {
  for (const child of started) await stopped(child, 'SIGTERM')
})
afterAll(async () => {
  await stopLeftover(dataDir)
  const record = join(dataDir, 'database.json')
  // If only some tests run, the record may not exist.
  const { folder: database } = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {}
  if (database) rmSync(database, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

type Start = { child: ChildProcess; output(): string; ended: Promise<number | null> }

function start(port: number, env: Record<string, string> = {}, script = 'start.ts', args: string[] = []): Start {
  let output = ''
  const { NODE_ENV: _, VITEST: __, ...own } = process.env
  const command = ['--disable-warning=ExperimentalWarning', join(root, 'dev-env', script), ...args]
  const child = spawn(process.execPath, command, {
    cwd: folder,
    env: { ...own, PORT: `${port}`, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  started.add(child)
  const note = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout?.on('data', note)
  child.stderr?.on('data', note)
  const ended = once(child, 'close').then(([code]) => {
    started.delete(child)
    return code as number | null
  })
  return { child, output: () => output, ended }
}

/** Enough for a first start, which builds everything, while other tests run. */
const START_MS = 300_000

/** Starts the product and waits until it is ready. */
async function running(port: number): Promise<Start> {
  const starter = start(port)
  await Promise.race([
    expect.poll(starter.output, { timeout: START_MS, interval: 20 }).toContain('Started in'),
    starter.ended.then(() => {
      throw new Error(starter.output())
    }),
  ])
  return starter
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

async function freePort(): Promise<number> {
  const server = await occupy(0)
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function occupy(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Returns all descendants of a process, including the database. */
function under(pid: number): { pid: number; script: string }[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const children = all.flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      const script = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ')
      return parent === pid ? [{ pid: Number(name), script }] : []
    } catch {
      return []
    }
  })
  return children.flatMap((child) => [child, ...under(child.pid)])
}

function programOf(starter: Start, script: string): number {
  const match = under(starter.child.pid ?? 0).find((program) => program.script.includes(script))
  if (!match) throw new Error(`${script} is not running.`)
  return match.pid
}

describe.runIf(process.platform === 'linux')('npm start', () => {
  test('prints the address, the mailbox and a working demo account, which the second start reuses', async () => {
    const port = await freePort()
    const first = await running(port)
    expect(first.output()).toContain(`X-Automated is ready: http://localhost:${port}\n`)
    const mailbox = /Emails arrive at: +(http:\S+)/.exec(first.output())?.[1]
    expect((await fetch(mailbox ?? '')).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${port}/`)).headers.get('content-type')).toContain('text/html')
    const [, email, password] = /Demo account: +(\S+) +password (\S+)/.exec(first.output()) ?? []
    const signIn = await fetch(`http://127.0.0.1:${port}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    expect(signIn.status).toBe(200)
    const { token } = (await signIn.json()) as { token: string }
    const imported = await fetch(`http://127.0.0.1:${port}/api/leads/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: 'twitter_handle\nimported_1\n',
    })
    expect(await imported.json()).toMatchObject({ imported: 1 })
    const all = under(first.child.pid ?? 0)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(all.filter(({ pid }) => isAlive(pid))).toEqual([])

    const second = await running(port)
    expect(second.output()).not.toContain('Creating')
    expect(second.output()).toContain(`password ${password}`)
  })

  test('reports a port in use and exits', async () => {
    const other = await occupy(0)
    const { port } = other.address() as { port: number }
    const starter = start(port)
    expect(await starter.ended).toBe(1)
    expect(starter.output()).toContain(`Port ${port} on 127.0.0.1 is used by another program.`)
    other.close()
  })

  test('reports a DATA_DIR in use and leaves its server running', async () => {
    const port = await freePort()
    const first = await running(port)
    const second = start(await freePort())
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(
      `(process ${programOf(first, 'server/build/run-server.js')}) is already running on DATA_DIR ${dataDir}.`,
    )
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
  })

  test('restarts a killed server, and killed stand-ins at the same addresses', async () => {
    const port = await freePort()
    const starter = await running(port)
    const { x } = JSON.parse(readFileSync(join(dataDir, 'stand-ins.json'), 'utf8'))
    process.kill(programOf(starter, 'server/build/run-server.js'), 'SIGKILL')
    process.kill(programOf(starter, 'stand-ins/build/main.js'), 'SIGKILL')
    await expect.poll(starter.output, { timeout: 60_000 }).toContain('Restarted the server.')
    await expect.poll(starter.output).toContain('Restarted the stand-ins.')
    expect(starter.output()).toContain('The server exited (SIGKILL). Restarting it in 1 s.')
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    expect((await fetch(`${x}/_log/dms?to=anyone`)).status).toBe(200)
    expect(starter.output()).not.toContain('new addresses')
  })

  test('names a damaged file in one sentence and exits', async () => {
    const starter = await running(await freePort())
    starter.child.kill('SIGTERM')
    await starter.ended
    const file = join(dataDir, 'database.json')
    const content = readFileSync(file)
    writeFileSync(file, '{"password":')
    onTestFinished(() => writeFileSync(file, content))
    const next = start(await freePort())
    expect(await next.ended).toBe(1)
    expect(next.output()).toContain(`${file} is damaged. It contains the password and location of the database.`)
    expect(next.output()).not.toMatch(/^ +at /m)
  })

  test('waits for the children of a starter that was killed by SIGKILL', async () => {
    const port = await freePort()
    const starter = await running(port)
    await stopped(starter.child, 'SIGKILL')
    await running(port)
  })

  test('waits for the processes of a launcher that was killed by SIGKILL', async () => {
    const port = await freePort()
    const launched = start(port, {}, 'launch.mjs', ['dev-env/start'])
    await expect.poll(launched.output, { timeout: START_MS, interval: 20 }).toContain('Started in')
    await stopped(launched.child, 'SIGKILL')
    await running(port)
  })

  test('logs no error if the starter is killed during the start', async () => {
    const outputs: string[] = []
    // Unless the long proofs run, only two of these delays are tested.
    const delaysMs = [150, 300, 500, 800, 1_200, 1_800, 2_600]
    const first = isLongProof ? 0 : Math.floor(Math.random() * (delaysMs.length - 1))
    for (const afterMs of delaysMs.slice(first, isLongProof ? undefined : first + 2)) {
      const starter = start(await freePort())
      await sleep(afterMs)
      await stopped(starter.child, 'SIGKILL')
      await starter.ended
      outputs.push(starter.output())
    }
    for (const output of outputs) expect(output).not.toMatch(/Error|ERR_|Warning|^ +at /m)
  })

  test('takes over the database after everything else was killed by SIGKILL', async () => {
    const port = await freePort()
    const starter = await running(port)
    const all = under(starter.child.pid ?? 0)
    const isDatabase = ({ pid }: { pid: number }) => readlinkSync(`/proc/${pid}/exe`).endsWith('/postgres')
    for (const { pid } of all.filter((child) => !isDatabase(child))) process.kill(pid, 'SIGKILL')
    await stopped(starter.child, 'SIGKILL')
    const next = await running(port)
    expect(next.output()).toContain('Reusing the database that was left running')
  })
})
