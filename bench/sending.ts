import { randomUUID } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { pino } from 'pino'
import type { Services } from '../server/src/app.ts'
import { openScratchCluster } from '../server/src/db/embedded.ts'
import { migrateDatabase } from '../server/src/db/migrate.ts'
import { openNotices } from '../server/src/db/notices.ts'
import { type Database, type Db, openDatabase } from '../server/src/db/open.ts'
import { claimDue, letGoOf, TIMING } from '../server/src/domains/sending/engine.ts'
import { record, send } from '../server/src/domains/sending/engine-sending.ts'
import { SENDING_CHANNEL } from '../server/src/domains/sending/service.ts'
import { startSender } from '../server/src/jobs/sender.ts'
import type { XApi } from '../server/src/outside/x.ts'
import { createSealer } from '../server/src/sealing.ts'

/*
 * How many messages a process claims, sends and records in a second, with 10,000 queued on 25 X accounts, beside the floor: the very statements
 * that one of our cycles runs, caught from it, sent through `pg` alone with as many connections. X is a function that answers at once, so that we are measured and not X.
 * The database is a scratch one, but as durable as the product's: every commit is on disk.
 */

const ACCOUNTS = 25
const MESSAGES = 10_000
const HANDS = 8
const MOST_SECONDS = 18

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
try {
  await migrateDatabase(cluster.url)
  const database = openDatabase(cluster.url)
  const notices = await openNotices(database, [SENDING_CHANNEL])
  const sealer = createSealer('a secret of benchmarks, long enough to be one', 'x-automated x tokens')
  let events = 0
  const x = {
    sendMessage: async () => {
      events += 1
      return { eventId: `${process.pid}${events}` }
    },
  } as unknown as XApi
  const env = { sendIntervalSeconds: 0, dailyDmCap: 500, isRealX: false }
  const services = { database, notices, sealer, x, env, onFault: fail } as unknown as Services

  const caught = await catchCycle(services)
  const latencies = await timeClaims(services, 1_000)

  await fillQueue(database, sealer)
  const ours = await measure(database, async (isDone) => {
    const sender = await startSender(services, pino({ level: 'silent' }), { concurrency: HANDS })
    await isDone
    await sender.close()
  })

  await fillQueue(database, sealer)
  const floor = await measure(database, (isDone) => replay(cluster.url, caught, isDone))

  console.log(
    `  ${MESSAGES.toLocaleString('en')} messages queued on ${ACCOUNTS} X accounts, ${HANDS} in hand at a time, one process`,
  )
  console.log(`  ours   ${line(ours)}`)
  console.log(
    `  floor  ${line(floor)}   the same ${caught.claim.length + caught.rest.length} statements a message, through pg alone`,
  )
  console.log(`  ours / floor  ${(ours.perSecond / floor.perSecond).toFixed(2)}`)
  console.log(
    `  a claim, alone  p50 ${quantile(latencies, 0.5).toFixed(2)} ms   p99 ${quantile(latencies, 0.99).toFixed(2)} ms`,
  )
  await notices.close()
  await database.close()
} finally {
  await cluster.close()
}

interface Result {
  sent: number
  seconds: number
  perSecond: number
}

function line({ sent, seconds, perSecond }: Result): string {
  return `${Math.round(perSecond).toString().padStart(6)} messages/s   (${sent.toLocaleString('en')} in ${seconds.toFixed(1)} s)`
}

function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
}

function fail(error: unknown): never {
  throw error
}

