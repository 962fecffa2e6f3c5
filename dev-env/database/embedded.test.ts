import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { memoryFolder, openScratchCluster } from '../../server/test/scratch-cluster.ts'
import { canEnter, unprivilegedAccount } from './binaries.ts'
import { postmasterOf } from './cluster.ts'
import { embeddedUrl, openEmbedded, stopLeftover } from './embedded.ts'
import { isAlive, startOf } from './processes.ts'

const isRoot = process.getuid?.() === 0
const module = join(import.meta.dirname, 'embedded.ts')
const scratchModule = join(import.meta.dirname, '../../server/test/scratch-cluster.ts')
const log = () => {}

function temporaryDataDir(name = '.data'): string {
  const parent = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
  const dataDir = join(parent, name)
  onTestFinished(async () => {
    const home = existsSync(join(dataDir, 'database.json')) ? homeOf(dataDir) : dataDir
    await stopLeftover(dataDir)
    rmSync(home, { recursive: true, force: true })
    rmSync(parent, { recursive: true, force: true })
  })
  return dataDir
}

/** Opens the database in this process and closes it when the test ends. */
async function open(dataDir: string, say: (line: string) => void = log) {
  const database = await openEmbedded({ dataDir, log: say })
  onTestFinished(() => database.close())
  return database
}

/** Returns the folder of a DATA_DIR's cluster. If we run as root, it is outside DATA_DIR. */
function homeOf(dataDir: string): string {
  return JSON.parse(readFileSync(join(dataDir, 'database.json'), 'utf8')).folder ?? dataDir
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const children = new Set<ChildProcess>()
afterEach(async () => {
  await Promise.all([...children].filter((child) => child.exitCode === null && child.signalCode === null).map(killed))
  children.clear()
})

/**
 * Runs `code` in another process, with `dataDir` and the module's functions in scope, until it
 * prints a line.
 */
async function inOtherProcess(
  code: string,
  dataDir: string,
  account = {},
): Promise<{ child: ChildProcess; line: string }> {
  const script = `
    import { openEmbedded } from ${JSON.stringify(module)}
    import { openScratchCluster } from ${JSON.stringify(scratchModule)}
    const dataDir = ${JSON.stringify(dataDir)}
    const log = () => {}
    ${code}
    setInterval(() => {}, 1000)`
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      ...account,
    },
  )
  children.add(child)
  const [chunk] = await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data'),
    once(child, 'close').then(() => ['']),
  ])
  return { child, line: String(chunk).trim() }
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

const openAndPrint = 'console.log((await openEmbedded({ dataDir, log })).url)'

