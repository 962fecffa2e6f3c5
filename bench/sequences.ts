import { formatNumber } from '../contract/src/format.ts'
import { ENROLLMENT_STATES, OUTCOMES } from '../contract/src/outreach/sequences.ts'
import { PLAN_LEVELS } from '../contract/src/platform/plans.ts'
import type { Actor } from '../server/src/actor.ts'
import '../server/src/connect-core.ts'
import { find } from '../server/src/core/campaigns/campaign.ts'
import { queueFollowUps } from '../server/src/core/sequences/advance.ts'
import { list } from '../server/src/core/sequences/enrollments.ts'
import { migrateDatabase } from '../server/src/db/migrate.ts'
import { openDatabase } from '../server/src/db/open.ts'
import { preflight, preflightOf } from '../server/src/domains/outreach/campaigns/preflight.ts'
import { flight } from '../server/src/domains/outreach/sequences/flight.ts'
import { results } from '../server/src/domains/outreach/sequences/results.ts'
import type { SignedInContext } from '../server/src/requests/context.ts'
import { createSealer } from '../server/src/sealing.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import { SECRET } from './measuring/env.ts'
import { load, require, timed } from './measuring/times.ts'
import { quantile, rateOf, spans, spread } from './sending/processes.ts'
import { fillCampaign, fillFollowUps, fillList, makeDue, STEPS } from './sequences/seed.ts'

/* Measures what must not depend on the number of enrollments: the due job, claims of follow-ups,
   replies and the campaign page. Every commit is on disk, as in production. */

const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 1_000_000)
const SIZES = [10_000, PEOPLE]
const ACCOUNTS = 25
const CAMPAIGNS = 4
/** Campaigns processed per call of the due job. */
const CAMPAIGNS_A_CALL = 20
const CAP = 500
const CLAIMS = 1_000
const LISTED = 100_000
const PREFLIGHTS = 50
const REPLY_SECONDS = 30
const SENT_PER_SECOND = 100
const SENDERS = 4
const REPLIES_PER_SECOND = 10
/** At the largest size, the due job and a claim may cost at most this many times as much as at the smallest. */
const GROWTH_MAX = 1.5
const REPLY_MAX_MS = 2_000
const PAGE_MAX_MS = 250
const PREFLIGHT_MAX_MS = 1_000

