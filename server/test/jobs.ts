import { sql } from 'drizzle-orm'
import { leadRemovals } from '../src/core/tables/removals.ts'
import { workers } from '../src/db/tables.ts'
import { jobChanges, jobs } from '../src/domains/platform/jobs/tables.ts'
import { callCounts, idempotencyKeys, rateLimits } from '../src/requests/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// What happens to jobs, to what can be undone, and to the processes that do it.

/** A process that ends without a trace. @returns its number */
export async function startProcess({ db }: Writer): Promise<number> {
  const [worker] = await db.insert(workers).values({}).returning()
  return worker!.id
}

/** The job can no longer be undone. */
export async function endJobUndo({ db }: Writer, id: string): Promise<void> {
  await db.update(jobs).set({ undoUntil: sql`now() - interval '1 second'` }).where(matching(jobs, { id }))
}

/** The jobs made their changes that many hours ago. */
export async function ageJobChanges({ db }: Writer, which: Which<typeof jobChanges>, hours: number): Promise<void> {
  const createdAt = sql`now() - make_interval(hours => ${hours})`
  await db.update(jobChanges).set({ createdAt }).where(matching(jobChanges, which))
}

/** The leads were deleted that many minutes ago. */
export async function ageRemovals({ db }: Writer, which: Which<typeof leadRemovals>, minutes: number): Promise<void> {
  const createdAt = sql`now() - make_interval(mins => ${minutes})`
  await db.update(leadRemovals).set({ createdAt }).where(matching(leadRemovals, which))
}

/** A call with this idempotency key was made that many hours ago. */
export async function ageKey({ db }: Writer, key: string, hours: number): Promise<void> {
  const createdAt = sql`now() - make_interval(hours => ${hours})`
  await db.update(idempotencyKeys).set({ createdAt }).where(matching(idempotencyKeys, { key }))
}

/** The process died before the call with this key could respond. @param answer what it had begun */
export async function loseResponse({ db }: Writer, key: string, answer: string): Promise<void> {
  await db.update(idempotencyKeys).set({ status: 102, answer }).where(matching(idempotencyKeys, { key }))
}

/** Nobody has called anything lately. */
export async function resetRateLimits({ db }: Writer): Promise<void> {
  await db.delete(rateLimits)
}

/** Another process counted calls of a user in this minute. */
export async function countCalls({ db }: Writer, userId: string, calls: number): Promise<void> {
  await db.insert(callCounts).values({ userId, minute: Math.floor(Date.now() / 60_000), calls })
}
