import { sql } from 'drizzle-orm'
import { leadRemovals } from '../src/core/tables/removals.ts'
import { workers } from '../src/db/tables.ts'
import { jobChanges, jobs } from '../src/domains/platform/jobs/tables.ts'
import { callCounts, idempotencyKeys, rateLimits } from '../src/requests/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes jobs, their undo, idempotency keys, rate limits and processes directly in the database.

/** Registers a process that has died. @returns the process's worker id */
export async function startProcess({ db }: Writer): Promise<number> {
  const [worker] = await db.insert(workers).values({}).returning()
  return worker!.id
}

/** Ends the time in which the job can be undone. */
export async function endJobUndo({ db }: Writer, id: string): Promise<void> {
  await db.update(jobs).set({ undoUntil: sql`now() - interval '1 second'` }).where(matching(jobs, { id }))
}

/** Backdates the jobs' changes to `hours` hours ago. */
export async function ageJobChanges({ db }: Writer, which: Which<typeof jobChanges>, hours: number): Promise<void> {
  const createdAt = sql`now() - make_interval(hours => ${hours})`
  await db.update(jobChanges).set({ createdAt }).where(matching(jobChanges, which))
}

/** Backdates the deletions to `minutes` minutes ago. */
export async function ageRemovals({ db }: Writer, which: Which<typeof leadRemovals>, minutes: number): Promise<void> {
  const createdAt = sql`now() - make_interval(mins => ${minutes})`
  await db.update(leadRemovals).set({ createdAt }).where(matching(leadRemovals, which))
}

/** Backdates the call with this idempotency key to `hours` hours ago. */
export async function ageKey({ db }: Writer, key: string, hours: number): Promise<void> {
  const createdAt = sql`now() - make_interval(hours => ${hours})`
  await db.update(idempotencyKeys).set({ createdAt }).where(matching(idempotencyKeys, { key }))
}

/** Marks the call with this key as begun, as if its process had died before responding. @param answer what it began */
export async function loseResponse({ db }: Writer, key: string, answer: string): Promise<void> {
  await db.update(idempotencyKeys).set({ status: 102, answer }).where(matching(idempotencyKeys, { key }))
}

/** Resets all shared rate limits. */
export async function resetRateLimits({ db }: Writer): Promise<void> {
  await db.delete(rateLimits)
}

/** Adds `calls` calls of a user in this minute, as if another process had counted them. */
export async function countCalls({ db }: Writer, userId: string, calls: number): Promise<void> {
  await db.insert(callCounts).values({ userId, minute: Math.floor(Date.now() / 60_000), calls })
}
