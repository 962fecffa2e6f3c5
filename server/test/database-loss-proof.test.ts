import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { postmasterOf } from '../../dev-env/database/cluster.ts'
import { parentOf } from '../../dev-env/database/processes.ts'
import { openDatabase } from '../src/db/open.ts'
import { isUnavailable } from '../src/db/unavailable.ts'
import { runSql } from './database.ts'
import { call, connectX, makePerson, type Person, subscribe } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { operations, pathWith } from './operations.ts'
import { arrived, completed, eventually, expectCountsRight, launch, makeList, openHandles } from './outreach.ts'
import { isLongProof } from './proof-length.ts'
import { launchServer, type ServerProcess, startProcess } from './server-process.ts'

const TERMINATIONS = isLongProof ? 100 : 15
const KILLS = isLongProof ? 12 : 2

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true })
})

/** Returns a function that terminates all connections to the app's database. */
async function openTerminator(): Promise<() => Promise<number>> {
  const client = new pg.Client({ connectionString: inject('clusterUrl') })
  await client.connect()
  onTestFinished(() => client.end())
  const name = new URL(app.databaseUrl).pathname.slice(1)
  return async () => {
    const { rowCount } = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    )
    return rowCount ?? 0
  }
}

interface Load {
  answers: { status: number; body: { code?: string; success?: boolean }; retryAfter: string | null; ms: number }[]
  stop(): Promise<void>
}

/**
 * Calls the server continuously with several callers: reads, writes, and calls with an
 * Idempotency-Key.
 */
async function putUnderLoad(server: ServerProcess, callers = 8): Promise<Load> {
  // A user can make 600 calls a minute.
  const people = await Promise.all(Array.from({ length: callers }, () => makePerson(app)))
  const responses: Load['answers'] = []
  let isOver = false
  const caller = async (person: Person, number: number) => {
    for (let round = 0; !isOver; round += 1) {
      const [method, path, body] = [
        ['GET', '/lists'] as const,
        ['POST', '/lists', { name: `List ${number} ${round}` }] as const,
        ['GET', '/leads?pageSize=10'] as const,
        ['POST', '/waitlist/position', { email: 'nobody@example.com' }] as const,
      ][round % 4]!
      const headers: Record<string, string> = { authorization: `Bearer ${person.token}` }
      if (round % 8 === 1) headers['idempotency-key'] = `${number} ${round}`
      const since = performance.now()
      const response = await call({ url: `${server.origin}/api` }, method, path, body, headers)
      responses.push({
        status: response.status,
        body: response.body,
        retryAfter: response.headers.get('retry-after'),
        ms: performance.now() - since,
      })
      await sleep(100)
    }
  }
  const running = Promise.allSettled(people.map(caller))
  onTestFinished(() => {
    isOver = true
  })
  return {
    answers: responses,
    async stop() {
      isOver = true
      for (const outcome of await running) if (outcome.status === 'rejected') throw outcome.reason
    },
  }
}

function expectOnlyUnavailable({ answers: responses }: Load): void {
  const failed = responses.filter(({ status }) => status >= 500)
  expect(failed.filter(({ body }) => body.code !== 'UNAVAILABLE' || body.success !== false)).toEqual([])
  expect(failed.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) >= 1))).toEqual([])
}

const isReady = async ({ origin }: ServerProcess) => (await fetch(`${origin}/readyz`)).status === 200

