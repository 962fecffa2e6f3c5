import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { formatNumber } from '../contract/src/format.ts'
import { REPLY_LABELS } from '../contract/src/reply-labels.ts'
import { authUsers } from '../server/src/domains/identity/auth/tables.ts'
import { startReplyDetection } from '../server/src/domains/outreach/replies/detection.ts'
import { createSealer } from '../server/src/sealing.ts'
import { startServer } from '../server/src/start.ts'
import { openScratchCluster } from '../server/test/scratch-cluster.ts'
import type { X } from '../stand-ins/src/x.ts'
import { fillConversations } from './inbox/seed.ts'
import type { Burst } from './inbox/x.ts'
import { accessToken } from './measuring/access-token.ts'
import { envOf, SECRET } from './measuring/env.ts'
import { load, require } from './measuring/times.ts'
import { quantile, rateOf, spans, spread } from './sending/processes.ts'
import { fillQueue } from './sending/seed.ts'

/* Measures lists of 100,000 conversations over HTTP. Also measures how soon replies at the stand-in
   X, steady and in bursts, reach two event streams while 100 messages a second are sent. Every commit
   is on disk, as in production. */

const CONVERSATIONS = Number(process.env.BENCH_CONVERSATIONS ?? 100_000)
const CALLS = 200
const LIST_MAX_MS = 100
/** Numbers of replies, and the seconds within which people write them. */
const LOADS = [
  { replies: 200, seconds: 20 },
  { replies: 60, seconds: 1.7 },
  { replies: 1_000, seconds: 5 },
]
const SENT_PER_SECOND = 100
const SENDERS = 4
const REPLY_MAX_MS = 2_000
/** A reply that has not arrived on any stream by then counts as lost. */
const GIVE_UP_MS = 30_000

