import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Channels } from '../../../db/channels.ts'
import type { Database, Db } from '../../../db/open.ts'
import { dueAt } from './rules.ts'

/**
 * NOTIFY channel of changes. The payload has the workspace, the kind, an id or *, and the recipient
 * if there is only one.
 */
export const EVENTS_CHANNEL = 'events'
/** NOTIFY channel that announces stored events. */
export const RECORDED_CHANNEL = 'events-recorded'

/** How long events are kept for streams that reconnect. */
const EVENT_MINUTES = 10
/** Lock of the process that stores events. */
const LOCK = [7_281_003, 0] as const
const TICK_MS = 1_000
const PURGE_MS = 60_000
/** How long the other processes remember changes, in case the storing process dies first. */
const REMEMBER_MS = 10_000
/** Number of changes stored in one statement. */
const BATCH = 1_000

/**
 * Numbers and stores published changes, in one process at a time, so that a workspace's numbers
 * appear in order and each change is stored once. If the process dies, another one takes over.
 */
export function startRecording({
  database: { db, locks, session },
  channels,
  log,
}: {
  database: Database
  channels: Channels
  log: FastifyBaseLogger
}): { close(): Promise<void> } {
  /** Payloads that are still to be stored. */
  const pending = new Map<string, { heardAt: number; dueAt: number }>()
  const recordedAt = new Map<string, number>()
  let release: (() => Promise<void>) | null = null
  /** No change can have been missed since this time. */
  let listeningSince = Date.now()
  let mayHaveMissed = false
  let purgedAt = 0
  let flushing: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  const stopListening = channels.subscribe(EVENTS_CHANNEL, (payload) => {
    const now = Date.now()
    const kind = payload.split(' ', 2)[1] ?? ''
    if (!pending.has(payload)) pending.set(payload, { heardAt: now, dueAt: dueAt(kind, now, recordedAt.get(payload)) })
    plan()
  })
  // Another process may have taken the lock in the meantime.
  session.onOpen(async () => {
    listeningSince = Date.now()
    const former = release
    release = null
    void former?.()
  })

  function plan(): void {
    if (!release || timer || flushing || isClosed || (pending.size === 0 && !mayHaveMissed)) return
    const next = mayHaveMissed
      ? 0
      : [...pending.values()].reduce((least, entry) => Math.min(least, entry.dueAt), Infinity)
    timer = setTimeout(() => void flush(), Math.max(0, next - Date.now()))
  }

  function flush(): Promise<void> {
    timer = null
    flushing ??= store().finally(() => {
      flushing = null
      plan()
    })
    return flushing
  }

  async function store(): Promise<void> {
    const now = Date.now()
    const due = [...pending].flatMap(([payload, entry]) => (entry.dueAt <= now ? [payload] : [])).slice(0, BATCH)
    for (const payload of due) {
      pending.delete(payload)
      // Set before the change is stored, because the same change may be published again in the meantime.
      recordedAt.set(payload, now)
    }
    try {
      if (mayHaveMissed) await startOver(db)
      mayHaveMissed = false
      if (due.length > 0) await insert(db, due)
    } catch (error) {
      for (const payload of due) pending.set(payload, { heardAt: now, dueAt: now + TICK_MS })
      // Wait before the next attempt.
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
      log.warn({ err: error }, 'events were not stored, retrying')
    }
  }

  async function tick(): Promise<void> {
    const now = Date.now()
    for (const [payload, at] of recordedAt) if (at < now - TICK_MS) recordedAt.delete(payload)
    if (!release) {
      for (const [payload, entry] of pending) if (entry.heardAt < now - REMEMBER_MS) pending.delete(payload)
      release = await locks.tryTake(LOCK)
      if (!release) return
      mayHaveMissed = now - listeningSince < REMEMBER_MS
    }
    plan()
    if (now - purgedAt < PURGE_MS) return
    purgedAt = now
    await db.execute(
      sql`delete from workspace_events where created_at < now() - make_interval(mins => ${EVENT_MINUTES})`,
    )
  }
  const tickOrLog = () => tick().catch((error) => log.warn({ err: error }, 'storing events was interrupted'))
  const ticking = setInterval(() => void tickOrLog(), TICK_MS)
  void tickOrLog()

  return {
    async close() {
      clearInterval(ticking)
      if (timer) clearTimeout(timer)
      stopListening()
      isClosed = true
      await flushing
      if (release) await flush()
      await release?.()
    },
  }
}

/** Stores changes as events and announces them. */
async function insert(db: Db, payloads: readonly string[]): Promise<void> {
  const events = new Map<string, { workspaceId: string; kind: string; recipientId: string | null; ids: string[] }>()
  for (const payload of payloads) {
    const [workspaceId = '', kind = '', id = '*', recipientId = null] = payload.split(' ')
    const key = [workspaceId, kind, recipientId].join(' ')
    const event = events.get(key) ?? { workspaceId, kind, recipientId, ids: [] }
    event.ids.push(id)
    events.set(key, event)
  }
  const rows = [...events.values()].map((event, index) => ({
    ...event,
    place: index,
    ids: event.ids.includes('*') ? [] : event.ids,
  }))
  await db.execute(sql`
    with published as (
      select e.*, row_number() over (partition by e."workspaceId" order by e.place) as number,
        count(*) over (partition by e."workspaceId") as count
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e(
        "workspaceId" uuid, kind text, "recipientId" uuid, ids text[], place int
      )
        join workspaces w on w.id = e."workspaceId"
    ), counted as (
      insert into event_counters as c (workspace_id, last_id)
        select "workspaceId", count(*) from published group by 1 order by 1
      on conflict (workspace_id) do update set last_id = c.last_id + excluded.last_id
      returning workspace_id, last_id
    ), stored as (
      insert into workspace_events (workspace_id, id, kind, ids, recipient_id)
        select c.workspace_id, c.last_id - p.count + p.number, p.kind, p.ids, p."recipientId"
        from published p join counted c on c.workspace_id = p."workspaceId"
    )
    select pg_notify(${RECORDED_CHANNEL}, '')`)
}

/** Lets every stream start over, because changes may have been missed. */
async function startOver(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`update event_counters set last_id = last_id + 1`)
    await tx.execute(sql`delete from workspace_events`)
    await tx.execute(sql`select pg_notify(${RECORDED_CHANNEL}, '')`)
  })
}