describe('when all connections to the database are repeatedly terminated', () => {
  it('survives, returns 503 meanwhile, and sends every message once', async () => {
    const person = await makePerson(app)
    await subscribe(app, person)
    await connectX(app, person)
    const list = await makeList(app, person, openHandles(120))
    const server = await startProcess(app)
    const terminate = await openTerminator()
    const load = await putUnderLoad(server)
    const campaign = await launch(person, list)
    let ended = 0
    for (let round = 0; round < TERMINATIONS && server.isRunning(); round += 1) {
      await sleep(30 + (round % 5) * 60)
      ended += await terminate()
    }
    expect(server.isRunning(), server.output()).toBe(true)
    expect(ended).toBeGreaterThan(TERMINATIONS)
    const since = performance.now()
    await eventually(() => isReady(server), 'the server is ready again')
    expect(performance.now() - since).toBeLessThan(60_000)
    await completed(person, campaign.id, 240_000)
    await load.stop()
    expect(server.isRunning(), server.output()).toBe(true)
    expectOnlyUnavailable(load)
    expect(load.answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    const received = (await arrived(app)).map(({ to }) => to)
    expect(received.toSorted()).toEqual(list.handles.toSorted())
    await expectCountsRight(app)
    expect(await server.end()).toBe(0)
  })
})

describe('while the database is unavailable', () => {
  it('returns 503 from every operation that needs it, and 500 from none', async () => {
    const cut = await openApp({ x: true, mailbox: true, payments: true })
    const person = await makePerson(cut)
    cut.services.env.operators.push(person.email)
    // Warm the caches, as in a process that has been running.
    expect((await person.call('GET', '/me')).status).toBe(200)
    const name = new URL(cut.databaseUrl).pathname.slice(1)
    const url = inject('clusterUrl')
    await runSql(url, `alter database ${name} connection limit 0`)
    await runSql(url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    try {
      const inputs: Record<string, object> = {
        'auth.signInEmail': { email: 'someone@example.com', password: 'Correct-horse1' },
        'auth.signUpEmail': { email: 'someone@example.com', password: 'Correct-horse1' },
        'auth.refresh': { refreshToken: 'some token' },
        'auth.exchange': { code: 'some code' },
        'waitlist.join': { email: 'someone@example.com' },
        'lists.create': { name: 'One more' },
      }
      const wrong: unknown[] = []
      const unavailable = new Set<string>()
      for (const operation of operations) {
        const input = inputs[operation.name]
        const body = operation.method === 'GET' ? undefined : (input ?? (operation.takesInput ? {} : undefined))
        for (const headers of [{}, { 'idempotency-key': operation.name }]) {
          const path = pathWith(operation, '01900000-0000-7000-8000-000000000000')
          const response = await person.call(operation.method, path, body, headers as Record<string, string>)
          const isRight =
            response.status < 500 ||
            (response.status === 503 &&
              response.body.success === false &&
              Number(response.headers.get('retry-after')) >= 1)
          if (!isRight || (input && response.status !== 503))
            wrong.push([operation.name, response.status, response.body])
          if (response.status === 503) unavailable.add(operation.name)
        }
      }
      expect(wrong).toEqual([])
      expect(unavailable.size).toBeGreaterThan(operations.length / 3)
    } finally {
      await runSql(url, `alter database ${name} connection limit -1`)
    }
    await expect.poll(async () => (await person.call('GET', '/lists')).status).toBe(200)
  })
})

/** Process ids of a server's bundled postmaster and its children. */
function processesOf({ dataDir }: ServerProcess): { postmaster: number; all: number[] } {
  const { folder = dataDir } = JSON.parse(readFileSync(join(dataDir, 'database.json'), 'utf8'))
  const postmaster = postmasterOf(join(folder, 'postgres'))?.pid
  if (postmaster === undefined) throw new Error('the database does not run')
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return { postmaster, all: [postmaster, ...pids.map(Number).filter((pid) => parentOf(pid) === postmaster)] }
}

const position = ({ origin }: ServerProcess) =>
  call({ url: `${origin}/api` }, 'POST', '/waitlist/position', { email: 'nobody@example.com' })

describe('the bundled database', () => {
  it('is restarted by the server whenever it is killed, with one log line each time', async () => {
    const server = await launchServer({ NODE_ENV: 'test' })
    const restarts = () => server.output().match(/The database has stopped\. Restarting it\./g)?.length ?? 0
    for (let round = 1; round <= KILLS; round += 1) {
      process.kill(processesOf(server).postmaster, 'SIGKILL')
      expect([404, 503]).toContain((await position(server)).status)
      // Connections may outlive the postmaster for a moment and still work.
      await eventually(async () => restarts() === round, `restarted after kill ${round}`)
      await eventually(() => isReady(server), `ready again after kill ${round}`)
      await eventually(async () => (await position(server)).status === 404, `answers after kill ${round}`)
    }
    expect(server.isRunning()).toBe(true)
    expect(restarts()).toBe(KILLS)
    expect(await server.end()).toBe(0)
  })

  it('can freeze: calls return 503 within 30 seconds, and the server exits on SIGTERM', async () => {
    const server = await launchServer({ NODE_ENV: 'test' })
    expect((await position(server)).status).toBe(404)
    const { all } = processesOf(server)
    const signal = (name: NodeJS.Signals) => {
      for (const pid of all) process.kill(pid, name)
    }
    onTestFinished(() => {
      try {
        signal('SIGCONT')
      } catch {
        // The processes have already ended.
      }
    })
    signal('SIGSTOP')
    const timed = async () => {
      const since = performance.now()
      const { status, body, headers } = await position(server)
      return {
        status,
        code: body.code,
        retryAfter: headers.get('retry-after'),
        seconds: (performance.now() - since) / 1000,
      }
    }
    // More calls than there are connections.
    const results = await Promise.all(Array.from({ length: 20 }, timed))
    for (const result of results) expect(result).toMatchObject({ status: 503, code: 'UNAVAILABLE', retryAfter: '1' })
    expect(Math.max(...results.map(({ seconds }) => seconds))).toBeLessThan(30)
    expect(await isReady(server)).toBe(false)
    signal('SIGCONT')
    await eventually(() => isReady(server), 'ready again')
    expect((await position(server)).status).toBe(404)
    for (const pid of processesOf(server).all) process.kill(pid, 'SIGSTOP')
    const since = performance.now()
    await server.end()
    // The server itself limits its shutdown to 25 seconds.
    expect(performance.now() - since).toBeLessThan(120_000)
  })
})

describe('a request that waits for its turn', () => {
  it('gets 503, not 429, while PostgreSQL does not answer', async () => {
    const person = await makePerson(app)
    const read = () => person.call('GET', '/campaigns')
    await Promise.all([read(), read(), read()])
    const { rows } = await app.db.execute<{ pid: number }>(
      sql`select pid from pg_stat_activity where datname = current_database()`,
    )
    const signal = (name: NodeJS.Signals) => {
      for (const { pid } of rows) process.kill(pid, name)
    }
    signal('SIGSTOP')
    const running = [read(), read(), read()]
    try {
      expect(await read()).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    } finally {
      signal('SIGCONT')
      await Promise.all(running)
    }
  })
})

describe('a transaction', () => {
  it('releases its connection if it cannot begin', async () => {
    const database = openDatabase(app.databaseUrl, { max: 6 })
    for (let tries = 0; tries < 3; tries += 1) {
      database.pool.once('acquire', (connection) => connection.connection.stream.destroy())
      await expect(database.db.transaction(async () => {})).rejects.toThrow()
    }
    const { rows } = await database.db.transaction((tx) => tx.execute(sql`select 1 as n`))
    expect(rows).toEqual([{ n: 1 }])
    await database.close()
  })

  it('throws the original error if the rollback fails too', async () => {
    const database = openDatabase(app.databaseUrl, { max: 5 })
    const broken = database.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)
    })
    expect(isUnavailable(await broken.catch((error) => error))).toBe(true)
    const refused = database.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => {})
      throw new Error('our own')
    })
    await expect(refused).rejects.toThrow('our own')
    await database.close()
  })
})

