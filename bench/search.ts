import { loadavg } from 'node:os'
import { formatNumber } from '../contract/src/format.ts'
import type { Actor, WorkspaceScope } from '../server/src/actor.ts'
import { find } from '../server/src/domains/overview/search/service.ts'
import { startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { fillConversations } from './inbox/seed.ts'
import { envOf } from './measuring/env.ts'
import { quantile, spans } from './sending/processes.ts'

/*
 * Durations of a search among 1,000,000 leads (BENCH_LEADS) and 100,000 conversations, for words
 * that one, few or all of them have.
 */

const LEADS = Number(process.env.BENCH_LEADS ?? 1_000_000)
const CONVERSATIONS = Number(process.env.BENCH_CONVERSATIONS ?? 100_000)
const CALLS = 100
const SEARCH_MAX_MS = 100
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
  await client.query('vacuum analyze leads')
  await client.end()

  const actor: Actor = { workspaceId: workspaceId as WorkspaceScope, userId, sessionId: userId, role: 'owner' }
  console.log(
    `  ${formatNumber(LEADS)} leads, ${formatNumber(CONVERSATIONS)} conversations   (load ${loadavg()[0]?.toFixed(1)})`,
  )
  for (const q of SEARCHES) {
    const times: number[] = []
    let found = ''
    for (let call = 0; call < CALLS; call += 1) {
      const began = performance.now()
      const { groups } = await find({ db, pictures }, actor, q)
      times.push(performance.now() - began)
      found = groups.map(({ kind, items }) => `${items.length} ${kind}s`).join(', ')
      // It won't get better.
      if (call >= 10 && quantile(times, 0.5) > SEARCH_MAX_MS) break
    }
    const p99 = quantile(times, 0.99)
    console.log(`    ${q.padEnd(24)} ${spans(times)}   ${found || 'nothing'}`)
    if (p99 >= SEARCH_MAX_MS) {
      console.log(`    the maximum p99 is ${SEARCH_MAX_MS} ms`)
      process.exitCode = 1
    }
  }
  await server.close()
} finally {
  await cluster.close()
}