describe('openEmbedded', () => {
  test('creates a private database that survives a restart', async () => {
    const dataDir = temporaryDataDir()
    const first = await open(dataDir)
    await query(first.url, 'create table t as select 1 as n')
    await first.close()
    await first.close()
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(dataDir)) expect(statSync(join(dataDir, name)).mode & 0o077).toBe(0)
    expect(statSync(join(homeOf(dataDir), 'postgres')).mode & 0o077).toBe(0)

    const second = await open(dataDir)
    expect(second.url).toBe(first.url)
    expect(embeddedUrl(dataDir)).toBe(first.url)
    expect(await query(second.url, 'select n from t')).toEqual([{ n: 1 }])
    await second.close()
    expect(postmasterOf(join(homeOf(dataDir), 'postgres'))).toBeUndefined()
  })

  test('requires the password, grants no superuser rights, and is durable', async () => {
    const database = await open(temporaryDataDir())
    const [role] = await query(database.url, 'select rolsuper, rolcreatedb from pg_roles where rolname = current_user')
    expect(role).toEqual({ rolsuper: false, rolcreatedb: false })
    const settings = `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'TimeZone') order by 1`
    expect((await query(database.url, settings)).map((row) => row.setting)).toEqual(['UTC', 'on', 'on'])
    expect(
      await query(
        database.url,
        "select lower('ÄÉΣ') as lower, server_encoding from (select current_setting('server_encoding') as server_encoding) s",
      ),
    ).toEqual([{ lower: 'äéσ', server_encoding: 'UTF8' }])
    const wrong = new URL(database.url)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password/)
    wrong.username = 'postgres'
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/pg_hba/)
    await database.close()
  })

  test('reuses the database that a killed server left running', async () => {
    const dataDir = temporaryDataDir()
    const { child, line: url } = await inOtherProcess(openAndPrint, dataDir)
    await query(url, 'create table t as select 7 as n')
    const left = postmasterOf(join(homeOf(dataDir), 'postgres'))?.pid
    await killed(child)
    const logged: string[] = []
    const database = await open(dataDir, (text) => logged.push(text))
    expect(logged).toEqual([`Reusing the database that was left running (process ${left}).`])
    expect(await query(database.url, 'select n from t')).toEqual([{ n: 7 }])
    await database.close()
    expect(isAlive(left!)).toBe(false)
  })

  test('recovers when server and database were killed and the old process id is reused', async () => {
    const dataDir = temporaryDataDir()
    const { child, line: url } = await inOtherProcess(openAndPrint, dataDir)
    await query(url, 'create table t as select 8 as n')
    const data = join(homeOf(dataDir), 'postgres')
    process.kill(postmasterOf(data)!.pid, 'SIGKILL')
    await killed(child)
    const pidFile = join(data, 'postmaster.pid')
    const [, ...rest] = readFileSync(pidFile, 'utf8').split('\n')
    const stranger = spawn('sleep', ['60'])
    children.add(stranger)
    writeFileSync(pidFile, [String(stranger.pid), ...rest].join('\n'))

    const database = await open(dataDir)
    expect(await query(database.url, 'select n from t')).toEqual([{ n: 8 }])
    await database.close()
    expect(isAlive(stranger.pid!)).toBe(true)
  })

  test('restarts the database if it dies', async () => {
    const dataDir = temporaryDataDir()
    const database = await open(dataDir)
    await query(database.url, 'create table t as select 9 as n')
    const data = join(homeOf(dataDir), 'postgres')
    const first = postmasterOf(data)!.pid
    process.kill(first, 'SIGKILL')
    const another = () => {
      const postmaster = postmasterOf(data)
      return postmaster?.pid !== first && postmaster?.status
    }
    await expect.poll(another, { timeout: 60_000 }).toBe('ready')
    expect(await query(database.url, 'select n from t')).toEqual([{ n: 9 }])
    await database.close()
  })

  test('gives up with the reason if the database cannot be restarted', async () => {
    const dataDir = temporaryDataDir()
    const lines: string[] = []
    const restarts = { tries: 3, firstPauseMs: 10 }
    const database = await openEmbedded({ dataDir, log: (line) => lines.push(line), restarts })
    onTestFinished(() => database.close())
    const data = join(homeOf(dataDir), 'postgres')
    writeFileSync(join(data, 'postgresql.auto.conf'), 'no_such_setting = 1\n')
    process.kill(postmasterOf(data)!.pid, 'SIGKILL')
    const { message } = await database.lost
    expect(message).toMatch(/^The database stopped and could not be restarted in 3 attempts\. .*no_such_setting/s)
    expect(lines.filter((line) => line === 'The database has stopped. Restarting it.')).toHaveLength(1)
  })

  test('rejects a second server on the same DATA_DIR without disturbing the first', async () => {
    const dataDir = temporaryDataDir()
    const { child, line: url } = await inOtherProcess(openAndPrint, dataDir)
    await expect(openEmbedded({ dataDir, log })).rejects.toThrow(
      `Another server (process ${child.pid}) is already running on DATA_DIR ${dataDir}.`,
    )
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  test('finishes a first start that was killed halfway', async () => {
    const dataDir = temporaryDataDir()
    const { child } = await inOtherProcess('openEmbedded({ dataDir, log: (line) => console.log(line) })', dataDir)
    await sleep(300)
    await killed(child)
    const database = await open(dataDir)
    expect(await query(database.url, 'select 1 as n')).toEqual([{ n: 1 }])
    await database.close()
  })

  test('works if the path of DATA_DIR is too long for a socket', async () => {
    const database = await open(temporaryDataDir('d'.repeat(120)))
    expect(await query(database.url, 'select 1 as n')).toEqual([{ n: 1 }])
    await database.close()
  })

  test('fails if the database is missing instead of creating an empty one', async () => {
    const dataDir = temporaryDataDir()
    await openEmbedded({ dataDir, log }).then((database) => database.close())
    rmSync(join(homeOf(dataDir), 'postgres'), { recursive: true })
    await expect(openEmbedded({ dataDir, log })).rejects.toThrow(/is missing: it should be at .*postgres/)
  })

  // Other users cannot run this test from a clone in a private home folder.
  test.runIf(isRoot && canEnter(import.meta.dirname, unprivilegedAccount()))(
    "keeps an ordinary user's database in DATA_DIR, and stays usable by that user after root opened it",
    async () => {
      const dataDir = temporaryDataDir()
      const { uid, gid } = unprivilegedAccount()!
      const script = `
        const database = await openEmbedded({ dataDir, log })
        await database.close()
        console.log('closed')
        process.exit()`
      mkdirSync(dataDir, { mode: 0o700 })
      const { chownSync } = await import('node:fs')
      chownSync(join(dataDir, '..'), uid, gid)
      chownSync(dataDir, uid, gid)
      expect((await inOtherProcess(script, dataDir, { uid, gid })).line).toBe('closed')
      expect(statSync(join(dataDir, 'postgres')).uid).toBe(uid)
      await openEmbedded({ dataDir, log }).then((database) => database.close())
      expect((await inOtherProcess(script, dataDir, { uid, gid })).line).toBe('closed')
    },
  )
})

describe('openScratchCluster', () => {
  test('opens empty, can create databases, and leaves nothing behind', async () => {
    const cluster = await openScratchCluster({ log, settings: { work_mem: '3MB' }, inMemory: true })
    await query(cluster.url, 'create database copy')
    const copy = new URL(cluster.url)
    copy.pathname = '/copy'
    expect(await query(copy.href, "select current_database() as name, current_setting('work_mem') as memory")).toEqual([
      { name: 'copy', memory: '3MB' },
    ])
    const home = join(copy.searchParams.get('host')!, '..')
    if (memoryFolder()) expect(dirname(home)).toBe(memoryFolder())
    await cluster.close()
    expect(existsSync(home)).toBe(false)
  })

  test('removes leftovers of killed runs but not of running ones', async () => {
    const living = await openScratchCluster({ log })
    const { child, line } = await inOtherProcess('console.log((await openScratchCluster({ log })).url)', '')
    const home = join(new URL(line).searchParams.get('host')!, '..')
    const postmaster = postmasterOf(join(home, 'postgres'))!.pid
    await killed(child)
    expect(isAlive(postmaster)).toBe(true)
    const next = await openScratchCluster({ log })
    expect(isAlive(postmaster)).toBe(false)
    expect(existsSync(home)).toBe(false)
    expect(await query(living.url, 'select 1 as n')).toEqual([{ n: 1 }])
    await Promise.all([living.close(), next.close()])
  })
})

test('startOf distinguishes a process from a later one with the same id', () => {
  expect(startOf(process.pid)).toMatch(/^\d+$/)
  expect(startOf(process.pid)).not.toBe(startOf(1))
})
