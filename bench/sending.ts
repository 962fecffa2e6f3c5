import { loadavg } from 'node:os'
import { formatNumber } from '../contract/src/format.ts'
import { migrateDatabase } from '../server/src/db/migrate.ts'
import { type Database, openDatabase } from '../server/src/db/open.ts'
import { startSender } from '../server/src/jobs/sender.ts'
import type { Services } from '../server/src/services.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { sendBare } from './sending/floor.ts'
import { quantile, rateOf, spans, spread } from './sending/processes.ts'
import { fillQueue, sendSome } from './sending/seed.ts'
import { openSenderServices, sealer } from './sending/services.ts'
import type { Done } from './sending/worker.ts'

/* Measures sending, claims and replies against bare SQL, with one and four processes. X responds
   instantly (except to complete senders), so only our code counts. Every commit is on disk, as in
   production. */

const CONCURRENCY = 8
const SECONDS_MAX = 18
const CAP = 500
const QUEUED = Number(process.env.BENCH_QUEUED ?? 1_000_000)
const CAMPAIGNS = 100
const CLAIM_SECONDS = 10
const FLOOR_SECONDS = 5
const REPLIES = 2_000
/** Roughly how long the real X takes per message. */
const ANSWER_MS = 200
/** Maximum p99 latency of a claim, in milliseconds. */
const CLAIM_MAX_MS = 8
/** Four processes must claim at least this many times as fast as one. */
const SPEED_UP_MIN = 2

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
try {
  await migrateDatabase(cluster.url)
  const database = openDatabase(cluster.url)
  const { services, close } = openSenderServices(database, { dailyDmCap: CAP })
  await compareCycles(services)
  await measureMillion(services)
  await close()
  await database.close()
} finally {
  await cluster.close()
}

async function compareCycles(services: Services): Promise<void> {
  const { database } = services
  const size = { accounts: 25, messages: 10_000 }
  await fillQueue(database, sealer, size)
  const ours = await measure(database, async (isDone) => {
    const sender = await startSender(services, { concurrency: CONCURRENCY })
    await isDone
    await sender.close()
  })
  await fillQueue(database, sealer, size)
  const floor = await measure(database, async (isDone) => {
    let isOver = false
    void isDone.then(() => {
      isOver = true
    })
    await sendBare(cluster.url, CONCURRENCY, () => isOver)
  })
  console.log(
    `  ${formatNumber(size.messages)} messages queued on ${size.accounts} X accounts, ${CONCURRENCY} at a time, one process   (load ${loadavg()[0]?.toFixed(1)})`,
  )
  console.log(`  ours   ${line(ours)}`)
  console.log(`  floor  ${line(floor)}   one UPDATE that claims and one that records, through pg alone`)
  console.log(`  ours / floor  ${(ours.perSecond / floor.perSecond).toFixed(2)}`)
}