const SOCKET = '.s.PGSQL.5432'

describe('a server started before its database', () => {
  it('waits for the database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'x-automated-late-'))
    const database = join(new URL(app.databaseUrl).searchParams.get('host') ?? '', SOCKET)
    let refused = 0
    const proxy = createServer((socket) => {
      socket.on('error', () => {})
      if (refused < 5) {
        refused += 1
        socket.destroy()
        return
      }
      const upstream = connect(database)
      upstream.on('error', () => socket.destroy())
      socket.on('close', () => upstream.destroy())
      socket.pipe(upstream).pipe(socket)
    }).listen(join(folder, SOCKET))
    onTestFinished(() => {
      proxy.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const url = new URL(app.databaseUrl)
    url.searchParams.set('host', folder)
    const server = await startProcess(app, { DATABASE_URL: url.href })
    expect(refused).toBe(5)
    expect(await isReady(server)).toBe(true)
    expect(server.output().match(/waiting for the database/g)).toHaveLength(1)
  })

  it('exits immediately if the database rejects its password', async () => {
    const url = new URL(app.databaseUrl)
    url.password = 'wrong'
    await expect(startProcess(app, { DATABASE_URL: url.href })).rejects.toThrow(/password authentication failed/)
  })
})

/** Moves a folder to a separate, nearly full disk until the test ends. */
function moveToSmallDisk(folder: string): void {
  const aside = `${folder}.aside`
  execFileSync('cp', ['-a', folder, aside])
  const megabytes = Number(execFileSync('du', ['-sm', folder]).toString().split('\t')[0]) + 40
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  execFileSync('cp', ['-a', '-T', aside, folder])
  rmSync(aside, { recursive: true })
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
}

/** Fills the disk. @returns the file that fills it */
function fill(folder: string): string {
  const filler = join(folder, 'filler')
  const file = openSync(filler, 'w')
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
  return filler
}

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder])
  if (status === 0) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return status === 0
}

