import { sql } from 'drizzle-orm'
import { MINUTE_MS } from '../contract/src/time.ts'
import { claimDue } from '../server/src/core/messages/claim-due.ts'
import { send, TIMING } from '../server/src/core/messages/deliver.ts'
import { record } from '../server/src/core/messages/record.ts'
import { requestRead } from '../server/src/core/messages/schedule.ts'
import { addEntries } from '../server/src/core/people/counts.ts'
import { recountLeads } from '../server/src/core/people/lead-counts.ts'
import { watchReplies } from '../server/src/core/replies/watches.ts'
import { queueFollowUps } from '../server/src/core/sequences/advance.ts'
import { leads } from '../server/src/core/tables/leads.ts'
import { dms } from '../server/src/core/tables/messages.ts'
import { migrateDatabase } from '../server/src/db/migrate.ts'
import { workers } from '../server/src/db/tables.ts'
import { leadLists } from '../server/src/domains/leads/lists/tables.ts'
import { xAccounts } from '../server/src/domains/platform/x-account/tables.ts'
import { X_PRICES, type XResource } from '../server/src/outside/x-prices.ts'
import { startServer } from '../server/src/start.ts'
import { openClock } from '../server/test/clock.ts'
import { connectX, makePerson, subscribe } from '../server/test/makers.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { idOfHandle } from '../stand-ins/src/x/ids.ts'
import { startX } from '../stand-ins/src/x.ts'
import { envOf } from './measuring/env.ts'
import { require } from './measuring/times.ts'

/* Measures what X charges for one account with 40 messages a day, half of them follow-ups, and 10
   replies. Reads the product's own ledger after a day with a moved clock, at X's published prices. The
   floor is the price of the messages and deliveries alone. For comparison, also counts what pages of
   100 would cost, every 6 hours with a webhook and in every slot without one: X charges for each
   message once a day. */

const MESSAGES = 40
const REPLIES = 10
/** Only the last day is measured. By then, a page of 100 is full. */
const DAYS = 4
const SLOT_MS = 12 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS
const FIRST_SLOT = 40
/** Slots between two reads of a page of 100 with a webhook: 6 hours. */
const LOOK_SLOTS = 30
/** Maximum cost of a day with a webhook. */
const MAX_DOLLARS = 1.5

for (const isLive of [true, false]) await measure(isLive)

