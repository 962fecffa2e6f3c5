import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatNumber } from '../contract/src/format.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { load, require } from './measuring/times.ts'

/* Measures the latency of other users' calls while attackers run 30 searches at a time each, sorted by
   name, with twenty excluded words or a frequent keyword, mostly on a deep page. Attackers obey
   Retry-After, because a flood of calls is another attack. Other users pause between calls, as people
   do. Otherwise, hashing their passwords alone would keep two processors busy. */

const ATTACKERS = (process.env.BENCH_ACCOUNTS ?? '0,1,10,50').split(',').map(Number)
const LEADS = Number(process.env.BENCH_LEADS ?? 15_000)
const BIO = Number(process.env.BENCH_BIO ?? 1_000)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 20)
const AT_A_TIME = 30
const WARM_UP_MS = 3_000
const P99_MAX_MS = 500
/** Users who make the same calls at the same time, together about 20 a second. */
const OTHERS = 3
/** Average pause of each of these users before the next call. */
const PAUSE_MS = Number(process.env.BENCH_PAUSE ?? 100)

const words = Array.from({ length: 20 }, (_, n) => `-absent${n}`).join(' ')
const SEARCHES = [
  `/leads?sort=name&page=2000&bioWords=${encodeURIComponent(words)}`,
  '/leads?keyword=e&sort=name&page=2000',
  `/leads?sort=name&bioWords=${encodeURIComponent(words)}`,
]

type Call = [name: string, method: string, path: string, body?: object]
const SIGN_IN: Call = [
  'sign-in',
  'POST',
  '/api/auth/sign-in/email',
  { email: 'nobody@example.com', password: 'a wrong password' },
]
/** The calls of a round. One person signs in, about once a second: each sign-in keeps a processor busy for 150 ms. */
const round = (n: string, person: number): Call[] => [
  ['readyz', 'GET', '/readyz'],
  ['join', 'POST', '/api/waitlist/join', { email: `${n}@example.com` }],
  ...(person === 0 ? [SIGN_IN] : []),
  ['leads', 'GET', '/api/leads'],
  ['keyword', 'GET', '/api/leads?keyword=person&sort=name'],
  ['campaigns', 'GET', '/api/campaigns'],
  ['new list', 'POST', '/api/lists', { name: n }],
]

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
// Detached, so that it has its own session: Linux first divides processor time between sessions, and
// each PostgreSQL connection has one.
const server = fork(
  join(import.meta.dirname, 'fair', 'server.ts'),
  [cluster.url, OTHERS, Math.max(...ATTACKERS), LEADS, BIO].map(String),
  { detached: true },
)
try {
  const [{ url, tokens }] = (await once(server, 'message')) as [{ url: string; tokens: string[] }]
  const [others, attackers] = [tokens.slice(0, OTHERS), tokens.slice(OTHERS)]
  // Separate connections, opened before the attack, so that the time to connect is not measured.
  const agents = { others: new Agent({ keepAlive: true }), attackers: new Agent({ keepAlive: true }) }
  const ask = (who: keyof typeof agents, token: string | undefined, path: string, method = 'GET', body?: object) =>
    new Promise<{ status: number; retryAfter: number }>((resolve) => {
      const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
      const sent = request(url + path, { agent: agents[who], method, headers }, (response) => {
        const { statusCode: status = 0, headers } = response
        response.resume().once('end', () => resolve({ status, retryAfter: Number(headers['retry-after'] ?? 0) }))
      })
      sent.once('error', () => resolve({ status: 0, retryAfter: 1 }))
      sent.end(body && JSON.stringify(body))
    })

  console.log(`  ${formatNumber(LEADS)} leads an account with bios of ${formatNumber(BIO)} characters`)
  for (const count of ATTACKERS) {
    let isOver = false
    await Promise.all(others.map((token) => ask('others', token, '/api/campaigns')))
    const statuses = new Map<number, number>()
    const attack = attackers.slice(0, count).flatMap((token) =>
      Array.from({ length: AT_A_TIME }, async (_, n) => {
        await sleep(Math.random() * WARM_UP_MS)
        for (let turn = n; !isOver; turn += 1) {
          const { status, retryAfter } = await ask('attackers', token, `/api${SEARCHES[turn % SEARCHES.length]}`)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          for (let waited = 0; waited < retryAfter && !isOver; waited += 1) await sleep(1_000)
        }
      }),
    )
    await sleep(WARM_UP_MS)
    const times = new Map<string, number[]>()
    let failed = 0
    const end = performance.now() + SECONDS * 1_000
    await Promise.all(
      Array.from({ length: OTHERS }, async (_, person) => {
        for (let n = 0; performance.now() < end; n += 1) {
          for (const [name, method, path, body] of round(`${count}-${person}-${n}-${process.pid}`, person)) {
            const began = performance.now()
            const { status } = await ask('others', others[person], path, method, body)
            times.set(name, [...(times.get(name) ?? []), performance.now() - began])
            // A wrong password returns 400.
            if (status !== 200 && !(name === 'sign-in' && status === 400)) failed += 1
            await sleep(2 * PAUSE_MS * Math.random())
          }
        }
      }),
    )
    isOver = true
    await Promise.all(attack)
    const { 'sign-in': signIns = [], ...rest } = Object.fromEntries(times)
    const all = Object.values(rest).flat()
    const numberOfCalls = all.length + signIns.length
    console.log(
      `  ${count} attackers: p99 ${p99(all)} ms, of sign-ins ${p99(signIns)} ms, of ${formatNumber(numberOfCalls)} calls, ${failed} failed (load ${load()})`,
    )
    console.log(`    p99 in ms: ${[...times].map(([name, ms]) => `${name} ${p99(ms)}`).join('   ')}`)
    if (count > 0)
      console.log(
        `    attackers got ${[...statuses].map(([status, n]) => `${formatNumber(n)} × ${status}`).join(', ')}`,
      )
    const worst = Math.max(p99(all), p99(signIns))
    require(worst < P99_MAX_MS && failed === 0, `everybody else, beside ${count} attackers`)
  }
} finally {
  server.kill('SIGKILL')
  await once(server, 'exit')
  await cluster.close()
}

function p99(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0)
}
