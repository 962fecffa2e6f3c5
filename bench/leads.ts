import autocannon from 'autocannon'
import Fastify from 'fastify'
import type pg from 'pg'
import type { Actor } from '../server/src/actor.ts'
import { openScratchCluster } from '../server/src/db/embedded.ts'
import { migrateDatabase } from '../server/src/db/migrate.ts'
import { openDatabase } from '../server/src/db/open.ts'
import { importLeads, list } from '../server/src/domains/leads/service.ts'

/*
 * Pages of leads with their exact totals, at 10,000, 100,000 and (BENCH_LEADS=1000000) 1,000,000 leads of one workspace, beside the floor: the same ten rows
 * read by Fastify and `pg` alone, without any count. Page 1,000 goes on by its cursor. Then rows a second of an import, beside one bare INSERT of the same rows into the same table.
 */

const SIZES = [10_000, 100_000, 1_000_000].filter((size) => size <= Number(process.env.BENCH_LEADS ?? 100_000))
const SECONDS = 4
const IMPORTED = 20_000

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
try {
  await migrateDatabase(cluster.url)
  const database = openDatabase(cluster.url)
  const { pool, db } = database
  for (const size of SIZES) {
    const workspaceId = await fill(pool, size)
    const actor = { workspaceId, userId: null, role: 'owner' } as unknown as Actor
    console.log(`  ${size.toLocaleString('en')} leads in one workspace`)

    const app = Fastify()
    const page = { page: 1, pageSize: 10, sort: '-createdAt' } as const
    const { rows } = await pool.query<{ id: string; created_at: Date }>(
      `select id, created_at from leads where workspace_id = $1 order by created_at desc, id desc offset ${Math.min(9_990, size - 11)} limit 1`,
      [workspaceId],
    )
    const deep = rows[0] as { id: string; created_at: Date }
    const cursor = Buffer.from(JSON.stringify(['-createdAt', deep.created_at.toISOString(), deep.id])).toString(
      'base64url',
    )
    const queries: Record<string, Parameters<typeof list>[2]> = {
      'page 1': page,
      'status, page 1': { ...page, status: 'sent' },
      'page 1,000 by cursor': { ...page, page: 1_000, cursor },
      'keyword (one in 1,000)': { ...page, keyword: 'rareword' },
      'keyword (one in 3)': { ...page, keyword: 'founder' },
      'bounds (one in 10)': { ...page, minFollowers: 1_000, maxFollowers: 10_999 },
      'most followers first': { ...page, sort: '-followerCount' },
      'by status': { ...page, sort: 'dmStatus' },
    }
    app.get('/floor', async () => {
      const { rows } = await pool.query(
        'select * from leads where workspace_id = $1 order by created_at desc, id desc limit 10',
        [workspaceId],
      )
      return { leads: rows }
    })
    app.get<{ Querystring: { name: string } }>('/ours', ({ query }) => list(db, actor, queries[query.name] ?? page))
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const floor = await rate(`${url}/floor`)
    console.log(`    ${'floor: ten rows, no count'.padEnd(26)} ${line(floor)}`)
    for (const [name, input] of Object.entries(queries)) {
      const { total } = await list(db, actor, input)
      const ours = await rate(`${url}/ours?name=${encodeURIComponent(name)}`)
      const ratio = (ours.perSecond / floor.perSecond).toFixed(2)
      console.log(`    ${name.padEnd(26)} ${line(ours)}   ours / floor ${ratio}   total ${total.toLocaleString('en')}`)
    }
    await app.close()
  }
  await importing()
  await database.close()

  async function importing() {
    const workspaceId = await newWorkspace(pool)
    const people = Array.from({ length: IMPORTED }, (_, n) => [
      `imported_${n}`,
      `Person ${n}`,
      bio(n),
      String(n % 50_000),
    ])
    const records = async function* () {
      yield { line: 1, fields: ['twitter_handle', 'name', 'bio', 'follower_count'] }
      for (const [n, fields] of people.entries()) yield { line: n + 2, fields }
    }
    const actor = { workspaceId, userId: null, role: 'owner' } as unknown as Actor
    const ours = await timed(() => importLeads(db, actor, { records, bytes: 1, bytesRead: () => 1 }))
    const again = await timed(() => importLeads(db, actor, { records, bytes: 1, bytesRead: () => 1 }))
    const other = await newWorkspace(pool)
    // The role may not COPY from a file: one INSERT of whole columns is the nearest to it.
    const column = (place: number) => people.map((fields) => fields[place])
    const copy = await timed(() =>
      pool.query(
        `insert into leads (workspace_id, twitter_handle, name, bio, follower_count)
         select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::int[])`,
        [other, column(0), column(1), column(2), column(3)],
      ),
    )
    const per = (seconds: number) =>
      `${Math.round(IMPORTED / seconds)
        .toLocaleString('en')
        .padStart(9)} rows/s`
    console.log(`  ${IMPORTED.toLocaleString('en')} people from a file`)
    console.log(`    ${'one INSERT of columns'.padEnd(26)} ${per(copy)}`)
    console.log(`    ${'import, all new'.padEnd(26)} ${per(ours)}   ours / INSERT ${(copy / ours).toFixed(2)}`)
    console.log(`    ${'import, all known'.padEnd(26)} ${per(again)}   ours / INSERT ${(copy / again).toFixed(2)}`)
  }
} finally {
  await cluster.close()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

async function rate(url: string): Promise<{ perSecond: number; p50: number; p99: number }> {
  const result = await autocannon({ url, connections: 4, duration: SECONDS })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} failed ${result.non2xx + result.errors} times`)
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 }
}

function line({ perSecond, p50, p99 }: { perSecond: number; p50: number; p99: number }): string {
  return `${Math.round(perSecond).toLocaleString('en').padStart(7)} answers/s   p50 ${p50} ms   p99 ${p99} ms`
}

function bio(n: number): string {
  return `${n % 3 === 0 ? 'Founder of a company' : 'Writes about design'} ${n % 1_000 === 0 ? 'rareword' : ''} in city ${n % 97}, number ${n}`
}

async function newWorkspace(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(`insert into workspaces (name) values ('bench') returning id`)
  return rows[0]?.id ?? ''
}

/** A workspace of its own with so many leads, in every status; the other 10,000 workspaces have one each. */
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
    await client.query('vacuum analyze leads')
    await client.query('vacuum analyze lead_counts')
  } finally {
    client.release()
  }
  return workspaceId
}
