import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import pg from 'pg'
import { formatNumber } from '../contract/src/format.ts'
import { migrateDatabase } from '../server/src/db/migrate.ts'
import { authUsers } from '../server/src/domains/identity/auth/tables.ts'
import { ensurePersonalWorkspace } from '../server/src/domains/identity/workspaces/workspaces.ts'
import { SCRAPES_CHANNEL } from '../server/src/domains/leads/scrapes/changes.ts'
import { runScrapes } from '../server/src/domains/leads/scrapes/running.ts'
import { scrapes } from '../server/src/domains/leads/scrapes/tables.ts'
import { subscriptions } from '../server/src/domains/platform/billing/tables.ts'
import { xAccounts } from '../server/src/domains/platform/x-account/tables.ts'
import type { XApi } from '../server/src/outside/x.ts'
import type { XUser } from '../server/src/outside/x-schemas.ts'
import { startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { openTestLog } from '../server/test/test-log.ts'
import { envOf } from './measuring/env.ts'

/* Measures speed, memory and progress updates of a scrape of 100,000 followers. X responds
   instantly. The floor is COPY of the same rows into tables like `leads`, with and without its
   indexes. */

const FOLLOWERS = 100_000
/** Maximum growth of the process's memory during the scrape. */
const MEMORY_MAX_MIB = 150
/** Maximum time between progress updates before the page looks stuck. */
const GAP_MAX_MS = 3_000

const cluster = await openScratchCluster({
  log: () => {},
  settings: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', autovacuum: 'on' },
})
const client = new pg.Client({ connectionString: cluster.url })
await client.connect()
await migrateDatabase(cluster.url)
const env = envOf(cluster.url)
const server = await startServer({
  env,
  databaseUrl: cluster.url,
  workers: false,
  migrate: false,
  log: openTestLog(fail),
})
const { services } = server
const { db } = services.database

const WORDS = [
  'founder',
  'designer',
  'engineer',
  'writer',
  'coffee',
  'SaaS',
  'growth',
  'Berlin',
  'open source',
  'music',
]

/** Returns a follower with a profile of typical length. */
function personOf(n: number): XUser {
  const word = (at: number) => WORDS[Math.floor(n / at) % WORDS.length] ?? ''
  return {
    id: String(1_000_000_000_000_000_000n + BigInt(n)),
    handle: `follower_${n}`,
    name: `${word(1)} ${n}`,
    bio: `${word(3)} and ${word(7)} · building things for ${word(13)} people · ${word(29)} · views my own`,
    followerCount: (n * 7_919) % 90_000,
    followingCount: (n * 104_729) % 4_000,
    protected: false,
    isFollowed: null,
    takesMessages: null,
    location: word(5),
    website: `https://follower${n}.example`,
    profileImageUrl: `https://pbs.example/profile_images/${n}.jpg`,
  }
}

const x = {
  readPriceCents: 0,
  async findUser(_token: string, handle: string) {
    return { ...personOf(0), handle, followerCount: FOLLOWERS }
  },
  async listUsers(
    _token: string,
    _id: string,
    _type: string,
    { cursor, size }: { cursor: string | null; size: number },
  ) {
    const from = Number(cursor ?? 0)
    const users = Array.from({ length: Math.min(size, FOLLOWERS - from) }, (_, index) => personOf(from + index + 1))
    return { users, next: from + size < FOLLOWERS ? String(from + size) : null }
  },
} as unknown as XApi

const scrapeId = await prepare()
const before = process.memoryUsage().rss
let peak = before
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss)
}, 20)
let lastUpdateAt = performance.now()
let updates = 0
let longestGapMs = 0
services.channels.subscribe(SCRAPES_CHANNEL, () => {
  const now = performance.now()
  longestGapMs = Math.max(longestGapMs, now - lastUpdateAt)
  lastUpdateAt = now
  updates += 1
})

const began = performance.now()
const scraper = await runScrapes({ ...services, x }, services.log)
for (;;) {
  const [row] = await db.select().from(scrapes).where(eq(scrapes.id, scrapeId))
  if (row?.status === 'completed' && row.matched === FOLLOWERS) break
  if (row?.status !== 'queued' && row?.status !== 'running') fail(new Error(JSON.stringify(row)))
  await sleep(20)
}
const seconds = (performance.now() - began) / 1000
clearInterval(watch)
await scraper.close()

