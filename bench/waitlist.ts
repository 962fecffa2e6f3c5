import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { formatNumber } from '../contract/src/format.ts'
import { migrateDatabase } from '../server/src/db/migrate.ts'
import { ensurePersonalWorkspace } from '../server/src/domains/identity/workspaces/workspaces.ts'
import { type RunningServer, startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { openTestLog } from '../server/test/test-log.ts'
import { accessToken } from './measuring/access-token.ts'
import { envOf } from './measuring/env.ts'

/* Measures the latency of waitlist requests with 10,000 to 1,000,000 members, whose referrals
   follow a power law. Floors are minimal queries through `pg`. Sizes alternate to cancel out noise.
   Commits are durable. */

const SIZES = [10_000, 100_000, 1_000_000]
const ROUNDS = 120
const WARM_UP = 20
/** Maximum ratio of the latency at the largest size to that at the smallest. */
const MAX_GROWTH = 1.5

const cluster = await openScratchCluster({
  log: () => {},
  settings: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', autovacuum: 'on' },
})
/** A waitlist of one size, with its own database and server, and a plain connection for the floors. */
interface Seat {
  size: number
  server: RunningServer
  client: pg.Client
  /** Token of a member in the middle of the largest tie. Their rank is the slowest to compute. */
  token: string
  /** Members are numbered from 1. Lower numbers have more referrals. */
  emailOf(n: number): string
  codes: string[]
  close(): Promise<void>
}

async function openSeat(size: number): Promise<Seat> {
  const url = await makeDatabase(`waitlist_${size}`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const began = performance.now()
  await seed(client, size)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const env = envOf(url, { TRUST_PROXY: 'loopback' })
  const server = await startServer({ env, databaseUrl: url, workers: false, migrate: false, log: openTestLog(fail) })
  const codes = await client.query<{ referral_code: string }>(
    'select referral_code from users where position > 0 order by signup_date limit 5000',
  )
  const { rows } = await client.query<{ referrals: string; most: number }>(
    `select sum(referral_count) as referrals, max(referral_count) as most from referral_counts where period = 'alltime'`,
  )
  const { referrals, most } = rows[0] ?? { referrals: '0', most: 0 }
  console.log(
    `  ${formatNumber(size)} members, ${formatNumber(Number(referrals))} referrals, ${formatNumber(most)} of them by one (made in ${seconds} s)`,
  )
  return {
    size,
    server,
    client,
    token: await signInTied(server, client),
    emailOf: (n) => `member${n}@example.com`,
    codes: codes.rows.map((row) => row.referral_code),
    async close() {
      await client.end()
      await server.close()
    },
  }
}

async function makeDatabase(name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: cluster.url })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(cluster.url)
  url.pathname = `/${name}`
  await migrateDatabase(url.href)
  return url.href
}

/** Creates members who joined over a year. Three in five were referred, following a power law. */
async function seed(client: pg.Client, size: number): Promise<void> {
  await client.query('set synchronous_commit = off')
  await client.query('select setseed(0.5)')
  await client.query(
    `create temp table line as
     select n, new_id() as id, now() - interval '1 year' * (1 - n::float8 / $1) as at,
       case when n > 1 and random() < 0.6 then 1 + floor((n - 1) * power(random(), 4))::int end as by
     from generate_series(1, $1::int) as n`,
    [size],
  )
  await client.query('create index on line (n)')
  await client.query('analyze line')
  await client.query(`
    insert into users (id, email, normalized_email, referral_code, referred_by, signup_date, joined_at, position)
    select l.id, 'member' || l.n || '@example.com', 'member' || l.n || '@example.com', substr(md5(l.n::text), 1, 12), r.id, l.at, l.at, l.n
    from line l left join line r on r.n = l.by`)
  await client.query(`
    insert into referrals (member_id, referrer_id, status, moved, credit_number, credited_at, in_week, created_at)
    select l.id, r.id, 'credited', true, row_number() over (order by l.n), l.at, l.at > now() - interval '7 days', l.at
    from line l join line r on r.n = l.by`)
  const day = `to_char(credited_at at time zone 'UTC', 'YYYY-MM-DD')`
  for (const [period, where] of [
    [`'alltime'`, 'true'],
    [`'week'`, 'in_week'],
    [day, `${day} = to_char(now() at time zone 'UTC', 'YYYY-MM-DD')`],
  ])
    await client.query(`
      insert into referral_counts (period, member_id, referral_count, last_credit)
      select ${period}, referrer_id, count(*), max(credit_number) from referrals where ${where} group by 1, 2`)
  await client.query('update waitlist_state set joined = $1, credits = (select count(*) from referrals)', [size])
  await client.query('drop table line')
  await client.query('vacuum analyze')
  await client.query('checkpoint').catch(() => {})
  await client.query('set synchronous_commit = on')
}

/** Signs in a member from the middle of those with one referral. @returns an access token */
async function signInTied(server: RunningServer, client: pg.Client): Promise<string> {
  const { rows: users } = await client.query<{ id: string; name: string }>(
    `insert into auth_users (name, email, email_verified) values ('Tied', 'tied@example.com', true) returning id, name`,
  )
  const user = users[0] as { id: string; name: string }
  await client.query(
    `update users set account_user_id = $1 where id = (
       select member_id from referral_counts where period = 'alltime' and referral_count = 1 order by last_credit
       offset (select count(*) / 2 from referral_counts where period = 'alltime' and referral_count = 1) limit 1)`,
    [user.id],
  )
  const { auth, database } = server.services
  const workspace = await ensurePersonalWorkspace(database.db, user)
  const { rows: sessions } = await client.query<{ id: string }>(
    `insert into auth_sessions (user_id, token, expires_at) values ($1, $2, now() + interval '1 hour') returning id`,
    [user.id, randomBytes(16).toString('hex')],
  )
  return accessToken({ auth, database }, { userId: user.id, workspaceId: workspace.id, sessionId: sessions[0]?.id })
}