const cluster = await openScratchCluster({ log: () => {}, settings: { fsync: 'on', synchronous_commit: 'on' } })
// A separate process, because the real X is on another machine.
const xProcess = fork(join(import.meta.dirname, 'inbox', 'x.ts'))
const [x] = (await once(xProcess, 'message')) as [X]
try {
  const env = envOf(cluster.url, {
    STAND_INS: 'on',
    X_API_URL: x.url,
    X_CLIENT_ID: x.clientId,
    X_CLIENT_SECRET: x.clientSecret ?? '',
    X_CONSUMER_SECRET: x.consumerSecret,
    X_BEARER_TOKEN: x.bearerToken,
  })
  const server = await startServer({ env, databaseUrl: cluster.url, workers: false })
  server.services.limits.countCall = () => {}
  const { services } = server
  const { db, pool } = services.database
  await fillQueue(services.database, createSealer(SECRET, 'x-automated x tokens'), { accounts: 25, messages: 10_000 })

  const [user] = await db
    .insert(authUsers)
    .values({ name: 'bench', email: 'bench@example.com', emailVerified: true })
    .returning()
  const { rows: made } = await pool.query<{ id: string }>(`insert into workspaces (name) values ('inbox') returning id`)
  const [workspaceId, userId] = [made[0]?.id ?? '', user?.id ?? '']
  await pool.query(`insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'owner')`, [
    workspaceId,
    userId,
  ])
  const token = await accessToken(services, { userId, workspaceId })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  const connected = await fetch(`${server.url}/api/session/connect`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username: 'bench_owner', password: 'long enough' }),
  })
  if (!connected.ok) throw new Error(`connecting failed: ${await connected.text()}`)
  const seeded = await fillConversations(services.database, { workspaceId, userId, count: CONVERSATIONS })

  if (process.env.BENCH_PARTS !== 'replies') await measureLists()
  const detecting = await startDetection()
  for (const load of LOADS) await measureReplies(load)
  await detecting.close()
  await server.close()

  async function measureLists() {
    const { campaignId, xAccountId, leadId, cursor } = seeded
    const filters: Record<string, string> = {
      'all, newest': '',
      'all, by cursor from the middle': `cursor=${cursor}`,
      'status open': 'status=open',
      'status snoozed': 'status=snoozed',
      'status done': 'status=done',
      ...Object.fromEntries(REPLY_LABELS.map((label) => [`label ${label}`, `label=${label}`])),
      'tag of one in ten': 'tag=Warm',
      'tag of one in 1,000': 'tag=Rare',
      'assigned to me': 'assigneeId=me',
      'assigned to nobody': 'assigneeId=none',
      'an account': `xAccountId=${xAccountId}`,
      'a campaign': `campaignId=${campaignId}`,
      'a lead': `leadId=${leadId}`,
      'open, label and mine': 'status=open&label=meeting&assigneeId=me',
      'snoozed, campaign, rare tag': `status=snoozed&campaignId=${campaignId}&tag=Rare`,
      'search, a handle': 'q=lead_4711',
      'search, a name': 'q=Person%20815',
      'search, a word in every third': 'q=pricing',
      'search, a word of one in 1,000': 'q=invoice',
      'search, no match': 'q=zebrafish',
      'search, two characters': 'q=ce',
      'search, two rare characters': 'q=zq',
      'search, one character': 'q=e',
      'search in a label and status': 'q=pricing&label=meeting&status=done',
    }
    console.log(`  ${formatNumber(CONVERSATIONS)} conversations, 50 per page, over HTTP   (load ${load()})`)
    for (const [name, query] of Object.entries(filters)) {
      const url = `${server.url}/api/conversations?${query}`
      const times: number[] = []
      let count = 0
      for (let call = 0; call < CALLS; call += 1) {
        const began = performance.now()
        const response = await fetch(url, { headers })
        const body = (await response.json()) as { conversations?: unknown[] }
        times.push(performance.now() - began)
        if (!response.ok) throw new Error(`${url}: ${JSON.stringify(body)}`)
        count = body.conversations?.length ?? 0
        // Already too slow: more calls would not change that.
        if (call >= 20 && quantile(times, 0.5) > LIST_MAX_MS) break
      }
      console.log(`    ${name.padEnd(32)} ${spans(times)}   ${count} found`)
      require(quantile(times, 0.99) < LIST_MAX_MS, `the maximum p99 is ${LIST_MAX_MS} ms`)
    }
    console.log(`    (load ${load()})`)
  }

  async function startDetection() {
    // X would refuse the tokens of the senders' accounts, and detection would disconnect them.
    const connect = (status: string) =>
      pool.query('update x_accounts set status = $1 where workspace_id <> $2', [status, workspaceId])
    await connect('disconnected')
    const detecting = await startReplyDetection({ ...services, origin: server.url })
    for (;;) {
      const { rows } = await pool.query(`select 1 from reply_watches where x_user_id = $1 and webhook_id is not null`, [
        seeded.accountXUserId,
      ])
      if (rows.length > 0) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    // Detection would otherwise notice that X does not know the invented senders.
    await pool.query(
      `insert into reply_watches (x_user_id, next_poll_at) select distinct x_user_id, now() + interval '1 day' from x_accounts where workspace_id <> $1
       on conflict (x_user_id) do update set next_poll_at = excluded.next_poll_at`,
      [workspaceId],
    )
    await connect('connected')
    return detecting
  }

  async function measureReplies({ replies, seconds }: (typeof LOADS)[number]) {
    // The gap at the start made every account due for a read, but X refuses the invented senders.
    await pool.query(
      `update reply_watches set next_poll_at = now() + interval '1 day', next_check_at = now() + interval '1 day'`,
    )
    await pool.query(`update x_accounts set status = 'connected'`)
    const streams = [await openStream(), await openStream()]
    const { rows: campaigns } = await pool.query<{ id: string; workspaceId: string }>(
      `select id, workspace_id as "workspaceId" from campaigns where channel = 'api' and workspace_id <> $1 limit 25`,
      [workspaceId],
    )
    // Senders do this before and after each message.
    let touched = 0
    const touching = setInterval(() => {
      const campaign = campaigns[touched++ % campaigns.length]
      if (campaign) services.events.touch(campaign.workspaceId, 'campaign', campaign.id)
    }, 500 / SENT_PER_SECOND)
    const startedAt = new Date()
    const sending = spread(
      cluster.url,
      Array.from({ length: SENDERS }, () => ({
        kind: 'claims' as const,
        seconds: seconds + 4,
        dailyDmCap: 500,
        perSecond: SENT_PER_SECOND / SENDERS,
      })),
    )
    let areSending = true
    void sending.finally(() => {
      areSending = false
    })
    // Wait until the senders' processes have started, which keeps both processors busy.
    for (let claims = 0; claims < SENT_PER_SECOND / 2; ) {
      if (!areSending) throw new Error('the senders were too slow to begin')
      await new Promise((resolve) => setTimeout(resolve, 200))
      const { rows } = await pool.query<{ claims: number }>(
        `select count(*)::int as claims from dms where claimed_at > greatest(now() - interval '1 second', $2) and workspace_id <> $1`,
        [workspaceId, startedAt],
      )
      claims = rows[0]?.claims ?? 0
    }
    const answering = seeded.repliers.slice(0, replies)
    const times: number[] = []
    const arriving = answering.flatMap(({ id }) => streams.map((stream) => stream.arrival(id)))
    const burst: Burst = { handles: answering.map(({ handle }) => handle), to: 'bench_owner', seconds }
    xProcess.send(burst)
    const [written] = (await once(xProcess, 'message')) as [number[]]
    const measured = arriving.map(async (arrival, index) => {
      times.push((await arrival) - (written[Math.floor(index / streams.length)] ?? 0))
    })
    const isAll = await Promise.race([
      Promise.all(measured).then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, GIVE_UP_MS, false).unref()),
    ])
    const sent = await sending
    clearInterval(touching)
    for (const stream of streams) stream.close()
    console.log(
      `  ${replies} replies in ${seconds} s are on each of two streams   ${spans(times)}   beside ${Math.round(rateOf(sent))} messages/s   (load ${load()})`,
    )
    require(rateOf(sent) > SENT_PER_SECOND * 0.9, 'the senders were too slow')
    require(isAll, `only ${times.length} of ${2 * replies} events arrived`)
    require(quantile(times, 0.99) < REPLY_MAX_MS, `the maximum p99 is ${REPLY_MAX_MS} ms`)
  }

  /** Opens an event stream. `arrival` resolves when it mentions a conversation. */
  async function openStream() {
    const stop = new AbortController()
    const response = await fetch(`${server.url}/api/events`, { headers, signal: stop.signal })
    const waiting = new Map<string, (at: number) => void>()
    void (async () => {
      const decoder = new TextDecoder()
      let text = ''
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true })
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1]
          const { kind, ids = [] } = data ? (JSON.parse(data) as { kind?: string; ids?: string[] }) : {}
          if (kind === 'conversation') for (const id of ids) waiting.get(id)?.(Date.now())
        }
      }
    })().catch(() => {})
    return {
      arrival: (id: string) => new Promise<number>((resolve) => waiting.set(id, resolve)),
      close: () => stop.abort(),
    }
  }
} finally {
  xProcess.disconnect()
  await cluster.close()
}
