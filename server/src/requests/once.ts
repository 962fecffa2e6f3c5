import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { ERROR_STATUS } from '@x-automated/contract/errors'
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Database, Db } from '../db/open.ts'
import { Refusal } from '../refusal.ts'
import { createSealer, type Sealer } from '../sealing.ts'
import { idempotencyKeys } from './tables.ts'

/** How long a first answer is repeated (api.md, Idempotency-Key). */
const KEPT_HOURS = 24

/** A request that carries an Idempotency-Key. */
export interface KeyedRequest {
  scope: string
  key: string
  hash: string
  /** Seals what is kept of the answer. */
  sealer: Sealer
}

/**
 * @param secret AUTH_SECRET: bodies may hold passwords, and answers a secret that is shown once, so what is kept of them must tell nothing to who reads the table
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
    sealer: createSealer(secret, 'x-automated idempotency answers'),
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
 * @param isKept false of an answer that says that nothing was there: the same request looks anew
 * @throws Refusal IDEMPOTENCY_KEY_REUSED (another request), IDEMPOTENCY_UNDER_WAY (the first has not ended)
 */
export async function once(
  db: Db,
  request: KeyedRequest,
  effect: (tx: Db) => Promise<unknown>,
  isKept: (answer: unknown) => boolean = () => true,
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
      const answer = await tx.transaction((nested) => effect(nested))
      if (isKept(answer)) await remember(tx, request, { status: ANSWERED, answer })
      return { answer }
    } catch (error) {
      if (!isAnswer(error)) throw error
      await remember(tx, request, refused(error))
      return { refusal: error }
    }
  })
  if (outcome.refusal) throw outcome.refusal
  return outcome.answer
}

/** What an effect outside keeps of itself in its own transactions. */
export interface Keeping {
  /** The answer. Where it is not kept so, it is kept after the effect has ended. */
  remember(tx: Db, answer: unknown): Promise<void>
  progress: Progress
}

/** Where an effect outside does something that must not be done again, though the answer comes later. */
export interface Progress {
  /** What the same request has kept that died before it had an answer; undefined where there was none. */
  begun: unknown
  keep(tx: Db, begun: unknown): Promise<void>
}

/**
 * As `once`, for an effect that also talks to another service and so cannot be one transaction:
 * the key is held by a lock for as long as the effect runs, which takes no connection of the pool.
 */
export async function onceOutside(
  database: Pick<Database, 'db' | 'locks'>,
  request: KeyedRequest,
  effect: (keeping: Keeping) => Promise<unknown>,
): Promise<unknown> {
  const { db, locks } = database
  const letGo = await locks.tryTake(lockOf(request))
  if (!letGo) throw new Refusal('IDEMPOTENCY_UNDER_WAY')
  try {
    const first = await findFirst(db, request)
    const answered = first && firstAnswerOf(first)
    if (answered?.refusal) throw answered.refusal
    if (answered) return answered.answer
    let isKept = false
    try {
      const answer = await effect({
        async remember(tx, value) {
          await remember(tx, request, { status: ANSWERED, answer: value })
          isKept = true
        },
        progress: {
          begun: first?.answer ?? undefined,
          keep: (tx, begun) => remember(tx, request, { status: BEGUN, answer: begun }),
        },
      })
      if (!isKept) await remember(db, request, { status: ANSWERED, answer })
      return answer
    } catch (error) {
      if (!isKept && isAnswer(error)) await remember(db, request, refused(error))
      throw error
    }
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

/** What `status` says of a row. */
const BEGUN = 102
const ANSWERED = 200
const REFUSED = 400

/** Is this a refusal that the same request would get again? Not where its cause passes: too many calls, a session that ran out, a fault. */
function isAnswer(error: unknown): error is Refusal {
  if (!(error instanceof Refusal) || error.retryAfterSeconds !== undefined) return false
  const status = ERROR_STATUS[error.code]
  return status < 500 && status !== 429 && status !== 401
}

function refused({ code, message, details }: Refusal): Stored {
  return { status: REFUSED, answer: { code, message, details } }
}

/** What is kept of this request. @throws Refusal IDEMPOTENCY_KEY_REUSED */
async function findFirst(db: Db, request: KeyedRequest): Promise<Stored | null> {
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
  if (row && row.requestHash !== request.hash) throw new Refusal('IDEMPOTENCY_KEY_REUSED')
  return row ? { status: row.status, answer: opened(request, row.answer) } : null
}

function opened({ sealer }: KeyedRequest, kept: unknown): unknown {
  const { sealed } = (kept ?? {}) as { sealed?: string }
  // Until a day after an update there may be some that were not sealed yet.
  return sealed ? JSON.parse(sealer.open(sealed)) : kept
}

function firstAnswerOf({ status, answer }: Stored): FirstAnswer | null {
  if (status === BEGUN) return null
  if (status === ANSWERED) return { answer: answer ?? undefined }
  const { code, message, details } = answer as Pick<Refusal, 'code' | 'message' | 'details'>
  return { refusal: new Refusal(code, message, { details }) }
}

async function remember(db: Db, request: KeyedRequest, { status, answer }: Stored): Promise<void> {
  const { scope, key, hash, sealer } = request
  const row = { scope, key, requestHash: hash, status, answer: { sealed: sealer.seal(JSON.stringify(answer ?? null)) } }
  await db
    .insert(idempotencyKeys)
    .values(row)
    // Only an expired row can stand here, or one of what this effect has begun: the lock and the look-up came first.
    .onConflictDoUpdate({
      target: [idempotencyKeys.scope, idempotencyKeys.key],
      set: { ...row, createdAt: sql`now()` },
    })
}

/** A lock of its own for each scope and key: the first 63 bits of a hash. */
function lockOf({ scope, key }: KeyedRequest): string {
  return (createHash('sha256').update(`${scope}\n${key}`).digest().readBigUInt64BE() >> 1n).toString()
}
