import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Database, Db } from '../db/open.ts'
import { Refusal } from '../refusal.ts'
import { idempotencyKeys } from './tables.ts'

/** How long a first answer is repeated (api.md, Idempotency-Key). */
const KEPT_HOURS = 24

/** A request that carries an Idempotency-Key. */
export interface KeyedRequest {
  scope: string
  key: string
  hash: string
}

/**
 * @param secret AUTH_SECRET: bodies may hold passwords, so what is kept of them must tell nothing to who reads the table
 * @param request method, path and body: the same key with another of these is refused
 */
export function keyedRequest(
  secret: string,
  scope: string,
  key: string,
  request: { method: string; path: string; body: unknown },
): KeyedRequest {
  if (key.length > 255) throw new Refusal('INVALID_INPUT', 'Idempotency-Key is longer than 255 characters')
  return {
    scope,
    key,
    hash: createHmac('sha256', Buffer.from(hkdfSync('sha256', secret, '', 'x-automated idempotency', 32)))
      .update(JSON.stringify([request.method, request.path, request.body ?? null]))
      .digest('base64url'),
  }
}

type FirstAnswer = { answer: unknown; refusal?: undefined } | { refusal: Refusal }
interface Stored {
  status: number
  answer: unknown
}

/**
 * Runs `effect` once for a key, in one transaction with the key itself; the same request again gets the first answer.
 * A refusal takes back what the effect did and is an answer like any other, save 429 and 5xx, which are not kept.
 * @throws Refusal IDEMPOTENCY_KEY_REUSED (another request), IDEMPOTENCY_UNDER_WAY (the first has not ended)
 */
export async function once(db: Db, request: KeyedRequest, effect: (tx: Db) => Promise<unknown>): Promise<unknown> {
  const outcome = await db.transaction(async (tx): Promise<FirstAnswer> => {
    const { rows } = await tx.execute<{ free: boolean }>(
      sql`select pg_try_advisory_xact_lock(${lockOf(request)}::bigint) as free`,
    )
    if (!rows[0]?.free) throw new Refusal('IDEMPOTENCY_UNDER_WAY')
    const first = await findFirstAnswer(tx, request)
    if (first) return first
    try {
      const answer = await tx.transaction((nested) => effect(nested))
      await remember(tx, request, { status: 200, answer })
      return { answer }
    } catch (error) {
      if (!(error instanceof Refusal) || error.retryAfterSeconds !== undefined || NOT_KEPT.has(error.code)) throw error
      await remember(tx, request, {
        status: 400,
        answer: { code: error.code, message: error.message, details: error.details },
      })
      return { refusal: error }
    }
  })
  if (outcome.refusal) throw outcome.refusal
  return outcome.answer
}

/**
 * As `once`, for an effect that also talks to another service and so cannot be one transaction:
 * the key is held by a lock for as long as the effect runs, which takes no connection of the pool, and the answer is kept in the transaction that the effect itself hands to `remember`,
 * or right after it.
 */
export async function onceOutside(
  { db, locks }: Pick<Database, 'db' | 'locks'>,
  request: KeyedRequest,
  effect: (remember: (tx: Db, answer: unknown) => Promise<void>) => Promise<unknown>,
): Promise<unknown> {
  const letGo = await locks.tryTake(lockOf(request))
  if (!letGo) throw new Refusal('IDEMPOTENCY_UNDER_WAY')
  try {
    const first = await findFirstAnswer(db, request)
    if (first?.refusal) throw first.refusal
    if (first) return first.answer
    let kept = false
    const answer = await effect(async (tx, value) => {
      await remember(tx, request, { status: 200, answer: value })
      kept = true
    })
    if (!kept) await remember(db, request, { status: 200, answer })
    return answer
  } finally {
    await letGo()
  }
}

/** Removes answers that are older than they are kept. */
export async function forgetOldAnswers(db: Db): Promise<void> {
  await db
    .delete(idempotencyKeys)
    .where(lt(idempotencyKeys.createdAt, sql`now() - make_interval(hours => ${KEPT_HOURS})`))
}

const NOT_KEPT = new Set<string>([
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
  'X_UNAVAILABLE',
  'NOT_READY',
  'UNAUTHORIZED',
])

async function findFirstAnswer(db: Db, request: KeyedRequest): Promise<FirstAnswer | null> {
  const [row] = await db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.scope, request.scope),
        eq(idempotencyKeys.key, request.key),
        sql`${idempotencyKeys.createdAt} > now() - make_interval(hours => ${KEPT_HOURS})`,
      ),
    )
  if (!row) return null
  if (row.requestHash !== request.hash) throw new Refusal('IDEMPOTENCY_KEY_REUSED')
  if (row.status === 200) return { answer: row.answer ?? undefined }
  const refused = row.answer as { code: Refusal['code']; message: string; details?: unknown }
  return { refusal: new Refusal(refused.code, refused.message, { details: refused.details }) }
}

async function remember(db: Db, request: KeyedRequest, { status, answer }: Stored): Promise<void> {
  const row = { scope: request.scope, key: request.key, requestHash: request.hash, status, answer: answer ?? null }
  await db
    .insert(idempotencyKeys)
    .values(row)
    // Only an expired row can stand here: the lock and the look-up came first.
    .onConflictDoUpdate({
      target: [idempotencyKeys.scope, idempotencyKeys.key],
      set: { ...row, createdAt: sql`now()` },
    })
}

/** A lock of its own for each scope and key: the first 63 bits of a hash. */
function lockOf({ scope, key }: KeyedRequest): string {
  return (createHash('sha256').update(`${scope}\n${key}`).digest().readBigUInt64BE() >> 1n).toString()
}