/** Fresh workspaces, each with an X account and an active campaign, as launching leaves them. What was queued before is gone. */
async function fillQueue(
  { pool }: Database,
  seal: { seal(text: string): string },
  accounts = ACCOUNTS,
  messages = MESSAGES,
): Promise<void> {
  await pool.query('truncate workspaces cascade')
  await pool.query(
    `with w as (insert into workspaces (name) select 'bench' from generate_series(1, $1::int) returning id),
     a as (
       insert into x_accounts (workspace_id, x_user_id, handle, status, sealed_access_token, access_token_expires_at, last_connected_at)
       select id, id::text, 'bench', 'connected', $2, now() + interval '1 hour', now() from w returning id, workspace_id
     ), l as (
       insert into lead_lists (workspace_id, name) select id, 'bench' from w returning id, workspace_id
     )
     insert into campaigns (workspace_id, name, lead_list_id, message_template, channel, x_account_id, status, queued_at, total_leads_in_list)
     select a.workspace_id, 'bench', l.id, 'Hi {lead_name}', 'api', a.id, 'active', now(), $3::int
     from a join l on l.workspace_id = a.workspace_id`,
    [accounts, seal.seal('token'), messages / accounts],
  )
  await pool.query(
    `insert into leads (workspace_id, x_user_id, name, twitter_handle, dm_status)
     select w.id, n::text, 'Lead ' || n, 'lead_' || n, 'queued' from workspaces w, generate_series(1, $1::int) n`,
    [messages / accounts],
  )
  await pool.query(
    `insert into lead_list_items (lead_list_id, lead_id) select ll.id, l.id from lead_lists ll join leads l on l.workspace_id = ll.workspace_id`,
  )
  await pool.query(
    `insert into dms (workspace_id, lead_id, campaign_id, message)
     select l.workspace_id, l.id, c.id, 'Hi ' || l.name from campaigns c join leads l on l.workspace_id = c.workspace_id`,
  )
  await pool.query('vacuum analyze')
  await pool.query('update x_accounts set next_send_at = now()')
}

/** Runs `work` until everything is sent or the time is up, and counts what was recorded as sent. */
async function measure({ pool }: Database, work: (isDone: Promise<void>) => Promise<void>): Promise<Result> {
  const began = performance.now()
  let seconds = 0
  const isDone = (async () => {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      seconds = (performance.now() - began) / 1000
      const { rows } = await pool.query(`select 1 from campaigns where dms_queued_count > 0 limit 1`)
      if (rows.length === 0 || seconds > MOST_SECONDS) return
    }
  })()
  await work(isDone)
  const { rows } = await pool.query<{ sent: number; twice: number }>(
    `select count(*)::int as sent, (count(*) - count(distinct x_event_id))::int as twice from dms where status = 'sent'`,
  )
  const { sent = 0, twice = 0 } = rows[0] ?? {}
  if (twice > 0) throw new Error(`${twice} messages were sent twice`)
  return { sent, seconds, perSecond: sent / seconds }
}

/** One claim after the other, with nothing else going on, in ms. */
async function timeClaims(services: Services, count: number): Promise<number[]> {
  await fillQueue(services.database, services.sealer, 5, count)
  const client = await services.database.connect()
  const session = drizzle(client) as unknown as Db
  const times: number[] = []
  while (times.length < count) {
    const began = performance.now()
    const { claimed, isIdle } = await claimDue(session, 1, services.env, 1)
    if (claimed[0]) {
      times.push(performance.now() - began)
      await letGoOf(session, [claimed[0].campaignId])
    } else if (isIdle) break
  }
  await client.end()
  return times
}

/** A statement of ours and, for each parameter, what stands there: a name of the cycle, or the value itself. */
interface Statement {
  text: string
  parameters: ({ name: string } | { value: unknown })[]
}
interface Cycle {
  /** On the connection that claims, up to its commit; then all that follows, on another. */
  claim: Statement[]
  rest: Statement[]
}