async function measureMillion({ database }: Services): Promise<void> {
  await fillQueue(database, sealer, { accounts: CAMPAIGNS, messages: QUEUED })
  const replies = await sendSome(database, Math.ceil((3 * REPLIES) / CAMPAIGNS))
  await database.pool.query('vacuum analyze dms')
  console.log(`  ${formatNumber(QUEUED)} messages queued over ${CAMPAIGNS} campaigns`)
  let alone = 0
  for (const processes of [1, 4]) {
    const end = performance.now() + FLOOR_SECONDS * 1_000
    const bare = await sendBare(cluster.url, processes, () => performance.now() > end)
    console.log(
      `  floor          ${Math.round(bare.times.length / FLOOR_SECONDS)
        .toString()
        .padStart(
          6,
        )}/s claimed and recorded   claim ${spans(bare.claims)}   with its record ${spans(bare.times)}   on ${processes} connections`,
    )
    const done = await spread(
      cluster.url,
      Array.from({ length: processes }, () => ({ kind: 'claims', seconds: CLAIM_SECONDS, dailyDmCap: CAP })),
    )
    const [claims, times] = [done.flatMap((result) => result.claims), done.flatMap((result) => result.times)]
    console.log(
      `  ${of(processes)}  ${perSecond(done)} claimed and recorded   claim ${spans(claims)}   with its record ${spans(times)}   (load ${loadavg()[0]?.toFixed(1)})`,
    )
    const slow = quantile(claims, 0.99)
    const rate = rateOf(done)
    if (processes === 1) alone = rate
    else console.log(`  ${processes} processes are ${(rate / alone).toFixed(2)} times as fast as one`)
    if (processes > 1 && rate < SPEED_UP_MIN * alone) process.exitCode = 1
    if (processes === 1 && slow > CLAIM_MAX_MS) {
      console.error(`  the next claim's p99 is ${slow.toFixed(1)} ms; the maximum is ${CLAIM_MAX_MS} ms`)
      process.exitCode = 1
    }
  }
  await compareSenders()
  for (const processes of [1, 4]) {
    const shares = Array.from({ length: processes }, () => ({
      kind: 'replies' as const,
      answers: replies.splice(0, REPLIES / processes),
    }))
    const done = await spread(cluster.url, shares)
    console.log(
      `  ${of(processes)}  ${perSecond(done)} replies stored   each ${spans(done.flatMap((result) => result.times))}   (load ${loadavg()[0]?.toFixed(1)})`,
    )
  }
  const { rows } = await database.pool.query(`select count(*)::int as replied from dms where status = 'replied'`)
  if (rows[0].replied !== 2 * REPLIES) throw new Error(`${rows[0].replied} messages have a reply`)
}

/** Compares complete senders. Each has up to 8 messages at X at a time. */
async function compareSenders(): Promise<void> {
  let alone = 0
  for (const processes of [1, 4]) {
    const task = { kind: 'sends' as const, seconds: CLAIM_SECONDS, dailyDmCap: CAP, answerMs: ANSWER_MS }
    const done = await spread(cluster.url, Array<typeof task>(processes).fill(task))
    if (done.some((run) => run.times.length === 0)) throw new Error('a sender sent nothing')
    const times = processes === 1 ? '' : `   ${(rateOf(done) / alone).toFixed(2)} times as fast as one`
    alone ||= rateOf(done)
    console.log(
      `  ${of(processes)}  ${perSecond(done)} sent, if X answers in ${ANSWER_MS} ms${times}   (load ${loadavg()[0]?.toFixed(1)})`,
    )
  }
}

function perSecond(done: Done[]): string {
  return `${Math.round(rateOf(done)).toString().padStart(6)}/s`
}

function of(processes: number): string {
  return processes === 1 ? 'one process   ' : `${processes} processes`.padEnd(14)
}

interface Result {
  sent: number
  seconds: number
  perSecond: number
}

function line({ sent, seconds, perSecond }: Result): string {
  return `${Math.round(perSecond).toString().padStart(6)} messages/s   (${formatNumber(sent)} in ${seconds.toFixed(1)} s)`
}

/** Runs `work` until everything is sent or time is up, and counts the messages recorded as sent. */
async function measure({ pool }: Database, work: (isDone: Promise<void>) => Promise<void>): Promise<Result> {
  const began = performance.now()
  let seconds = 0
  const isDone = (async () => {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      seconds = (performance.now() - began) / 1000
      const { rows } = await pool.query(`select 1 from campaigns where dms_queued_count > 0 limit 1`)
      if (rows.length === 0 || seconds > SECONDS_MAX) return
    }
  })()
  await work(isDone)
  const { rows } = await pool.query<{ sent: number; twice: number }>(
    `select count(*)::int as sent, (count(*) - count(distinct x_event_id))::int as twice from dms where status = 'sent'`,
  )
  const { sent = 0, twice = 0 } = rows[0] ?? {}
  if (sent === 0) throw new Error('nothing was sent')
  if (twice > 0) throw new Error(`${twice} messages were sent twice`)
  return { sent, seconds, perSecond: sent / seconds }
}