interface Measure {
  name: string
  product(seat: Seat): Promise<unknown>
  floorName: string
  floor(seat: Seat): Promise<unknown>
}

async function call(seat: Seat, method: string, path: string, body?: unknown, token?: string): Promise<void> {
  const response = await fetch(`${seat.server.url}${path}`, {
    method,
    headers: {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      // Each call has a random IP address, to avoid rate limits and referral holds.
      'x-forwarded-for': [1, 2, 3, 4].map(() => 1 + Math.floor(Math.random() * 220)).join('.'),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`
/** Returns a random referral code, weighted toward members with many referrals. */
const someCode = ({ codes }: Seat) => codes[Math.floor(codes.length * Math.random() ** 4)]
const insertMember = ({ client }: Seat) => {
  const email = newEmail()
  return client.query('insert into users (email, normalized_email, referral_code) values ($1, $1, $2)', [
    email,
    email.slice(0, 12),
  ])
}
const readBoard =
  (period: string) =>
  ({ client }: Seat) =>
    client.query(
      `select * from (select * from referral_counts where period = ${period} and referral_count > 0
         order by (-referral_count), last_credit limit 51) as ranked join users on users.id = member_id`,
    )
const TODAY = `to_char(now() at time zone 'UTC', 'YYYY-MM-DD')`

const measures: Measure[] = [
  {
    name: 'join',
    product: (seat) => call(seat, 'POST', '/api/waitlist/join', { email: newEmail() }),
    floorName: 'one row to disk',
    floor: insertMember,
  },
  {
    name: 'join by referral',
    product: (seat) => call(seat, 'POST', '/api/waitlist/join', { email: newEmail(), referralCode: someCode(seat) }),
    floorName: 'one row to disk',
    floor: insertMember,
  },
  {
    name: 'position',
    product: (seat) =>
      call(seat, 'POST', '/api/waitlist/position', { email: seat.emailOf(1 + Math.floor(Math.random() * seat.size)) }),
    floorName: 'one row by its key',
    floor: ({ client, emailOf, size }) =>
      client.query('select position from users where normalized_email = $1', [
        emailOf(1 + Math.floor(Math.random() * size)),
      ]),
  },
  {
    name: 'count',
    product: (seat) => call(seat, 'GET', '/api/waitlist/count'),
    floorName: 'one row',
    floor: ({ client }) => client.query('select joined from waitlist_state'),
  },
  ...[
    ['alltime', `'alltime'`],
    ['week', `'week'`],
    ['today', TODAY],
  ].map(([period, key = '']) => ({
    name: `leaderboard ${period}`,
    product: (seat: Seat) => call(seat, 'GET', `/api/leaderboard?period=${period}`),
    floorName: '51 rows off the index',
    floor: readBoard(key),
  })),
  {
    name: 'leaderboard, own rank',
    product: (seat) => call(seat, 'GET', '/api/leaderboard', undefined, seat.token),
    floorName: '51 rows off the index',
    floor: readBoard(`'alltime'`),
  },
  {
    name: '(an empty answer)',
    product: (seat) => call(seat, 'GET', '/healthz'),
    floorName: 'select 1',
    floor: ({ client }) => client.query('select 1'),
  },
]

async function compare(seats: Seat[]): Promise<void> {
  console.log(`\n  ms a request (median of ${ROUNDS}), and its floor`)
  console.log(
    `  ${''.padEnd(22)}${seats.map((seat) => formatNumber(seat.size).padStart(20)).join('')}     growth   floor is`,
  )
  let worst = 0
  for (const { name, product, floorName, floor } of measures) {
    const times = seats.map(() => ({ product: [] as number[], floor: [] as number[] }))
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (let i = 0; i < seats.length; i++) {
        // Each round starts with a different size.
        const at = (i + round + WARM_UP) % seats.length
        const [seat, samples] = [seats[at] as Seat, times[at] as (typeof times)[number]]
        const spent = { product: await time(() => product(seat)), floor: await time(() => floor(seat)) }
        if (round < 0) continue
        samples.product.push(spent.product)
        samples.floor.push(spent.floor)
      }
    }
    const medians = times.map((samples) => ({ product: median(samples.product), floor: median(samples.floor) }))
    const growth = (medians.at(-1)?.product ?? Number.NaN) / (medians[0]?.product ?? Number.NaN)
    worst = Math.max(worst, growth)
    const cells = medians.map((m) => `${m.product.toFixed(2)} (${m.floor.toFixed(2)})`.padStart(20)).join('')
    console.log(`  ${name.padEnd(22)}${cells}${growth.toFixed(2).padStart(11)}   ${floorName}`)
  }
  const peakMb = process.resourceUsage().maxRSS / 1024
  console.log(
    `\n  growth at most ${worst.toFixed(2)} (${MAX_GROWTH} is allowed); peak memory ${peakMb.toFixed(0)} MB (three servers and this client in one process)`,
  )
  if (worst > MAX_GROWTH) process.exitCode = 1
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function fail(error: unknown): never {
  throw error
}

const seats: Seat[] = []
try {
  for (const size of SIZES) seats.push(await openSeat(size))
  await compare(seats)
} finally {
  for (const seat of seats) await seat.close()
  await cluster.close()
}
