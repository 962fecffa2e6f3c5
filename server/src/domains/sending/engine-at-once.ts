import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import type { SendingEnv } from '../sending-settings/service.ts'
import { CONNECTION_LOST } from '../x-account/service.ts'
import { type Claimed, type Needs, TIMING } from './engine.ts'
import { pauseCampaignsOf, record, rest, send } from './engine-sending.ts'
import { claimDirect, type DirectMessage, withdrawDirect, X_ALLOWS_NO_MORE } from './service-by-hand.ts'
import { recordOutcome } from './service-outcomes.ts'
import { dms } from './tables.ts'

/** What a request that sends itself works with. */
type NowContext = Needs & {
  db: Db
  env: SendingEnv
  requestWorker: { workerId(): Promise<number> }
  log: FastifyBaseLogger
  remember(tx: Db, answer: unknown): Promise<void>
  progress?: { begun: unknown; keep(tx: Db, begun: unknown): Promise<void> }
}

/** A request is answered within this time. Sending and settling a message may take longer, and go on without it. */
const ANSWER_WITHIN_MS = 25_000
const LOOK_MS = 250

/**
 * Sends one message while the caller waits, by the same steps as a worker. What is certainly not sent leaves nothing behind, so that it may be asked for again;
 * where nobody knows, the message is settled as any other, and this waits for it for a while. The same Idempotency-Key sends nothing twice, however the first call ended.
 * @throws Refusal those of claimDirect; DM_FAILED, DM_UNSETTLED, X_UNAVAILABLE
 */
export async function sendNow(context: NowContext, actor: Actor, input: DirectMessage, signal?: AbortSignal) {
  const { db } = context.database
  if (!context.x) throw new Refusal('X_UNAVAILABLE')
  const end = performance.now() + ANSWER_WITHIN_MS
  const begun = context.progress?.begun
  if (typeof begun === 'string' && (await findOutcome(db, actor, begun)))
    return answerOf(await outcomeOf(db, actor, begun, end, signal))
  const holder = `worker:${await context.requestWorker.workerId()}`
  const claimedAt = performance.now()
  const made = await claimDirect(db, context.env, actor, input, holder, async (tx, dmId) => {
    await context.progress?.keep(tx, dmId)
  })
  const claimed: Claimed = { ...made, claimedAt, byHand: true }
  const delivery = deliver(context, actor, claimed, end, signal)
  const answer = await Promise.race([delivery, sleep(Math.max(0, end - performance.now()), null, { ref: false })])
  if (answer) return answer
  delivery.catch((error) => {
    if (!(error instanceof Refusal)) context.log.error({ err: error, dmId: claimed.id }, 'a message was left to settle')
  })
  throw unsettled(claimed.id)
}

async function deliver(context: NowContext, actor: Actor, claimed: Claimed, end: number, signal?: AbortSignal) {
  const { db } = context.database
  const verdict = await send(context, claimed, TIMING).catch(async (error): Promise<never> => {
    await transact(db, (tx) => withdrawDirect(tx, claimed))
    throw error
  })
  switch (verdict.kind) {
    case 'sent': {
      const answer = await transact(db, async (tx) => {
        const recorded = await recordOutcome(tx, claimed, { wasSent: true, eventId: verdict.eventId })
        if (!recorded) return null
        const { sentAt } = (await findOutcome(tx, actor, claimed.id)) as DmOutcome
        const sent = sentAnswer(claimed.id, sentAt as Date)
        await context.remember(tx, sent)
        return sent
      })
      return answer ?? answerOf(await outcomeOf(db, actor, claimed.id, end, signal))
    }
    case 'failed':
      await transact(db, (tx) => recordOutcome(tx, claimed, { wasSent: false, errorMessage: verdict.reason }))
      throw new Refusal('DM_FAILED', verdict.reason, { details: { dmId: claimed.id } })
    case 'unknown':
    case 'lost':
      await record(db, [{ claimed, verdict, failures: 0 }])
      return answerOf(await outcomeOf(db, actor, claimed.id, end, signal))
    case 'skipped':
      await transact(db, (tx) => withdrawDirect(tx, claimed))
      throw new Refusal('LEAD_STATE', verdict.reason.replace(/^Skipped: this/, 'This'))
    case 'wait':
    case 'late':
      await transact(db, async (tx) => {
        await withdrawDirect(tx, claimed)
        if (verdict.kind === 'wait') await rest(tx, claimed.accountId, sql`${verdict.until.toISOString()}::timestamptz`)
      })
      throw new Refusal('RATE_LIMITED', verdict.kind === 'wait' ? X_ALLOWS_NO_MORE : undefined, {
        retryAfterSeconds: Math.max(1, Math.ceil((verdict.until.getTime() - Date.now()) / 1000)),
      })
    case 'later':
      await transact(db, (tx) => withdrawDirect(tx, claimed))
      throw new Refusal('X_UNAVAILABLE')
    case 'stop':
    case 'paused':
      await transact(db, async (tx) => {
        await withdrawDirect(tx, claimed)
        if (verdict.kind === 'stop') await pauseCampaignsOf(tx, claimed.accountId, verdict.reason)
      })
      throw new Refusal('X_NOT_CONNECTED', verdict.kind === 'stop' ? verdict.reason : CONNECTION_LOST)
  }
}

type DmOutcome = Pick<typeof dms.$inferSelect, 'id' | 'status' | 'sentAt' | 'errorMessage'>

async function findOutcome(db: Db, actor: Actor, id: string): Promise<DmOutcome | null> {
  const [row] = await db
    .select({ id: dms.id, status: dms.status, sentAt: dms.sentAt, errorMessage: dms.errorMessage })
    .from(dms)
    .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
  return row ?? null
}

/** What became of a message, once that is known. @param end by performance.now() @throws Refusal DM_UNSETTLED: it still is not */
async function outcomeOf(db: Db, actor: Actor, id: string, end: number, signal?: AbortSignal): Promise<DmOutcome> {
  for (;;) {
    const found = await findOutcome(db, actor, id)
    if (found && found.status !== 'queued') return found
    if (!found || performance.now() > end || signal?.aborted) throw unsettled(id)
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

function unsettled(dmId: string): Refusal {
  return new Refusal('DM_UNSETTLED', undefined, { retryAfterSeconds: 5, details: { dmId } })
}

function answerOf({ id, sentAt, errorMessage }: DmOutcome) {
  if (sentAt) return sentAnswer(id, sentAt)
  throw new Refusal('DM_FAILED', errorMessage ?? undefined, { details: { dmId: id } })
}

function sentAnswer(dmId: string, sentAt: Date) {
  return { success: true as const, dmId, status: 'sent' as const, sentAt }
}