async function measure(isLive: boolean): Promise<void> {
  const cluster = await openScratchCluster({ log: () => {} })
  await migrateDatabase(cluster.url)
  const clock = await openClock(cluster.url)
  const x = await startX({ now: clock.now })
  const env = envOf(cluster.url, {
    STAND_INS: 'on',
    X_API_URL: x.url,
    X_CLIENT_ID: x.clientId,
    X_CLIENT_SECRET: x.clientSecret ?? '',
    X_CONSUMER_SECRET: x.consumerSecret,
    X_BEARER_TOKEN: x.bearerToken,
    SEND_INTERVAL_SECONDS: '0',
  })
  const server = await startServer({ env, databaseUrl: cluster.url, workers: false, migrate: false })
  const { services } = server
  const { db } = services.database
  services.limits.countCall = () => {}
  const app = { db, services, url: `${server.url}/api`, x } as unknown as Parameters<typeof makePerson>[0]
  const xActivity = isLive ? services.xActivity : null
  const detection = await watchReplies({ ...services, xActivity, origin: server.url })
  try {
    // Start at midnight, so that every day has the same hours.
    await clock.step(DAY_MS - (clock.now() % DAY_MS))
    const person = await makePerson(app)
    await subscribe(app, person)
    const account = await connectX(app, person, 'costs')
    const [worker] = await db.insert(workers).values({}).returning()

    /** Moves the clock and reads what is due. */
    const pass = async (ms: number) => {
      await clock.step(ms)
      await read()
    }
    const read = async () => {
      for (;;) {
        const { rows } = await db.execute(
          sql`select from reply_watches where least(next_poll_at, next_check_at) <= now() union all select from x_deliveries`,
        )
        if (rows.length === 0) return
        await services.jobs.enqueue(db, 'find-watches', {})
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const sendOne = async () => {
      for (let tries = 0; tries < 50; tries += 1) {
        await db.update(xAccounts).set({ nextSendAt: new Date(0) })
        const { claimed, unread } = await claimDue(db, worker?.id ?? 0, env)
        if (unread) await requestRead({ db, jobs: services.jobs }, unread)
        await read()
        if (!claimed) continue
        const verdict = await send(services, claimed, TIMING)
        await record(db, [{ claimed, verdict, failures: 1 }])
        if (verdict.kind === 'sent') return claimed.lead?.handle as string
      }
      throw new Error('Nothing could be sent.')
    }
    /** Ids that pages of 100 show within a day. */
    let shownIds = new Set<string>()
    const look = async () => {
      if (!services.x) return
      const { accessToken } = await services.x.signInWithPassword('costs', 'long enough')
      const { messages } = await services.x.listAllMessages(accessToken, { cursor: null, size: 100 })
      for (const { id } of messages) shownIds.add(id)
    }

    let followUps = 0
    await launch()
    for (let day = 0; day < DAYS; day += 1) {
      shownIds = new Set()
      followUps = 0
      if (day === DAYS - 1) {
        await services.xMeters.flush()
        await db.execute(sql`delete from x_charges`)
      }
      for (let slot = 0; slot * SLOT_MS < DAY_MS; slot += 1) {
        if (slot % LOOK_SLOTS === 0 || !isLive) await look()
        const position = slot - FIRST_SLOT
        // First messages are at odd positions, so except at the start, follow-ups are due at even
        // ones.
        const isFollowUp = position % 2 === 0
        if (isFollowUp) await queueFollowUps(db, env)
        const isDue = !isFollowUp || (await db.$count(dms, sql`status = 'queued' and is_follow_up`)) > 0
        if (position >= 0 && position < MESSAGES && isDue) {
          const handle = await sendOne()
          if (isFollowUp) followUps += 1
          if (isFollowUp && followUps % (MESSAGES / 2 / REPLIES) === 0) await reply(handle)
        }
        await pass(SLOT_MS)
      }
    }
    await services.xMeters.flush()
    await report()

    async function launch(): Promise<void> {
      const { workspaceId } = person
      const handles = Array.from({ length: (MESSAGES / 2) * DAYS }, (_, n) => `open_${n}`)
      const [list] = await db.insert(leadLists).values({ workspaceId, name: 'Costs' }).returning()
      await db.insert(leads).values(
        handles.map((twitterHandle) => ({
          workspaceId,
          name: twitterHandle,
          twitterHandle,
          xUserId: idOfHandle(twitterHandle),
          xUserCheckedAt: new Date(),
        })),
      )
      await recountLeads(db)
      const leadListId = list?.id ?? ''
      const entries = sql`select ${leadListId}::uuid, id, 'pending', now() from leads where workspace_id = ${workspaceId}`
      await db.execute(sql`${addEntries(entries)} select count(*) from added`)
      await person.client.sendingSettings.saveLimits({
        ...{ timeZone: 'UTC', workDays: [1, 2, 3, 4, 5, 6, 7], hours: null, dailyCap: null, warmUp: false },
        ...{ pauseSeconds: null, xAccountId: account.id },
      })
      const { id } = await person.client.campaigns.create({
        ...{ name: 'Costs', leadListId, status: 'paused' },
        steps: [
          { variants: [{ messageTemplate: 'Hi {twitter_handle}' }] },
          { variants: [{ messageTemplate: 'Still there?' }], delay: { amount: 1, unit: 'days' } },
        ],
      })
      await person.client.campaigns.queue({ id })
    }

    async function reply(handle: string): Promise<void> {
      const response = await fetch(`${x.url}/_people/${handle}/reply`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ to: 'costs', text: 'Tell me more' }),
      })
      if (!response.ok) throw new Error(await response.text())
    }

    async function report(): Promise<void> {
      const { rows } = await db.execute<{ resource: XResource; count: number }>(
        sql`select resource, sum(count)::int as count from x_charges group by 1 order by 1`,
      )
      const now = Object.fromEntries(rows.map(({ resource, count }) => [resource, count]))
      const floor = { message: MESSAGES, dm_delivery: isLive ? REPLIES : 0 }
      const days = { now, 'with pages of 100': { ...now, dm_event: shownIds.size }, floor }
      console.log(`  ${MESSAGES} messages and ${REPLIES} replies a day, ${isLive ? 'with' : 'without'} a webhook`)
      for (const [name, counts] of Object.entries(days))
        console.log(
          `    ${name.padEnd(18)} $${dollarsOf(counts, 1)} a day, $${dollarsOf(counts, 30)} in 30 days   ${JSON.stringify(counts)}`,
        )
      require(now.message === MESSAGES && followUps === MESSAGES / 2, 'other messages were sent')
      if (isLive) require(Number(dollarsOf(now, 1)) <= MAX_DOLLARS, `a day may cost $${MAX_DOLLARS}`)
    }
  } finally {
    await detection.close()
    await server.close()
    await x.close()
    await clock.close()
    await cluster.close()
  }
}

function dollarsOf(counts: Partial<Record<XResource, number>>, days: number): string {
  const mills = Object.entries(counts).reduce(
    (sum, [name, count]) => sum + count * (X_PRICES[name as XResource] ?? 0),
    0,
  )
  return ((mills * days) / 1_000).toFixed(2)
}