describe('a full disk', () => {
  it.runIf(mayMount())('is answered with 503, also by /readyz, until there is room again', async () => {
    const first = await launchServer({ NODE_ENV: 'test' })
    const { folder = first.dataDir } = JSON.parse(readFileSync(join(first.dataDir, 'database.json'), 'utf8'))
    await first.end()
    moveToSmallDisk(folder)
    const server = await launchServer({ NODE_ENV: 'test', DATA_DIR: first.dataDir })
    let joins = 0
    const joinOnce = () =>
      call(
        { url: `${server.origin}/api` },
        'POST',
        '/waitlist/join',
        { email: `someone${joins++}@example.com` },
        { 'idempotency-key': `${joins}` },
      )
    expect((await joinOnce()).status).toBe(200)
    expect(await isReady(server)).toBe(true)

    const filler = fill(folder)
    const readiness = await fetch(`${server.origin}/readyz`)
    expect([readiness.status, await readiness.json()]).toMatchObject([
      503,
      { code: 'NOT_READY', dependencies: { database: 'full' } },
    ])
    const responses: Awaited<ReturnType<typeof call>>[] = []
    while (responses.length < 28 && responses.at(-1)?.status !== 503) responses.push(await joinOnce())
    expect(responses.pop()).toMatchObject({ status: 503, body: { success: false, code: 'UNAVAILABLE' } })
    expect(responses.filter(({ status }) => status !== 200)).toEqual([])

    rmSync(filler)
    await eventually(() => isReady(server), 'ready again')
    expect((await joinOnce()).status).toBe(200)
    expect(await server.end()).toBe(0)
  })

  it('returns 503 wherever PostgreSQL reports it', async () => {
    const person = await makePerson(app)
    await app.db.execute(sql`
      create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
    await app.db.execute(
      sql`create trigger full_disk before insert on lead_lists for each row execute function full_disk()`,
    )
    onTestFinished(async () => void (await app.db.execute(sql`drop function full_disk cascade`)))
    const { status, body, headers } = await person.call('POST', '/lists', { name: 'One more' })
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1'])
  })
})
