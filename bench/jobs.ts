import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatNumber } from '../contract/src/format.ts'
import type { NewBulkOrder } from '../contract/src/outreach/bulk.ts'
import type { Job } from '../contract/src/platform/jobs.ts'
import { one } from '../server/src/db/one.ts'
import { authUsers } from '../server/src/domains/identity/auth/tables.ts'
import { readEnv } from '../server/src/env.ts'
import { startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { accessToken } from './measuring/access-token.ts'
import { SECRET } from './measuring/env.ts'
import { recount } from './measuring/recount.ts'
import { load } from './measuring/times.ts'
import { quantile } from './sending/processes.ts'

/* Measures jobs over 1,000,000 leads (BENCH_LEADS) and the undo of each, and the latency of
   ordinary calls to the same process. After a third, one job is killed and another is canceled. */

const LEADS = Number(process.env.BENCH_LEADS ?? 1_000_000)
/** Maximum latency of any other call. */
const LATENCY_MAX_MS = 250
const IDLE_MS = 5_000
/** Pause between two calls. */
const PAUSE_MS = 25
/** Enough callers that none reaches the limit of calls per user. */
const CALLERS = 6

/** The data that jobs change: counts, and hash sums that reveal any other change. */
type Snapshot = Record<'leads' | 'tagged' | 'listed' | 'suppressed' | 'counted' | 'rows', string>

interface Call {
  route: string
  ms: number
}

interface Step {
  order: NewBulkOrder
  /** The count that the job changes. */
  changes: keyof Snapshot
  /** Number of leads that the job leaves unchanged. */
  unchanged: number
  interruption?: 'kill' | 'cancel'
}

const vars = { PORT: '0', PUBLIC_URL: 'http://localhost:3000', AUTH_SECRET: SECRET, LOG_LEVEL: 'error' }
const cluster = await openScratchCluster({
  log: () => {},
  settings: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', autovacuum: 'on' },
})
const env = readEnv({ ...vars, DATABASE_URL: cluster.url })
const local = await startServer({ env, databaseUrl: cluster.url, workers: false })
let child: ChildProcess | undefined
try {
  const { pool } = local.services.database
  const reader = await local.services.database.connect()
  reader.allowSilence(0)
  const { workspaceId, tagId, ownTagId, listId, someLeads } = await seed()
  const [watcher = '', ...callers] = await makeTokens(workspaceId, CALLERS + 1)
  let url = await launch()

  console.log(`  ${formatNumber(LEADS)} leads   (load ${load()})`)
  const idle = await callDuring(() => sleep(IDLE_MS))
  print('no job', IDLE_MS / 1_000, 0, idle.calls)
  const steps: Step[] = [
    { order: { kind: 'tag', filter: {}, tagIds: [tagId] }, changes: 'tagged', unchanged: tenth(10) },
    {
      order: { kind: 'add_to_list', filter: {}, listId },
      changes: 'listed',
      unchanged: tenth(7),
      interruption: 'kill',
    },
    { order: { kind: 'suppress', filter: {} }, changes: 'suppressed', unchanged: tenth(11), interruption: 'cancel' },
    { order: { kind: 'delete', filter: {} }, changes: 'leads', unchanged: 0 },
  ]
  for (const { order, changes, unchanged, interruption } of steps) {
    const before = await snapshot()
    const job = await measure(
      [order.kind, interruption].filter(Boolean).join(', '),
      () => call<Job>('POST', '/jobs', order),
      interruption,
    )
    const isCanceled = interruption === 'cancel'
    require(job.status === (isCanceled ? 'canceled' : 'completed'), `${order.kind} ended as ${job.status}`)
    if (isCanceled) require(job.changed < LEADS - unchanged, `${order.kind} was canceled too late`)
    else require(job.changed === LEADS - unchanged, `${order.kind} changed ${job.changed} leads`)
    const after = await snapshot()
    require(Math.abs(Number(after[changes]) - Number(before[changes])) ===
      job.changed, `${order.kind} counts ${job.changed}, but made ${before[changes]} into ${after[changes]}`)

    const undone = await measure(`undo of ${order.kind}`, () => call<Job>('POST', `/jobs/${job.id}/undo`, {}))
    require(undone.changed === job.changed, `the undo of ${order.kind} changed ${undone.changed} leads`)
    const [was, is] = [JSON.stringify(before), JSON.stringify(await snapshot())]
    require(was === is, `the undo of ${order.kind} left ${is} of ${was}`)
  }
  console.log(`    (load ${load()})`)
  await reader.end()

  /** Runs a job to its end while other calls are made, and interrupts it after a third. */
  async function measure(name: string, start: () => Promise<Job>, interruption?: Step['interruption']): Promise<Job> {
    const began = performance.now()
    const { id } = await start()
    const started = performance.now() - began
    const calls: Call[] = []
    let pause = 0
    let job: Job
    const until = (isReached: () => boolean) =>
      callDuring(async () => {
        do {
          await sleep(100)
          job = await call<Job>('GET', `/jobs/${id}`)
        } while (!isReached() && !isEnded())
      })
    const isEnded = () => job.status !== 'queued' && job.status !== 'running'
    if (interruption) {
      calls.push(...(await until(() => job.done > job.total / 3)).calls)
      if (interruption === 'cancel') await call('POST', `/jobs/${id}/cancel`, {})
      else {
        const killed = performance.now()
        await kill()
        url = await launch()
        pause = performance.now() - killed
      }
    }
    calls.push(...(await until(() => false)).calls)
    const seconds = (performance.now() - began - pause) / 1_000
    print(name, seconds, job!.changed, [...calls, { route: 'start of the job', ms: started }])
    return job!
  }

  /** Makes ordinary calls, in turn, until the work is done. */
  async function callDuring(work: () => Promise<unknown>): Promise<{ calls: Call[] }> {
    const calls: Call[] = []
    let isOver = false
    const calling = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const leadIds = [someLeads[n % someLeads.length] ?? '']
        const token = callers[n % CALLERS] ?? ''
        const ordinary = [
          ['GET', '/leads'],
          ['GET', '/today'],
          ['POST', '/leads/tags', { leadIds, [n % 2 === 0 ? 'add' : 'remove']: [ownTagId] }],
        ] as const
        const [method, route, body] = ordinary[n % ordinary.length] ?? ordinary[0]
        const began = performance.now()
        await call(method, route, body, token)
        calls.push({ route: `${method} ${route}`, ms: performance.now() - began })
        await sleep(PAUSE_MS)
      }
    })()
    try {
      await work()
    } finally {
      isOver = true
      await calling
    }
    return { calls }
  }

  async function call<T>(method: string, route: string, body?: unknown, token = watcher): Promise<T> {
    const response = await fetch(`${url}/api${route}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const result = await response.json()
    if (!response.ok) throw new Error(`${method} ${route}: ${JSON.stringify(result)}`)
    return result as T
  }

  async function snapshot(): Promise<Snapshot> {
    const ofLeads = `from leads where workspace_id = '${workspaceId}'`
    const { rows } = await reader.query<Snapshot>(
      `select
        (select count(*) ${ofLeads}) as leads,
        (select count(*) from lead_tags where tag_id = '${tagId}') as tagged,
        (select count(*) from lead_list_items where lead_list_id = '${listId}') as listed,
        (select count(*) from suppressions where workspace_id = '${workspaceId}') as suppressed,
        (select concat_ws(' ', t.lead_count, l.lead_count, (select sum(count) from lead_counts where workspace_id = t.workspace_id))
          from tags t, lead_lists l where t.id = '${tagId}' and l.id = '${listId}') as counted,
        (select sum(hashtextextended(concat_ws(' ', id, x_user_id, name, twitter_handle, bio, dm_status, created_at), 0)) ${ofLeads})
          + (select coalesce(sum(hashtextextended(i::text, 0)), 0) from lead_list_items i where lead_list_id = '${listId}')
          + (select coalesce(sum(hashtextextended(t::text, 0)), 0) from lead_tags t where tag_id = '${tagId}') as rows`,
    )
    return rows[0] as Snapshot
  }

  async function seed() {
    const insertOne = async (text: string, values: unknown[]) =>
      (await pool.query<{ id: string }>(`${text} returning id`, values)).rows[0]?.id ?? ''
    const workspaceId = await insertOne(`insert into workspaces (name) values ($1)`, ['jobs'])
    const newTag = (name: string) =>
      insertOne(`insert into tags (workspace_id, name, color) values ($1, $2, 'blue')`, [workspaceId, name])
    const [tagId, ownTagId] = [await newTag('Job'), await newTag('Call')]
    const listId = await insertOne(`insert into lead_lists (workspace_id, name) values ($1, 'Job')`, [workspaceId])
    await reader.query(
      `insert into leads (workspace_id, x_user_id, name, twitter_handle, bio, follower_count, created_at)
       select $1, n::text, 'Person ' || md5(n::text), 'h' || md5('h' || n), 'Writes about design in city ' || n % 97, n, now() - n * interval '1 second'
       from generate_series(1, $2::int) n`,
      [workspaceId, LEADS],
    )
    await recount(reader)
    await reader.query(
      `insert into lead_tags (tag_id, lead_id) select $2, id from leads where workspace_id = $1 and follower_count % 10 = 0`,
      [workspaceId, tagId],
    )
    await reader.query(
      `insert into lead_list_items (lead_list_id, lead_id) select $2, id from leads where workspace_id = $1 and follower_count % 7 = 0`,
      [workspaceId, listId],
    )
    await reader.query(
      `update lead_lists l set lead_count = (select count(*) from lead_list_items i where i.lead_list_id = l.id)
       where id = $1`,
      [listId],
    )
    await reader.query(
      `update tags t set lead_count = (select count(*) from lead_tags g where g.tag_id = t.id) where id = $1`,
      [tagId],
    )
    await reader.query(
      `insert into suppressions (workspace_id, twitter_handle, x_user_id, reason)
       select $1, twitter_handle, x_user_id, 'manual' from leads where workspace_id = $1 and follower_count % 11 = 0`,
      [workspaceId],
    )
    await reader.query(
      `insert into suppression_counts
       select workspace_id, count(*) from suppressions where workspace_id = $1 group by 1`,
      [workspaceId],
    )
    await reader.query('vacuum analyze')
    const { rows } = await pool.query<{ id: string }>(
      `select id from leads where workspace_id = $1 and follower_count % $2::int = 0`,
      [workspaceId, Math.ceil(LEADS / 1_000)],
    )
    return { workspaceId, tagId, ownTagId, listId, someLeads: rows.map(({ id }) => id) }
  }

  /** Adds members to the workspace. @returns an access token of each */
  async function makeTokens(workspaceId: string, count: number): Promise<string[]> {
    const tokens: string[] = []
    for (let n = 0; n < count; n += 1) {
      const name = `caller ${n}`
      const user = one(
        await local.services.database.db
          .insert(authUsers)
          .values({ name, email: `caller${n}@example.com`, emailVerified: true })
          .returning(),
      )
      await pool.query(`insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'member')`, [
        workspaceId,
        user.id,
      ])
      tokens.push(await accessToken(local.services, { userId: user.id, workspaceId, role: 'member' }))
    }
    return tokens
  }
} finally {
  await kill()
  await local.close()
  await cluster.close()
}

/** Starts the process that serves the calls and runs the jobs. @returns its URL */
async function launch(): Promise<string> {
  child = fork(join(import.meta.dirname, '../server/src/main.ts'), {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: cluster.url, ...vars },
  })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return url
}

async function kill(): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

function tenth(part: number): number {
  return Math.floor(LEADS / part)
}

function print(name: string, seconds: number, changed: number, calls: Call[]): void {
  const byTime = calls.toSorted((a, b) => b.ms - a.ms)
  const slowest = byTime[0] ?? { route: 'none', ms: Number.NaN }
  const p99 = quantile(
    calls.map(({ ms }) => ms),
    0.99,
  )
  const rate = changed === 0 ? '' : `${formatNumber(Math.round(changed / seconds))} leads/s`
  console.log(
    `    ${name.padEnd(22)} ${`${seconds.toFixed(1)} s`.padStart(9)} ${rate.padStart(15)}   slowest call ${slowest.ms.toFixed(0).padStart(5)} ms ${slowest.route.padEnd(16)} p99 ${p99.toFixed(0).padStart(4)} ms of ${calls.length}`,
  )
  require(slowest.ms <= LATENCY_MAX_MS, `another call took longer than ${LATENCY_MAX_MS} ms`)
}

function require(isTrue: boolean, otherwise: string): void {
  if (isTrue) return
  console.log(`    ${otherwise}`)
  process.exitCode = 1
}
