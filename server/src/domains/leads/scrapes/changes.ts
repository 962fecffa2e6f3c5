import { sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import type { JobQueue } from '../../../ports.ts'
import { publishEvents } from '../../platform/events/events.ts'
import { scrapes } from './tables.ts'

export type ScrapeRow = typeof scrapes.$inferSelect

/** NOTIFY channel. The payload is the id of a changed scrape or, from a trigger, `connected:<workspace>`. */
export const SCRAPES_CHANNEL = 'scrapes'
export const CONNECTED = 'connected:'

/** Set with each change of a scrape that its readers or its process must notice. */
export const CHANGED = { version: sql`${scrapes.version} + 1`, updatedAt: sql`now()` } as const

export async function notifyScrapeChanged(
  db: Db,
  { id, workspaceId }: Pick<ScrapeRow, 'id' | 'workspaceId'>,
): Promise<void> {
  await db.execute(sql`select pg_notify(${SCRAPES_CHANNEL}, ${id})`)
  await publishEvents(db, workspaceId, 'scrape', [id])
}

/** Makes the workspace's scrapes that wait until a set time due now. */
export async function resumeScrapes(tx: Db, jobs: JobQueue, workspaceId: string): Promise<void> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    update scrapes set resumes_at = now(), version = version + 1, updated_at = now() where id in (
      select id
      from scrapes
      where workspace_id = ${workspaceId} and status = 'waiting' and resumes_at > now()
      order by id
      for update)
    returning id`)
  for (const { id } of rows) {
    await jobs.enqueue(tx, 'scrape', { scrapeId: id })
    await notifyScrapeChanged(tx, { id, workspaceId })
  }
}
