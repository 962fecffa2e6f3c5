import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { ERROR_STATUS } from '@x-automated/contract/errors'
import { and, eq, gt, not, or, type SQL, sql } from 'drizzle-orm'
import type { Database, Db } from '../db/open.ts'
import { Refusal } from '../refusal.ts'
import { createSealer, type Sealer } from '../sealing.ts'
import { idempotencyKeys } from './tables.ts'

/** How long the first response is repeated. */
const KEPT_HOURS = 24
const isUnexpired = gt(idempotencyKeys.createdAt, sql`now() - make_interval(hours => ${KEPT_HOURS})`)

/** A request that carries an Idempotency-Key. */
interface KeyedRequest {
  scope: string
  key: string
  hash: string
  /** Encrypts the stored response. */
  sealer: Sealer
}

/**
 * Describes a request with a key. @param secret AUTH_SECRET, to protect stored requests (passwords)
 * and responses (one-time secrets) @param request method, path and body: reusing the key for another
 * request is rejected
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
    sealer: createSealer(secret, 'x-automated idempotency answers'),
  }
}

type FirstAnswer = { answer: unknown; refusal?: undefined } | { refusal: Refusal }
interface Stored {
  status: number
  answer: unknown
}

/** Deletes stored responses. @param which a condition on idempotency_keys */
export async function deleteAnswers(tx: Db, which: SQL): Promise<void> {
  await tx.delete(idempotencyKeys).where(which)
}

/**
 * Runs `effect` once per key, in one transaction with the key. Repeats get the first response, even
 * a refusal, except 401, 429, 5xx and what `isKept` rejects. @throws Refusal IDEMPOTENCY_*
 */
export async function once(
  db: Db,
  request: KeyedRequest,
  effect: (tx: Db) => Promise<unknown>,
  isKept: (result: unknown) => boolean = () => true,
): Promise<unknown> {
  const outcome = await db.transaction(async (tx): Promise<FirstAnswer> => {
    const { rows } = await tx.execute<{ free: boolean }>(
      sql`select pg_try_advisory_xact_lock(${lockOf(request)}::bigint) as free`,
    )
    if (!rows[0]?.free) throw new Refusal('IDEMPOTENCY_UNDER_WAY')
    const first = await findFirst(tx, request)
    const answered = first && firstAnswerOf(first)
    if (answered) return answered
    try {
      const result = await tx.transaction((nested) => effect(nested))
      if (isKept(result)) await remember(tx, request, { status: ANSWERED, answer: result })
      return { answer: result }
    } catch (error) {
      if (!isAnswer(error)) throw error
      await remember(tx, request, refused(error))
      return { refusal: error }
    }
  })
  if (outcome.refusal) throw outcome.refusal
  return outcome.answer
}

/** What an external effect can store in its own transactions. */
interface Keeping {
  /**
   * Stores the response. Without this call, it is stored after the effect ends. @throws Refusal
   * IDEMPOTENCY_UNDER_WAY: a request that took a lost lock has stored its response in the meantime
   */
  remember(tx: Db, result: unknown): Promise<void>
  progress: Progress
}

/** Steps of an external effect that a retry must not repeat. */
export interface Progress {
  /** Progress that an earlier attempt stored before it ended without a response, or undefined. */
  begun: unknown
  keep(tx: Db, begun: unknown): Promise<void>
}

/**
 * Like `once`, for an effect that cannot be one transaction, such as one that calls another service.
 * An advisory lock holds the key while the effect runs, without occupying a pooled connection.
 */
export async function onceOutside(
  database: Pick<Database, 'db' | 'locks'>,
  request: KeyedRequest,
  effect: (keeping: Keeping) => Promise<unknown>,
  isKept: (result: unknown) => boolean = () => true,
): Promise<unknown> {
  const { db, locks } = database
  const release = await locks.tryTake(lockOf(request))
  if (!release) throw new Refusal('IDEMPOTENCY_UNDER_WAY')
  try {
    const first = await findFirst(db, request)
    const answered = first && firstAnswerOf(first)
    if (answered?.refusal) throw answered.refusal
    if (answered) return answered.answer
    let isStored = false
    try {
      const result = await effect({
        async remember(tx, value) {
          if (!(await remember(tx, request, { status: ANSWERED, answer: value })))
            throw new Refusal('IDEMPOTENCY_UNDER_WAY')
          isStored = true
        },
        progress: {
          begun: first?.answer ?? undefined,
          async keep(tx, begun) {
            await remember(tx, request, { status: BEGUN, answer: begun })
          },
        },
      })
      if (!isStored && isKept(result)) await remember(db, request, { status: ANSWERED, answer: result })
      return result
    } catch (error) {
      if (!isStored && isAnswer(error)) await remember(db, request, refused(error))
      throw error
    }
  } finally {
    await release()
  }
}

/** Deletes expired idempotency keys. */
export async function purgeIdempotencyKeys(db: Db): Promise<void> {
  await db.delete(idempotencyKeys).where(not(isUnexpired))
}

/** Values of `status`. */
const BEGUN = 102
const ANSWERED = 200
const REFUSED = 400

/** Whether retries get this error, too. They do not get rate limits, expired sessions and faults. */
function isAnswer(error: unknown): error is Refusal {
  if (!(error instanceof Refusal) || error.retryAfterSeconds !== undefined) return false
  const status = ERROR_STATUS[error.code]
  return status < 500 && status !== 429 && status !== 401
}

function refused({ code, message, details }: Refusal): Stored {
  return { status: REFUSED, answer: { code, message, details } }
}

/** Finds the stored response to this request. @throws Refusal IDEMPOTENCY_KEY_REUSED */
async function findFirst(db: Db, request: KeyedRequest): Promise<Stored | null> {
  const [row] = await db
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.scope, request.scope), eq(idempotencyKeys.key, request.key), isUnexpired))
  if (row && row.requestHash !== request.hash) throw new Refusal('IDEMPOTENCY_KEY_REUSED')
  return row ? { status: row.status, answer: opened(request, row.answer) } : null
}

function opened({ sealer }: KeyedRequest, stored: unknown): unknown {
  const { sealed } = (stored ?? {}) as { sealed?: string }
  // Responses stored by older versions were not encrypted.
  return sealed ? JSON.parse(sealer.open(sealed)) : stored
}

function firstAnswerOf({ status, answer: result }: Stored): FirstAnswer | null {
  if (status === BEGUN) return null
  if (status === ANSWERED) return { answer: result ?? undefined }
  const { code, message, details } = result as Pick<Refusal, 'code' | 'message' | 'details'>
  return { refusal: new Refusal(code, message, { details }) }
}

/** Stores a response or progress. @returns false if a response is stored already */
async function remember(db: Db, request: KeyedRequest, { status, answer: result }: Stored): Promise<boolean> {
  const { scope, key, hash, sealer } = request
  const row = { scope, key, requestHash: hash, status, answer: { sealed: sealer.seal(JSON.stringify(result ?? null)) } }
  const { rowCount } = await db
    .insert(idempotencyKeys)
    .values(row)
    .onConflictDoUpdate({
      target: [idempotencyKeys.scope, idempotencyKeys.key],
      set: { ...row, createdAt: sql`now()` },
      setWhere: or(eq(idempotencyKeys.status, BEGUN), not(isUnexpired)),
    })
  return rowCount === 1
}

/** The lock key of a scope and key: the first 63 bits of a hash. */
function lockOf({ scope, key }: KeyedRequest): string {
  return (createHash('sha256').update(`${scope}\n${key}`).digest().readBigUInt64BE() >> 1n).toString()
}