/** Runs one of our cycles and writes down every statement of it. */
async function catchCycle(services: Services): Promise<Cycle> {
  await fillQueue(services.database, services.sealer, 1, 2)
  const client = await services.database.connect()
  const log: { text: string; values: unknown[] }[] = []
  const logger = { logQuery: (text: string, values: unknown[]) => void log.push({ text, values }) }
  const db = drizzle(client, { logger }) as unknown as Db
  const needs = { ...services, database: { ...services.database, db } }
  const [claimed] = (await claimDue(db, 1, services.env, 1)).claimed
  if (!claimed) throw new Error('nothing was claimed')
  const claims = log.splice(0)
  const verdict = await send(needs, claimed, TIMING, () => true)
  if (verdict.kind !== 'sent') throw new Error(`not sent: ${verdict.kind}`)
  await record(db, [{ claimed, verdict, failures: 0 }])
  await letGoOf(db, [claimed.campaignId])
  await client.end()

  const names = new Map<unknown, string>([
    [claimed.id, 'dmId'],
    [claimed.lease, 'lease'],
    [claimed.campaignId, 'campaignId'],
    [claimed.accountId, 'accountId'],
    [verdict.eventId, 'eventId'],
  ])
  const named = ({ text, values }: { text: string; values: unknown[] }): Statement => ({
    text,
    parameters: values.map((value) => {
      const name = names.get(Array.isArray(value) ? value[0] : value)
      return name ? { name: Array.isArray(value) ? `[${name}]` : name } : { value }
    }),
  })
  return { claim: claims.map(named), rest: log.map(named) }
}

/** The floor: the caught statements through `pg`, one connection that claims for all free hands at once, and one for each hand. */
async function replay(url: string, cycle: Cycle, isDone: Promise<void>): Promise<void> {
  let over = false
  void isDone.then(() => {
    over = true
  })
  const connect = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client
  }
  const claims = await connect()
  const free = await Promise.all(Array.from({ length: HANDS }, connect))
  const all = [claims, ...free]
  // The last statement lets go of the campaign's lock, on the connection that holds it.
  const [unlock, writes] = [cycle.rest.at(-1) as Statement, cycle.rest.slice(0, -1)]
  const [begin, commit] = [cycle.claim.at(0) as Statement, cycle.claim.at(-1) as Statement]
  const looks = cycle.claim.slice(1, -1)
  const unlocks: Names[] = []
  const inHand = new Set<Promise<void>>()
  while (!over) {
    for (const names of unlocks.splice(0)) await run(claims, unlock, names)
    const claimed: Names[] = []
    await run(claims, begin, {})
    while (claimed.length < free.length) {
      const names = await claim(claims, looks)
      if (!names) break
      claimed.push(names)
    }
    await run(claims, commit, {})
    for (const names of claimed) {
      const hand = free.pop() as pg.Client
      const work = (async () => {
        for (const statement of writes) await run(hand, statement, names)
        unlocks.push(names)
        free.push(hand)
      })().finally(() => inHand.delete(work))
      inHand.add(work)
    }
    await Promise.race([...inHand, isDone])
  }
  await Promise.all(inHand)
  await Promise.all(all.map((client) => client.end()))
}

/** What the parameters of a cycle are, by the names that `catchCycle` gives them. */
type Names = Record<string, unknown>

/** @returns what the statements after it are about; null: nothing is queued */
async function claim(client: pg.Client, looks: Statement[]): Promise<Names | null> {
  const names: Names = { eventId: randomUUID() }
  for (const statement of looks) {
    const row = (await run(client, statement, names)).rows[0]
    if (!row) return null
    // In the order of the statements: the account that is due, its next message, the campaign's lock, the message under its lease.
    if ('ids' in row) names.accountId = row.id
    if ('lease' in row) names.lease = row.lease
    if (!('dmId' in row)) continue
    names.dmId = row.dmId
    names.campaignId = row.campaignId
    if (row.dmId) continue
    await client.query('update x_accounts set next_send_at = null where id = $1', [names.accountId])
    return claim(client, looks)
  }
  return names
}

function run(client: pg.Client, { text, parameters }: Statement, names: Names): Promise<pg.QueryResult> {
  const bound = parameters.map((parameter) => {
    if (!('name' in parameter)) return parameter.value
    const isList = parameter.name.startsWith('[')
    const value = names[isList ? parameter.name.slice(1, -1) : parameter.name]
    return isList ? [value] : value
  })
  return client.query(text, bound)
}
