import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { stopLeftover } from '../server/src/db/embedded.ts'
import { isAlive } from '../server/src/processes.ts'
import { root } from './root.ts'

// `npm start` itself, from tools/start.ts on: the product with its stand-ins, as processes that can be killed.

const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
const dataDir = join(folder, '.data')
const started = new Set<ChildProcess>()

afterEach(async () => {
  for (const child of started) await stopped(child, 'SIGTERM')
})
afterAll(async () => {
  await stopLeftover(dataDir)
  const { folder: database } = JSON.parse(readFileSync(join(dataDir, 'database.json'), 'utf8'))
  if (database) rmSync(database, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

type Start = { child: ChildProcess; output(): string; ended: Promise<number | null> }

function start(port: number, env: Record<string, string> = {}): Start {
  let output = ''
  const { NODE_ENV: _, VITEST: __, ...own } = process.env
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, 'tools', 'start.ts')], {
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

/** A start that is up, with what it printed. */
async function running(port: number): Promise<Start> {
  const one = start(port)
  await Promise.race([
    expect.poll(one.output, { timeout: 90_000, interval: 20 }).toContain('Started in'),
    one.ended.then(() => {
      throw new Error(one.output())
    }),
  ])
  return one
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

/** The processes under one, the database's among them: those whose parent it is, and theirs. */
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

const serverOf = (one: Start) => under(one.child.pid ?? 0).find(({ script }) => script.includes('server/src/main.ts'))

describe.runIf(process.platform === 'linux')('npm start', () => {
  test('prints where to go, the mailbox, and an account that signs in; the second time at once', async () => {
    const port = await freePort()
    const first = await running(port)
    expect(first.output()).toContain(`X-Automated is ready: http://localhost:${port}\n`)
    const mailbox = /arrives at: +(http:\S+)/.exec(first.output())?.[1]
    expect((await fetch(mailbox ?? '')).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${port}/`)).headers.get('content-type')).toContain('text/html')
    const [, email, password] = /demo account: +(\S+) +password (\S+)/.exec(first.output()) ?? []
    const signIn = await fetch(`http://127.0.0.1:${port}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    expect(signIn.status).toBe(200)
    const all = under(first.child.pid ?? 0)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(all.filter(({ pid }) => isAlive(pid))).toEqual([])

    const second = await running(port)
    expect(second.output()).not.toContain('Making')
    expect(second.output()).toContain(`password ${password}`)
  })

  test('names a port that is taken, and leaves nothing running', async () => {
    const other = await occupy(0)
    const { port } = other.address() as { port: number }
    const one = start(port)
    expect(await one.ended).toBe(1)
    expect(one.output()).toContain(`Port ${port} on 127.0.0.1 is taken by another program.`)
    other.close()
  })

  test('says so when DATA_DIR is in use, and the first goes on', async () => {
    const port = await freePort()
    const first = await running(port)
    const second = start(await freePort())
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`(process ${serverOf(first)?.pid}) is already running on DATA_DIR ${dataDir}.`)
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
  })

  test('ends with a clear word when the server was killed, and can be started again', async () => {
    const port = await freePort()
    const one = await running(port)
    const all = under(one.child.pid ?? 0)
    process.kill(serverOf(one)?.pid ?? 0, 'SIGKILL')
    expect(await one.ended).toBe(1)
    expect(one.output()).toContain('The server ended (SIGKILL), so everything stops.')
    expect(all.filter(({ pid }) => isAlive(pid))).toEqual([])
    await running(port)
  })

  test('after a kill -9 of the starter its children end, and a start at once waits for them', async () => {
    const port = await freePort()
    const one = await running(port)
    await stopped(one.child, 'SIGKILL')
    await running(port)
  })

  test('after a kill -9 of everything the database is taken over', async () => {
    const port = await freePort()
    const one = await running(port)
    const all = under(one.child.pid ?? 0)
    const isDatabase = ({ pid }: { pid: number }) => readlinkSync(`/proc/${pid}/exe`).endsWith('/postgres')
    for (const { pid } of all.filter((child) => !isDatabase(child))) process.kill(pid, 'SIGKILL')
    await stopped(one.child, 'SIGKILL')
    const next = await running(port)
    expect(next.output()).toContain('Took over the database that was left running')
  })
})