const env = { sendIntervalSeconds: 0, dailyDmCap: CAP, isRealX: false, messageMills: 15, x: null }
const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
try {
  await migrateDatabase(cluster.url)
  // Remove the plan's limit, because every plan allows fewer messages.
  Object.assign(PLAN_LEVELS.free, { dms: null })
  const database = openDatabase(cluster.url)
  const { db, pool } = database
  const sealer = createSealer(SECRET, 'x-automated x tokens')
  const parts = process.env.BENCH_PARTS ?? 'growth pages preflight'
  if (parts.includes('growth')) await measureGrowth()
  if (parts.includes('pages')) await measurePages()
  if (parts.includes('preflight')) await measurePreflight()
  await database.close()

  async function measureGrowth() {
    const costs: number[][] = []
    for (const people of SIZES) {
      await fillFollowUps(database, sealer, { accounts: ACCOUNTS, campaigns: CAMPAIGNS, people })
      console.log(`  ${formatNumber(people)} enrollments in ${ACCOUNTS * CAMPAIGNS} campaigns   (load ${load()})`)
      const singles = await dueCalls(1)
      console.log(`    due job, one follow-up in each of ${CAMPAIGNS_A_CALL} campaigns   ${spans(singles)}`)
      const batches = await dueCalls(9)
      console.log(`    due job, 9 follow-ups in each   ${spans(batches)}`)
      if (people > 10_000) await catchUp(people / ACCOUNTS / CAMPAIGNS / 10 - 10)
      await pool.query('vacuum analyze dms, enrollments')
      const [done] = await spread(cluster.url, [{ kind: 'claims', seconds: 60, dailyDmCap: CAP, count: CLAIMS }])
      const { claims = [], times = [] } = done ?? {}
      console.log(`    claim of a follow-up   ${spans(claims)}   with its record ${spans(times)}   (load ${load()})`)
      costs.push([singles, batches, claims, times].map((each) => quantile(each, 0.5)))
    }
    const growth = (costs[1] ?? []).map((cost, i) => cost / (costs[0]?.[i] ?? Number.NaN))
    const [single, batch, claim, cycle] = growth.map((ratio) => ratio.toFixed(2))
    console.log(
      `  growth   due job ${single} (one each), ${batch} (9 each)   claim ${claim}   with its record ${cycle}`,
    )
    require(Math.max(...growth) <= GROWTH_MAX, `the maximum is ${GROWTH_MAX}`)
    await measureReplies()
  }

  /** Calls the due job until it has processed each campaign. @returns the milliseconds of each call */
  async function dueCalls(count: number): Promise<number[]> {
    const times: number[] = []
    for (let offset = 0; offset < ACCOUNTS * CAMPAIGNS; offset += CAMPAIGNS_A_CALL) {
      await makeDue(database, { offset, campaigns: CAMPAIGNS_A_CALL, count })
      times.push(await timed(() => queueFollowUps(db, env)))
    }
    return times
  }

  /** Makes `count` follow-ups of every campaign due at the same time, and measures how fast they are queued. */
  async function catchUp(count: number) {
    await makeDue(database, { offset: 0, campaigns: ACCOUNTS * CAMPAIGNS, count })
    const ms = await timed(async () => {
      let isMore = true
      while (
        isMore ||
        (await pool.query(`select 1 from campaigns where follow_up_due_at <= now() limit 1`)).rows.length > 0
      )
        isMore = await queueFollowUps(db, env)
    })
    const total = count * ACCOUNTS * CAMPAIGNS
    console.log(`    ${formatNumber(total)} follow-ups due simultaneously   ${Math.round((1_000 * total) / ms)}/s`)
  }

  async function measureReplies() {
    const { rows: people } = await pool.query<{ leadXUserId: string; accountXUserId: string }>(
      `select l.x_user_id as "leadXUserId", a.x_user_id as "accountXUserId"
       from enrollments e join leads l on l.id = e.lead_id join x_accounts a on a.id = e.x_account_id
       where e.state = 'active' order by md5(e.id::text) limit $1`,
      [REPLY_SECONDS * REPLIES_PER_SECOND],
    )
    const [answered, ...sent] = await spread(cluster.url, [
      { kind: 'replies', answers: people, perSecond: REPLIES_PER_SECOND },
      ...Array.from({ length: SENDERS }, () => ({
        kind: 'claims' as const,
        seconds: REPLY_SECONDS,
        dailyDmCap: CAP,
        perSecond: SENT_PER_SECOND / SENDERS,
      })),
    ])
    const times = answered?.times ?? []
    console.log(
      `  a reply stops its enrollment   ${spans(times)}   at ${REPLIES_PER_SECOND}/s, beside ${Math.round(rateOf(sent))} messages/s   (load ${load()})`,
    )
    const { rows } = await pool.query(`select count(*)::int as stopped from enrollments where state = 'replied'`)
    if (rows[0].stopped !== people.length) throw new Error(`${rows[0].stopped} enrollments were stopped`)
    require(quantile(times, 0.99) < REPLY_MAX_MS, `the maximum is ${REPLY_MAX_MS} ms`)
  }

  async function measurePages() {
    const { id, workspaceId } = await fillCampaign(database, sealer, PEOPLE)
    const actor = { workspaceId, role: 'owner' } as unknown as Actor
    const context = { db, env, x: null } as unknown as SignedInContext
    const variantId = STEPS[0]?.variants[1]?.id
    const people = (filter: object) => () => list(db, actor, { id, pageSize: 50, ...filter })
    const pages: Record<string, () => Promise<unknown>> = {
      campaign: () => find(db, actor, id),
      results: () => results(db, actor, id),
      flight: () => flight(db, env, actor, id),
      preflight: () => preflightOf(context, actor, id),
      people: people({}),
    }
    for (const state of ENROLLMENT_STATES) pages[state] = people({ state })
    for (const outcome of OUTCOMES) pages[`outcome ${outcome}`] = people({ outcome })
    for (const stepNumber of [1, 2]) {
      pages[`step ${stepNumber}`] = people({ stepNumber })
      for (const state of ENROLLMENT_STATES) pages[`step ${stepNumber}, ${state}`] = people({ stepNumber, state })
      for (const outcome of OUTCOMES) {
        pages[`step ${stepNumber}, outcome ${outcome}`] = people({ stepNumber, outcome })
        for (const state of ENROLLMENT_STATES)
          pages[`step ${stepNumber}, outcome ${outcome}, ${state}`] = people({ stepNumber, outcome, state })
      }
    }
    for (const outcome of OUTCOMES) pages[`variant, outcome ${outcome}`] = people({ variantId, outcome })
    for (const outcome of OUTCOMES)
      for (const state of ENROLLMENT_STATES) pages[`outcome ${outcome}, ${state}`] = people({ outcome, state })
    console.log(
      `  a campaign with ${formatNumber(PEOPLE)} people, milliseconds of the first call and of the median   (load ${load()})`,
    )
    for (const [name, page] of Object.entries(pages)) {
      const times: number[] = []
      for (let call = 0; call < 5; call += 1) times.push(await timed(page))
      const median = quantile(times, 0.5)
      if (median > PAGE_MAX_MS / 3 || !name.includes(','))
        console.log(`    ${name.padEnd(36)} ${(times[0] ?? 0).toFixed(0).padStart(6)} ${median.toFixed(0).padStart(6)}`)
      require(median < PAGE_MAX_MS, `${name}: the maximum is ${PAGE_MAX_MS} ms`)
    }
    console.log(`  (load ${load()})`)
  }

  async function measurePreflight() {
    const { id, workspaceId } = await fillList(database, sealer, LISTED)
    const context = { db, env, x: null } as unknown as SignedInContext
    const actor = { workspaceId, role: 'owner' } as unknown as Actor
    const input = {
      leadListId: id,
      messageTemplate: 'Hi {lead_name}',
      channel: 'api',
      allowRepeat: false,
      allowReplied: false,
    } as const
    const times: number[] = []
    for (let call = 0; call < PREFLIGHTS; call += 1) times.push(await timed(() => preflight(context, actor, input)))
    console.log(`  pre-flight of ${formatNumber(LISTED)} leads   ${spans(times)}   (load ${load()})`)
    require(quantile(times, 0.99) < PREFLIGHT_MAX_MS, `the maximum is ${PREFLIGHT_MAX_MS} ms`)
  }
} finally {
  await cluster.close()
}
