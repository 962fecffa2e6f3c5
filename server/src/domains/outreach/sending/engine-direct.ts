import { setTimeout as sleep } from 'node:timers/promises'
import { CONNECTION_LOST, pauseText, refusalText } from '@x-automated/contract/reason'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import type { SendingEnv } from '../sending-settings/service.ts'
import { type Claimed, type Needs, TIMING } from './engine.ts'
import { delayAccount, pauseCampaignsOf, record, send } from './engine-sending.ts'
import { claimDirect, type DirectMessage, RATE_LIMITED_BY_X, withdrawDirect } from './service-direct.ts'
import { recordOutcome } from './service-outcomes.ts'
import { dms } from './tables.ts'

/** The request context that `sendNow` needs. */
type NowContext = Needs & {
  db: Db
  env: SendingEnv
  requestWorker: { workerId(): Promise<number> }
  log: FastifyBaseLogger
  remember(tx: Db, answer: unknown): Promise<void>
  progress?: { begun: unknown; keep(tx: Db, begun: unknown): Promise<void> }
}

/** The request is answered within this time. Sending and settling continue in the background. */
const ANSWER_WITHIN_MS = 25_000
const POLL_MS = 250

/**
 * Sends one message while the caller waits. If it was not sent, it is deleted, so the call can be
 * repeated. @throws Refusal those of claimDirect; DM_FAILED, DM_UNSETTLED, X_UNAVAILABLE
 */
export async function sendNow(context: NowContext, actor: Actor, input: DirectMessage, signal?: AbortSignal) {
  const { db } = context.database
  if (!context.x) throw new Refusal('X_UNAVAILABLE')
  const end = performance.now() + ANSWER_WITHIN_MS
  const begun = context.progress?.begun
  if (typeof begun === 'string' && (await findMessage(db, actor, begun)))
    return answerFrom(await waitForOutcome(db, actor, begun, end, signal))
  const holder = `worker:${await context.requestWorker.workerId()}`
  const claimedAt = performance.now()
  const direct = await claimDirect(db, context.env, actor, input, holder, async (tx, dmId) => {
    await context.progress?.keep(tx, dmId)
  })
  const claimed: Claimed = { ...direct, claimedAt, byHand: true }
  const delivery = deliver(context, actor, claimed, end, signal)
  const answer = await Promise.race([delivery, sleep(Math.max(0, end - performance.now()), null, { ref: false })])
  if (answer) return answer
  delivery.catch((error) => {
    if (!(error instanceof Refusal))
      context.log.error({ err: error, dmId: claimed.id }, 'direct message left to settle')
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
        const { sentAt } = (await findMessage(tx, actor, claimed.id)) as DmOutcome
        const sent = sentAnswer(claimed.id, sentAt as Date)
        await context.remember(tx, sent)
        return sent
      })
      return answer ?? answerFrom(await waitForOutcome(db, actor, claimed.id, end, signal))
    }
    case 'failed':
      await transact(db, (tx) =>
        recordOutcome(tx, claimed, { wasSent: false, reason: verdict.reason, errorMessage: verdict.errorMessage }),
      )
      throw failed(claimed.id, verdict)
    case 'unknown':
    case 'lost':
      await record(db, [{ claimed, verdict, failures: 0 }])
      return answerFrom(await waitForOutcome(db, actor, claimed.id, end, signal))
    case 'skipped':
      await transact(db, (tx) => withdrawDirect(tx, claimed))
      throw new Refusal('LEAD_STATE', refusalText(verdict.reason))
    case 'wait':
    case 'late':
      await transact(db, async (tx) => {
        await withdrawDirect(tx, claimed)
        if (verdict.kind === 'wait')
          await delayAccount(tx, claimed.accountId, sql`${verdict.until.toISOString()}::timestamptz`)
      })
      throw new Refusal('RATE_LIMITED', verdict.kind === 'wait' ? RATE_LIMITED_BY_X : undefined, {
        retryAfterSeconds: Math.max(1, Math.ceil((verdict.until.getTime() - Date.now()) / 1000)),
      })
    case 'later':
      await transact(db, (tx) => withdrawDirect(tx, claimed))
      throw new Refusal('X_UNAVAILABLE')
    case 'stop':
    case 'paused':
      await transact(db, async (tx) => {
        await withdrawDirect(tx, claimed)
        if (verdict.kind === 'stop') await pauseCampaignsOf(tx, claimed.accountId, verdict)
      })
      throw new Refusal(
        'X_NOT_CONNECTED',
        verdict.kind === 'stop' && verdict.reason.code !== 'x_disconnected'
          ? pauseText(verdict.reason, verdict.xMessage)
          : CONNECTION_LOST,
      )
  }
}

type DmOutcome = Pick<typeof dms.$inferSelect, 'id' | 'status' | 'sentAt' | 'reason' | 'errorMessage'>

async function findMessage(db: Db, actor: Actor, id: string): Promise<DmOutcome | null> {
  const [row] = await db
    .select({ id: dms.id, status: dms.status, sentAt: dms.sentAt, reason: dms.reason, errorMessage: dms.errorMessage })
    .from(dms)
    .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
  return row ?? null
}

/**
 * Waits for the outcome of a message. @param end by performance.now()
 * @throws Refusal DM_UNSETTLED: still unknown at `end`
 */
async function waitForOutcome(db: Db, actor: Actor, id: string, end: number, signal?: AbortSignal): Promise<DmOutcome> {
  for (;;) {
    const found = await findMessage(db, actor, id)
    if (found && found.status !== 'queued') return found
    if (!found || performance.now() > end || signal?.aborted) throw unsettled(id)
    await sleep(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

function unsettled(dmId: string): Refusal {
  return new Refusal('DM_UNSETTLED', undefined, { retryAfterSeconds: 5, details: { dmId } })
}

function answerFrom(outcome: DmOutcome) {
  if (outcome.sentAt) return sentAnswer(outcome.id, outcome.sentAt)
  throw failed(outcome.id, outcome)
}

function failed(dmId: string, { reason, errorMessage }: Partial<DmOutcome>): Refusal {
  const text = reason ? refusalText(reason) : (errorMessage ?? undefined)
  return new Refusal('DM_FAILED', text, { details: { dmId } })
}

function sentAnswer(dmId: string, sentAt: Date) {
  return { success: true as const, dmId, status: 'sent' as const, sentAt }
}
