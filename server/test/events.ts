import { sql } from 'drizzle-orm'
import { eventStreams, workspaceEvents } from '../src/domains/platform/events/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

type Workspace = { workspaceId: string }

/** Stores `count` events of changed campaigns, numbered from `from`, each with `ids` random ids. */
export async function insertEvents(
  { db }: Writer,
  { workspaceId }: Workspace,
  { from, count, ids }: { from: number; count: number; ids: number },
): Promise<void> {
  await db.execute(sql`
    with counted as (update event_counters set last_id = last_id + ${count} where workspace_id = ${workspaceId})
    insert into workspace_events (workspace_id, id, kind, ids)
    select ${workspaceId}::uuid, n, 'campaign',
      array(select gen_random_uuid()::text from generate_series(1, ${ids}::int))
    from generate_series(${from}::int, ${from + count - 1}::int) n`)
}

/** Backdates the events to `seconds` seconds ago. */
export async function ageEvents({ db }: Writer, which: Which<typeof workspaceEvents>, seconds: number): Promise<void> {
  const createdAt = new Date(Date.now() - seconds * 1_000)
  await db.update(workspaceEvents).set({ createdAt }).where(matching(workspaceEvents, which))
}

/** Deletes the events. */
export async function deleteEvents({ db }: Writer, which: Which<typeof workspaceEvents>): Promise<void> {
  await db.delete(workspaceEvents).where(matching(workspaceEvents, which))
}

/** Inserts open event streams of a person, as a process leaves them when it dies. */
export async function insertStreams(
  { db }: Writer,
  { id, workspaceId }: { id: string } & Workspace,
  workerId: number,
  count: number,
): Promise<void> {
  const expiresAt = new Date(Date.now() + 600_000)
  await db
    .insert(eventStreams)
    .values(Array.from({ length: count }, () => ({ workspaceId, userId: id, workerId, expiresAt })))
}

/** Deletes the event streams of a process. */
export async function deleteStreams({ db }: Writer, workerId: number): Promise<void> {
  await db.delete(eventStreams).where(matching(eventStreams, { workerId }))
}
