import type { Role } from '@x-automated/contract/route'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../../actor.ts'
import type { Channels } from '../../../db/channels.ts'
import { livingWorkers, type RequestWorker } from '../../../db/liveness.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { REVOCATIONS_CHANNEL } from '../../identity/auth/tokens.ts'
import { MEMBERSHIPS_CHANNEL } from '../../identity/workspaces/workspaces.ts'
import { RECORDED_CHANNEL } from './recording.ts'
import { isFor, type StoredEvent, unseen } from './rules.ts'

/**
 * Interval of heartbeats, which keep proxies from closing idle streams, and of checks for ended
 * sessions and missed announcements.
 */
const HEARTBEAT_MS = 20_000
/** Maximum number of streams per person, over all processes. */
const STREAMS_MAX = 20
const RETRY_AFTER_SECONDS = 5
/** A new stream starts with events this recent, because its page may have loaded before them. */
const RECENT = sql`interval '10 seconds'`
const RECENT_MAX = 100
/** A stream that has missed more events than this starts over, because fetching everything is cheaper. */
const UNSEEN_MAX = 500
const UNSEEN_MAX_CHARS = 100_000
/** The position of a stream that wants no past events. */
const NEVER = Number.MAX_SAFE_INTEGER

/** An open event stream. */
export interface Follower {
  actor: Actor
  /** The number of the last event that the client has seen; null: the stream starts with recent events. */
  seen: number | null
  expiresAt: Date
  /** Writes to the stream. */
  write(text: string): void
  /** Whether the token, the membership and the role are still valid. */
  isValid(): Promise<boolean>
  end(): void
}

interface StreamsOptions {
  db: Db
  channels: Channels
  requestWorker: RequestWorker
  log: FastifyBaseLogger
}