const { rows: held } = await client.query<{ n: string }>('select count(distinct x_user_id) as n from leads')
if (Number(held[0]?.n) !== FOLLOWERS) fail(new Error(`${held[0]?.n} leads`))
const withIndexes = await copySeconds('including all')
const bare = await copySeconds('')
const memory = (peak - before) / 1024 / 1024
const rate = (duration: number) => `${formatNumber(Math.round(FOLLOWERS / duration))} rows a second`

console.log(`  ${formatNumber(FOLLOWERS)} followers, each a new lead`)
console.log(`  scrape                      ${rate(seconds)}  (${seconds.toFixed(1)} s)`)
console.log(
  `  COPY, with all the indexes  ${rate(withIndexes)}  (the scrape: ${(withIndexes / seconds).toFixed(2)} of it)`,
)
console.log(`  COPY, without any           ${rate(bare)}  (${(bare / seconds).toFixed(2)})`)
console.log(`  peak memory                 ${memory.toFixed(0)} MiB more than before, limit ${MEMORY_MAX_MIB} MiB`)
console.log(`  progress updates            ${updates}, the longest gap ${Math.round(longestGapMs)} ms`)
if (memory > MEMORY_MAX_MIB || longestGapMs > GAP_MAX_MS) process.exitCode = 1

await client.end()
await server.close()
await cluster.close()

/** Creates a user with an unlimited plan, an X account and a queued scrape. */
async function prepare(): Promise<string> {
  const email = 'bench@example.com'
  const [user] = await db.insert(authUsers).values({ name: 'Bench', email, emailVerified: true }).returning()
  const { id: workspaceId } = await ensurePersonalWorkspace(db, user as { id: string; name: string })
  const far = new Date(Date.now() + 86_400_000)
  await db
    .insert(subscriptions)
    .values({ workspaceId, planId: 'agency_monthly', status: 'active', currentPeriodEnd: far })
  const [account] = await db
    .insert(xAccounts)
    .values({
      workspaceId,
      xUserId: randomBytes(6).readUIntBE(0, 6).toString(),
      handle: 'bench',
      status: 'connected',
      sealedAccessToken: services.sealer.seal('token'),
      accessTokenExpiresAt: far,
      lastConnectedAt: new Date(),
    })
    .returning()
  const [row] = await db
    .insert(scrapes)
    .values({
      workspaceId,
      xAccountId: account?.id ?? null,
      twitterHandle: 'everyone',
      type: 'followers',
      minFollowers: 0,
      maxFollowers: 1_000_000_000,
      keywords: [],
      maxResults: 1_000_000,
    })
    .returning()
  const id = row?.id ?? ''
  await db.transaction((tx) => services.jobs.enqueue(tx, 'scrape', { scrapeId: id }))
  return id
}

/** Returns the seconds to COPY the leads' rows into a table. @param like what the table takes from `leads` */
async function copySeconds(like: string): Promise<number> {
  const { rows: columns } = await client.query<{ names: string }>(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_schema = 'public' and table_name = 'leads' and is_generated = 'NEVER'`,
  )
  const names = columns[0]?.names
  const rows: Buffer[] = []
  await copy(`copy leads (${names}) to stdout`, { onRow: (row) => rows.push(row) })
  await client.query(`create table floor (like leads ${like})`)
  const start = performance.now()
  await copy(`copy floor (${names}) from stdin`, { rows })
  const duration = (performance.now() - start) / 1000
  await client.query('drop table floor')
  return duration
}

/** The COPY protocol, which `pg` does not implement itself (Client.query accepts a Submittable). */
interface CopyConnection {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

function copy(text: string, { rows = [], onRow }: { rows?: Buffer[]; onRow?: (row: Buffer) => void }): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse(connection: CopyConnection) {
        for (let at = 0; at < rows.length; at += 500)
          connection.sendCopyFromChunk(Buffer.concat(rows.slice(at, at + 500)))
        connection.endCopyFrom()
      },
      handleCopyData: ({ chunk }: { chunk: Buffer }) => onRow?.(Buffer.from(chunk)),
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    } as unknown as pg.Submittable)
  })
}

function fail(error: unknown): never {
  console.error(error)
  process.exit(1)
}
