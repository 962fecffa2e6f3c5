import { loadavg } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import autocannon from 'autocannon'
import Fastify from 'fastify'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { formatNumber } from '../contract/src/format.ts'
import type { Actor } from '../server/src/actor.ts'
import { readLeadLines } from '../server/src/core/people/columns.ts'
import { importLeads } from '../server/src/core/people/import.ts'
import { one } from '../server/src/db/one.ts'
import { authUsers } from '../server/src/domains/identity/auth/tables.ts'
import { list } from '../server/src/domains/leads/leads/leads.ts'
import { readParts } from '../server/src/edges/csv-parts.ts'
import { startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { accessToken } from './measuring/access-token.ts'
import { envOf } from './measuring/env.ts'
import { recount } from './measuring/recount.ts'

/* Measures the rate of leads pages with 10,000 to 1,000,000 leads (BENCH_LEADS), and of imports.
   The floors are the same rows through Fastify and `pg` alone, and COPY. Rounds alternate to cancel
   out noise. */

const SIZES = [10_000, 100_000, 1_000_000].filter((size) => size <= Number(process.env.BENCH_LEADS ?? 100_000))
const ROUNDS = 3
/** Rounds for endpoints that must reach half of their floor's rate. */
const PAIRED_ROUNDS = 9
const IMPORTED = 100_000
const FLOOR = 'floor: ten rows, no count'
const PAIRED = [FLOOR, 'page 1', 'status, page 1']
/** The required share of the floor's rate, as the median over all rounds. */
const MIN_SHARE = 0.5

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
try {
  const env = envOf(cluster.url)
  const server = await startServer({ env, databaseUrl: cluster.url, workers: false })
  server.services.limits.countCall = () => {}
  const { auth, database } = server.services
  const { pool, db } = database
  for (const size of SIZES) {
    const workspaceId = await fill(pool, size)
    console.log(`  ${formatNumber(size)} leads in one workspace`)
    const { rows } = await pool.query<{ id: string; created_at: Date }>(
      `select id, created_at from leads where workspace_id = $1 order by created_at desc, id desc offset ${Math.min(9_990, size - 11)} limit 1`,
      [workspaceId],
    )
    const deep = rows[0] as { id: string; created_at: Date }
    const cursor = Buffer.from(JSON.stringify(['-createdAt', deep.created_at.toISOString(), deep.id])).toString(
      'base64url',
    )
    const alone = Fastify()
    alone.get('/floor', async () => {
      const { rows } = await pool.query(
        'select * from leads where workspace_id = $1 order by created_at desc, id desc limit 10',
        [workspaceId],
      )
      return { leads: rows }
    })
    const page = { page: 1, pageSize: 10, sort: '-createdAt' } as const
    alone.get('/page', () => list(db, { workspaceId } as unknown as Actor, page))
    alone.get('/status', () => list(db, { workspaceId } as unknown as Actor, { ...page, status: 'sent' }))
    const aloneUrl = await alone.listen({ port: 0, host: '127.0.0.1' })
    const leadsUrl = `${server.url}/api/leads`
    const urls: Record<string, string> = {
      [FLOOR]: `${aloneUrl}/floor`,
      'page 1': leadsUrl,
      'status, page 1': `${leadsUrl}?status=sent`,
      'page 1, service alone': `${aloneUrl}/page`,
      'status, service alone': `${aloneUrl}/status`,
      'page 1,000 by cursor': `${leadsUrl}?page=1000&cursor=${cursor}`,
      'keyword (one in 1,000)': `${leadsUrl}?keyword=rareword`,
      'keyword (one in 3)': `${leadsUrl}?keyword=founder`,
      'bounds (one in 10)': `${leadsUrl}?minFollowers=1000&maxFollowers=10999`,
      'most followers first': `${leadsUrl}?sort=-followerCount`,
      'by status': `${leadsUrl}?sort=dmStatus`,
    }
    const authorization = `Bearer ${await tokenFor(workspaceId)}`
    const rounds: Record<string, Rate[]> = {}
    for (let round = 0; round <= PAIRED_ROUNDS; round += 1)
      for (const [name, url] of Object.entries(urls)) {
        if (round > ROUNDS && !PAIRED.includes(name)) continue
        const measured = await rate(url, authorization)
        // The first round is a warm-up.
        if (round > 0) rounds[name] = [...(rounds[name] ?? []), measured]
      }
    const floor = median(rounds[FLOOR] ?? [])
    for (const [name, url] of Object.entries(urls)) {
      const ours = median(rounds[name] ?? [])
      const response = await fetch(url, { headers: { authorization } })
      const { total } = (await response.json()) as { total?: number }
      const ratio = (ours.perSecond / floor.perSecond).toFixed(2)
      const beside =
        total === undefined ? '' : `   ours / floor ${ratio}${byRound(name)}   total ${formatNumber(total)}`
      console.log(`    ${name.padEnd(26)} ${line(ours)}${beside}`)
      if (PAIRED.includes(name) && ratioByRound(name) < MIN_SHARE) {
        console.log(`    less than ${MIN_SHARE} of the floor`)
        process.exitCode = 1
      }
    }
    console.log(`    machine load ${loadavg()[0]?.toFixed(1)}`)
    await alone.close()

    function byRound(name: string): string {
      return PAIRED.includes(name) ? ` (by round ${ratioByRound(name).toFixed(2)})` : ''
    }

    /** Returns the median over all rounds of the ratio to the floor of the same round. */
    function ratioByRound(name: string): number {
      const floors = rounds[FLOOR] ?? []
      const ratios = (rounds[name] ?? []).map(({ perSecond }, n) => perSecond / (floors[n]?.perSecond ?? Number.NaN))
      return ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0
    }
  }
  await importing()
  await server.close()

  /** Creates an access token of a signed-in user. */
  async function tokenFor(workspaceId: string): Promise<string> {
    const email = `${workspaceId}@example.com`
    const user = one(await db.insert(authUsers).values({ name: 'bench', email, emailVerified: true }).returning())
    return accessToken({ auth, database }, { userId: user.id, workspaceId })
  }

  async function importing() {
    const workspaceId = await newWorkspace(pool)
    const people = Array.from({ length: IMPORTED }, (_, n) => [
      `imported_${n}`,
      `Person ${n}`,
      bio(n),
      String(n % 50_000),
    ])
    const records = function* () {
      yield { line: 1, fields: ['twitter_handle', 'name', 'bio', 'follower_count'] }
      for (const [n, fields] of people.entries()) yield { line: n + 2, fields }
    }
    const actor = { workspaceId, userId: null, role: 'owner' } as unknown as Actor
    const read = async function* () {
      yield* readParts({ records: records(), bytesRead: () => 1, delimiter: () => null }, readLeadLines())
    }
    const file = { read, bytes: 1 }
    const ours = await timed(() => importLeads(db, actor, file))
    const again = await timed(() => importLeads(db, actor, file))
    const column = (index: number) => people.map((fields) => fields[index])
    const other = await newWorkspace(pool)
    const insert = await timed(() =>
      pool.query(
        `insert into leads (workspace_id, twitter_handle, name, bio, follower_count)
         select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::int[])`,
        [other, column(0), column(1), column(2), column(3)],
      ),
    )
    const third = await newWorkspace(pool)
    const copy = await timed(async () => {
      const client = await pool.connect()
      const into = client.query(
        copyFrom('copy leads (workspace_id, twitter_handle, name, bio, follower_count) from stdin'),
      )
      await pipeline(Readable.from(people.map((fields) => `${[third, ...fields].join('\t')}\n`)), into)
      client.release()
    })
    const per = (seconds: number) => `${formatNumber(Math.round(IMPORTED / seconds)).padStart(9)} rows/s`
    console.log(`  ${formatNumber(IMPORTED)} people from a file`)
    const beside = (seconds: number) =>
      `${per(seconds)}   ours / COPY ${(copy / seconds).toFixed(2)}   ours / INSERT ${(insert / seconds).toFixed(2)}`
    console.log(`    ${'COPY'.padEnd(26)} ${per(copy)}`)
    console.log(`    ${'one INSERT of columns'.padEnd(26)} ${per(insert)}`)
    console.log(`    ${'import, all new'.padEnd(26)} ${beside(ours)}`)
    console.log(`    ${'import, all known'.padEnd(26)} ${beside(again)}`)
    console.log(`    machine load ${loadavg()[0]?.toFixed(1)}`)
  }
} finally {
  await cluster.close()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

interface Rate {
  perSecond: number
  p50: number
  p99: number
}

/** Measures requests per second over four connections: for one second, or eight requests if that is too short. */
async function rate(url: string, authorization: string): Promise<Rate> {
  const asking = { url, connections: 4, workers: 1, headers: { authorization } }
  const inSecond = await autocannon({ ...asking, duration: 1 })
  const result = inSecond.requests.total > 0 ? inSecond : await autocannon({ ...asking, amount: 8, timeout: 60 })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} failed ${result.non2xx + result.errors} times`)
  const perSecond = result === inSecond ? result.requests.average : result.requests.total / result.duration
  return { perSecond, p50: result.latency.p50, p99: result.latency.p99 }
}

function median(rates: Rate[]): Rate {
  return [...rates].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(rates.length / 2)] as Rate
}

function line({ perSecond, p50, p99 }: Rate): string {
  const rounded = perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond)
  return `${formatNumber(rounded).padStart(7)} answers/s   p50 ${p50} ms   p99 ${p99} ms`
}

function bio(n: number): string {
  return `${n % 3 === 0 ? 'Founder of a company' : 'Writes about design'} ${n % 1_000 === 0 ? 'rareword' : ''} in city ${n % 97}, number ${n}`
}

async function newWorkspace(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(`insert into workspaces (name) values ('bench') returning id`)
  return rows[0]?.id ?? ''
}

/** Creates a workspace with leads in every status, and 10,000 other workspaces with one lead each. */
async function fill(pool: pg.Pool, size: number): Promise<string> {
  const workspaceId = await newWorkspace(pool)
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query(
      `insert into leads (workspace_id, x_user_id, name, twitter_handle, bio, follower_count, dm_status, created_at)
       select $1, n::text, 'Person ' || n, 'person_' || n,
         case when n % 3 = 0 then 'Founder of a company' else 'Writes about design' end || case when n % 1000 = 0 then ' rareword' else '' end
           || ' in city ' || n % 97 || ', number ' || n,
         n % 100000, (array['not_sent', 'queued', 'sent', 'failed', 'contacted'])[1 + n % 5], now() - n * interval '1 second'
       from generate_series(1, $2::int) n`,
      [workspaceId, size],
    )
    await client.query(
      `with w as (insert into workspaces (name) select 'other' from generate_series(1, 10000) where (select count(*) from workspaces) < 10000 returning id)
       insert into leads (workspace_id, name, twitter_handle) select id, 'Founder', 'somebody' from w`,
    )
    await recount(client)
    await client.query('vacuum analyze leads')
    await client.query('vacuum analyze lead_counts')
  } finally {
    client.release()
  }
  return workspaceId
}