/** Serves stored events to the streams of this process. */
export function openStreams({ db, channels, requestWorker, log }: StreamsOptions) {
  const open = new Set<Follower>()
  let reading: Promise<void> | null = null
  let isAnnounced = false

  /** Writes to each stream the events that it has not seen. */
  function read(): Promise<void> {
    isAnnounced = true
    reading ??= (async () => {
      while (isAnnounced) {
        isAnnounced = false
        await readOnce(db, [...open])
      }
    })().finally(() => {
      reading = null
    })
    return reading
  }
  const readOrLog = () => read().catch((error) => log.warn({ err: error }, 'events were not read'))
  const endInvalid = () => {
    for (const follower of open) void follower.isValid().then((isValid) => isValid || follower.end())
  }
  const stops = [
    channels.subscribe(RECORDED_CHANNEL, () => void (open.size > 0 && readOrLog())),
    // Authentication subscribed earlier, so it already knows the change.
    channels.subscribe(MEMBERSHIPS_CHANNEL, endInvalid),
    channels.subscribe(REVOCATIONS_CHANNEL, endInvalid),
  ]
  const beating = setInterval(() => {
    if (open.size === 0) return
    endInvalid()
    for (const { write, seen } of open) write(seen === null ? ':\n\n' : `:\nid: ${seen}\n\n`)
    void readOrLog()
  }, HEARTBEAT_MS)

  return {
    async follow(follower: Follower): Promise<() => void> {
      const { workspaceId, userId } = follower.actor
      const workerId = await requestWorker.workerId()
      const { rows } = await db.transaction(async (tx) => {
        // One at a time: otherwise two streams could both take the last slot.
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`streams of ${userId}`}, 0))`)
        return tx.execute<{ id: string }>(sql`
          insert into event_streams (workspace_id, user_id, worker_id, expires_at)
            select ${workspaceId}::uuid, ${userId}::uuid, ${workerId}, ${follower.expiresAt.toISOString()}::timestamptz
            where (
              select count(*)
              from event_streams
              where user_id = ${userId} and expires_at > now() and worker_id in (${livingWorkers})
            ) < ${STREAMS_MAX}
          returning id`)
      })
      const id = rows[0]?.id
      if (id === undefined) throw new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS })
      const leave = () => {
        open.delete(follower)
        db.execute(sql`delete from event_streams where workspace_id = ${workspaceId} and id = ${id}`).catch(() => {})
      }
      open.add(follower)
      try {
        await read()
      } catch (error) {
        leave()
        throw error
      }
      return leave
    },
    close() {
      clearInterval(beating)
      for (const stop of stops) stop()
    },
  }
}

/** The current role of each stream's person; null if they are not a member, or their session has ended. */
async function rolesOf(db: Db, followers: readonly Follower[]): Promise<(Role | null)[]> {
  const actors = followers.map(({ actor: { workspaceId, userId, sessionId } }, index) => ({
    place: index,
    workspaceId,
    userId,
    sessionId,
  }))
  const { rows } = await db.execute<{ role: Role | null }>(sql`
    select case when r.session_id is null then m.role end as role
    from jsonb_to_recordset(${JSON.stringify(actors)}::jsonb)
        as f(place int, "workspaceId" uuid, "userId" uuid, "sessionId" uuid)
      left join workspace_members m on m.workspace_id = f."workspaceId" and m.user_id = f."userId"
      left join auth_revocations r on r.session_id = f."sessionId"
    order by f.place`)
  return rows.map(({ role }) => role)
}

/** The events of a workspace that a stream may not have seen. */
interface Latest extends Record<string, unknown> {
  workspaceId: string
  lastId: number
  events: StoredEvent[]
}

async function readOnce(db: Db, followers: readonly Follower[]): Promise<void> {
  if (followers.length === 0) return
  /** For each workspace, the earliest position of its streams, and whether a stream is new. */
  const positions = new Map<string, { seen: number; isNew: boolean }>()
  for (const { actor, seen } of followers) {
    const position = positions.get(actor.workspaceId) ?? { seen: NEVER, isNew: false }
    position.seen = Math.min(position.seen, seen ?? NEVER)
    position.isNew ||= seen === null
    positions.set(actor.workspaceId, position)
  }
  const read = [...positions].map(([workspaceId, position]) => ({ workspaceId, ...position }))
  const { rows } = await db.execute<Latest>(sql`
    select f."workspaceId", coalesce(c.last_id, 0)::float as "lastId", coalesce((
      select jsonb_agg(
        jsonb_build_object('id', e.id, 'kind', e.kind, 'ids', e.ids, 'recipientId', e.recipient_id) order by e.id
      )
      from workspace_events e where e.workspace_id = f."workspaceId"
        and e.id > greatest(
          c.last_id - ${UNSEEN_MAX}, case when f."isNew" then least(f.seen, c.last_id - ${RECENT_MAX}) else f.seen end
        )
        and (e.id > f.seen or e.created_at > now() - ${RECENT})
    ), '[]') as events
    from jsonb_to_recordset(${JSON.stringify(read)}::jsonb) as f("workspaceId" uuid, seen bigint, "isNew" boolean)
      left join event_counters c on c.workspace_id = f."workspaceId"`)
  const latest = new Map(rows.map((row) => [row.workspaceId, row]))
  // Read after the events, so that someone who is no longer a member gets none of the later ones.
  const roles = await rolesOf(db, followers)
  for (const [index, follower] of followers.entries()) {
    const row = latest.get(follower.actor.workspaceId)
    if (roles[index] !== follower.actor.role) follower.end()
    else if (row) writeUnseen(follower, row)
  }
}

function writeUnseen(follower: Follower, { lastId, events }: Latest): void {
  const { seen, actor, write } = follower
  follower.seen = lastId
  // The client resumes here, even if it has received no event.
  if (seen === null) write(`id: ${lastId}\n\n`)
  const newer = seen === null ? events : unseen(seen, lastId, events)
  const text = newer === 'reset' ? null : newer.map((event) => (isFor(event, actor) ? textOf(event) : '')).join('')
  if (text === null || text.length > UNSEEN_MAX_CHARS) write(`id: ${lastId}\nevent: reset\ndata: {}\n\n`)
  else if (text) write(text)
}

function textOf({ id, kind, ids }: StoredEvent): string {
  return `id: ${id}\ndata: ${JSON.stringify({ kind, ids })}\n\n`
}
