import { once } from 'node:events'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { authUsers } from '../server/src/domains/identity/auth/tables.ts'
import { ensurePersonalWorkspace } from '../server/src/domains/identity/workspaces/workspaces.ts'
import { startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { openTestLog } from '../server/test/test-log.ts'
import { SHAPES } from './imports/shapes.ts'
import { accessToken } from './measuring/access-token.ts'
import { envOf } from './measuring/env.ts'

/*
 * Measures the latency of other calls during 64 MB imports (BENCH_IMPORT_MB) of benign and hostile
 * files. BENCH_IMPORT_SHAPES filters by name; imports over BENCH_IMPORT_SECONDS (30) are canceled.
 */

const BYTES = Number(process.env.BENCH_IMPORT_MB ?? 64) * 1024 * 1024
const SECONDS_MAX = Number(process.env.BENCH_IMPORT_SECONDS ?? 30)
const NAMED = process.env.BENCH_IMPORT_SHAPES ?? ''
/** Maximum latency of any other call. */
const LATENCY_MAX_MS = 250
const IDLE_MS = 5_000
const TURN_CHECK_MS = 1

interface Call {
  route: string
  ms: number
}

interface Measured {
  calls: Call[]
  longestTurnMs: number
}

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
try {
  const env = envOf(cluster.url)
  const log = openTestLog(console.error)
  const server = await startServer({ env, databaseUrl: cluster.url, workers: false, log })
  server.services.limits.countCall = () => {}
  const { auth, database } = server.services
  const { db } = database
  const sender = await clientOf('sender')
  const caller = await clientOf('caller')

  await callDuring(() => sleep(1_000))
  print('no import', await callDuring(() => sleep(IDLE_MS)), '')
  for (const [name, { isRepeated }] of Object.entries(SHAPES)) {
    if (!name.includes(NAMED)) continue
    const send = { shape: name, size: BYTES, secondsMax: SECONDS_MAX }
    if (isRepeated) await ask(sender, { send })
    let outcome = ''
    const measured = await callDuring(async () => {
      outcome = await ask<string>(sender, { send })
    })
    print(name, measured, outcome)
  }
  console.log(`    machine load ${loadavg()[0]?.toFixed(1)}`)
  for (const worker of [sender, caller]) await worker.terminate()
  await server.close()

  async function callDuring(work: () => Promise<unknown>): Promise<Measured> {
    caller.postMessage('call')
    const turns = watchTurns()
    await work()
    return { longestTurnMs: turns.stop(), calls: await ask<Call[]>(caller, 'stop') }
  }

  /** Starts the thread of a signed-in client with its own workspace. */
  async function clientOf(name: string): Promise<Worker> {
    const email = `${name}@example.com`
    const [user] = await db.insert(authUsers).values({ name, email, emailVerified: true }).returning()
    if (!user) throw new Error('no user was inserted')
    const { id } = await ensurePersonalWorkspace(db, user)
    const token = await accessToken({ auth, database }, { userId: user.id, workspaceId: id })
    const workerData = { url: server.url, authorization: `Bearer ${token}` }
    return new Worker(new URL('./imports/client.ts', import.meta.url), { workerData })
  }
} finally {
  await cluster.close()
}

async function ask<T>(client: Worker, order: unknown): Promise<T> {
  client.postMessage(order)
  const [reply] = await once(client, 'message')
  return reply as T
}

/** Measures the longest event loop turn in processor time, which a busy machine does not affect. */
function watchTurns() {
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let before = usedMs()
  let longest = 0
  const timer = setInterval(() => {
    const now = usedMs()
    longest = Math.max(longest, now - before)
    before = now
  }, TURN_CHECK_MS)
  return {
    stop() {
      clearInterval(timer)
      return longest
    },
  }
}

function print(name: string, { calls, longestTurnMs }: Measured, outcome: string): void {
  const byTime = calls.toSorted((a, b) => b.ms - a.ms)
  const longest = byTime[0] ?? { route: 'none', ms: Number.POSITIVE_INFINITY }
  const p99 = byTime[Math.floor(calls.length / 100)]?.ms ?? longest.ms
  const ms = (value: number) => `${value.toFixed(0)} ms`.padStart(8)
  const figures = `longest ${ms(longest.ms)} ${longest.route.padEnd(20)} p99 ${ms(p99)}  of ${String(calls.length).padStart(6)} calls  longest turn ${ms(longestTurnMs)}`
  console.log(`    ${name.padEnd(36)} ${figures}  ${outcome.slice(0, 90)}`)
  if (longest.ms > LATENCY_MAX_MS) {
    console.log(`    another call took longer than ${LATENCY_MAX_MS} ms`)
    process.exitCode = 1
  }
}
