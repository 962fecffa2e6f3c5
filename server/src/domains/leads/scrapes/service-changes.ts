import { sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { publishEvents } from '../../platform/events/service.ts'
import { scrapes } from './tables.ts'

export type ScrapeRow = typeof scrapes.$inferSelect

/** Payload: a changed scrape's id, or from a trigger `connected:<workspace>`. */
export const SCRAPES_CHANNEL = 'scrapes'
export const CONNECTED = 'connected:'

/** Part of every update of a scrape, so that the change is published. */
export const CHANGED = { version: sql`${scrapes.version} + 1`, updatedAt: sql`now()` } as const

export async function notifyScrapeChanged(
  db: Db,
  { id, workspaceId }: Pick<ScrapeRow, 'id' | 'workspaceId'>,
): Promise<void> {
  await db.execute(sql`select pg_notify(${SCRAPES_CHANNEL}, ${id})`)
  await publishEvents(db, workspaceId, 'scrape', [id])
}
