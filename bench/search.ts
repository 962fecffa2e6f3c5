import { loadavg } from 'node:os'
import { formatNumber } from '../contract/src/format.ts'
import type { Actor, WorkspaceScope } from '../server/src/actor.ts'
import { countMatching, list } from '../server/src/domains/leads/leads/leads.ts'
import { find } from '../server/src/domains/overview/search/search.ts'
import { startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { fillConversations } from './inbox/seed.ts'
import { envOf } from './measuring/env.ts'
import { recount } from './measuring/recount.ts'
import { quantile, spans } from './sending/processes.ts'

/* Measures searches among 1,000,000 leads (BENCH_LEADS) and 100,000 conversations, for words that
   one, few or all of them contain. Also measures the leads page and its total for a keyword. */

const LEADS = Number(process.env.BENCH_LEADS ?? 1_000_000)
const CONVERSATIONS = Number(process.env.BENCH_CONVERSATIONS ?? 100_000)
const CALLS = 100
const SEARCH_MAX_MS = 100
const TOTAL_MAX_MS = 1_000
/** A third of the leads contain it. */
const KEYWORD = 'founder'
const SEARCHES = [
  'a',
  'h',
  'zq',
  'ann',
  'founder',
  'design in city 5',
  'oldword',
  'rareword',
  'number 814711',
  'h3f2a',
  'zebrafish',
  'pricing',
  'invoice',
  'ing the ing',
]

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'off', synchronous_commit: 'off' } })
try {
  const env = envOf(cluster.url)
  const server = await startServer({ env, databaseUrl: cluster.url, workers: false })
  const { database, pictures } = server.services
  const { db, pool } = database
  const { rows: made } = await pool.query<{ id: string }>(
    `insert into workspaces (name) values ('search') returning id`,
  )
  const workspaceId = made[0]?.id ?? ''
  await pool.query(
    `insert into x_accounts (workspace_id, x_user_id, handle, status) values ($1, '1', 'searcher', 'connected')`,
    [workspaceId],
  )
  const { rows: users } = await pool.query<{ id: string }>(
    `with u as (insert into auth_users (name, email, email_verified) values ('bench', 'bench@example.com', true) returning id)
     insert into workspace_members (workspace_id, user_id, role) select $1, id, 'owner' from u returning user_id as id`,
    [workspaceId],
  )
  const userId = users[0]?.id ?? ''
  await fillConversations(database, { workspaceId, userId, count: CONVERSATIONS })
  const client = await database.connect()
  client.allowSilence(0)
  await client.query(
    `insert into leads (workspace_id, x_user_id, name, twitter_handle, bio, follower_count, created_at)
     select $1, n::text, (array['Ann', 'Ben', 'Carla', 'Dan', 'Eva', 'Finn', 'Gia', 'Hal'])[1 + n % 8] || ' ' || md5(n::text), 'h' || md5('h' || n),
       case when n % 3 = 0 then 'Founder of a company' else 'Writes about design' end || case when n % 100000 = 0 then ' rareword' else '' end
         || case when n > 900000 then ' oldword' else '' end || ' in city ' || n % 97 || ', number ' || n,
       n % 100000, now() - n * interval '1 second'
     from generate_series(1, $2::int) n`,
    [workspaceId, LEADS],
  )
  await recount(client)
  await client.query('vacuum analyze leads')
  await client.end()

  const actor: Actor = { workspaceId: workspaceId as WorkspaceScope, userId, sessionId: userId, role: 'owner' }
  console.log(
    `  ${formatNumber(LEADS)} leads, ${formatNumber(CONVERSATIONS)} conversations   (load ${loadavg()[0]?.toFixed(1)})`,
  )
  for (const q of SEARCHES)
    await measure(q, SEARCH_MAX_MS, async () => {
      const { groups } = await find({ db, pictures }, actor, q)
      return groups.map(({ kind, items }) => `${items.length} ${kind}s`).join(', ')
    })
  await measure(`leads with ${KEYWORD}`, SEARCH_MAX_MS, async () => {
    const page = await list(db, actor, { keyword: KEYWORD, page: 1, pageSize: 10, sort: '-createdAt', total: 'none' })
    return `${page.leads.length} leads`
  })
  await measure(`total with ${KEYWORD}`, TOTAL_MAX_MS, async () =>
    formatNumber((await countMatching(db, actor, { keyword: KEYWORD })).total),
  )
  await server.close()
} finally {
  await cluster.close()
}

/** Repeats a call, and prints its durations and what it returned. Fails if the p99 reaches the maximum. */
async function measure(name: string, maxMs: number, call: () => Promise<string>): Promise<void> {
  const times: number[] = []
  let result = ''
  for (let calls = 0; calls < CALLS; calls += 1) {
    const began = performance.now()
    result = await call()
    times.push(performance.now() - began)
    // Already too slow: more calls would not change that.
    if (calls >= 10 && quantile(times, 0.5) > maxMs) break
  }
  console.log(`    ${name.padEnd(24)} ${spans(times)}   ${result || 'nothing'}`)
  if (quantile(times, 0.99) < maxMs) return
  console.log(`    the maximum p99 is ${maxMs} ms`)
  process.exitCode = 1
}
