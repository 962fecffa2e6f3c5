import { setTimeout as sleep } from 'node:timers/promises'
import type { InputOf } from '@x-automated/contract/contract'
import { CONNECTION_LOST, pauseText, refusalText, type SkipReason } from '@x-automated/contract/reason'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { pauseCampaignsOf } from '../campaigns/pause.ts'
import { endAnswered } from '../replies/stop-answered.ts'
import { dms } from '../tables/messages.ts'
import type { Claimed } from './claim.ts'
import { APP_DAY_USED, claimDirect, RATE_LIMITED_BY_X, withdrawDirect } from './claim-direct.ts'
import { type Needs, send, TIMING } from './deliver.ts'
import { lockEnrollmentsOfLead, lockLeadAndCampaigns } from './locks.ts'
import { OUTCOME_UNKNOWN, record, recordOutcome, saveDays, type Verdict, waitForX } from './record.ts'
import type { SendingEnv } from './sending-state.ts'
import { stopMessages } from './stop.ts'

// By hand

/** The request context that `sendNow` needs. */
export type NowContext = Needs & {
  db: Db
  env: SendingEnv
  requestWorker: { workerId(): Promise<number> }
  log: FastifyBaseLogger
  remember(tx: Db, result: unknown): Promise<void>
  progress?: { begun: unknown; keep(tx: Db, begun: unknown): Promise<void> }
}

/** The request gets a response within this time. After that, sending and settling continue in the background. */
const ANSWER_WITHIN_MS = 25_000
const POLL_MS = 250

/** A message whose author waits until it is sent. */
interface ManualMessage<Result> {
  /** Inserts and claims the message. @param keep runs in the same transaction */
  claim(db: Db, holder: string, keep: (tx: Db, dmId: string) => Promise<void>): Promise<Omit<Claimed, 'claimedAt'>>
  /** The result for the caller once the message is sent. */
  resultOf(db: Db, dmId: string, sentAt: Date): Promise<Result>
  /** The refusal if the lead may no longer be messaged. */
  refusalOf(db: Db, reason: SkipReason): Promise<Refusal>
}

/** Sends a direct message. @throws Refusal see claimDirect and sendByHand */
export function sendNow(context: NowContext, actor: Actor, input: InputOf<'messages', 'send'>, signal?: AbortSignal) {
  return sendByHand(
    context,
    actor,
    {
      claim: (db, holder, keep) => claimDirect(db, context.env, actor, input, holder, keep),
      resultOf: async (_, dmId, sentAt) => ({ success: true as const, dmId, status: 'sent' as const, sentAt }),
      refusalOf: async (_, reason) => new Refusal('LEAD_STATE', refusalText(reason)),
    },
    signal,
  )
}

/**
 * Sends one message while the caller waits. A message that was not sent is deleted, so the call can
 * be repeated. @throws Refusal DM_FAILED, DM_UNSETTLED, RATE_LIMITED, X_FUNDS, X_NOT_CONNECTED,
 * X_UNAVAILABLE, and those of `claim` and `refusalOf`
 */
export async function sendByHand<Result>(
  context: NowContext,
  actor: Actor,
  message: ManualMessage<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const { db } = context.database
  if (!context.x) throw new Refusal('X_UNAVAILABLE')
  const end = performance.now() + ANSWER_WITHIN_MS
  const begun = context.progress?.begun
  if (typeof begun === 'string' && (await findMessage(db, actor, begun)))
    return resultFrom(db, message, await waitForOutcome(db, actor, begun, end, signal))
  const holder = `worker:${await context.requestWorker.workerId()}`
  const claimedAt = performance.now()
  const direct = await message.claim(db, holder, async (tx, dmId) => {
    await context.progress?.keep(tx, dmId)
  })
  const claimed: Claimed = { ...direct, claimedAt }
  const delivery = deliver(context, actor, message, claimed, end, signal)
  const result = await Promise.race([delivery, sleep(Math.max(0, end - performance.now()), null, { ref: false })])
  if (result) return result
  delivery.catch((error) => {
    if (!(error instanceof Refusal)) context.log.warn({ err: error, dmId: claimed.id }, 'direct message left to settle')
  })
  throw unsettled(claimed.id)
}

async function deliver<Result>(
  context: NowContext,
  actor: Actor,
  message: ManualMessage<Result>,
  claimed: Claimed,
  end: number,
  signal?: AbortSignal,
): Promise<Result> {
  const { db } = context.database
  const verdict = await send(context, claimed, TIMING).catch(async (error): Promise<never> => {
    await transact(db, (tx) => withdrawDirect(tx, claimed))
    throw error
  })
  switch (verdict.kind) {
    case 'sent': {
      const result = await transact(db, async (tx) => {
        await endWritten(tx, claimed)
        const recorded = await recordOutcome(tx, claimed, { wasSent: true, eventId: verdict.eventId })
        if (!recorded) return null
        const { sentAt } = (await findMessage(tx, actor, claimed.id)) as DmOutcome
        const sent = await message.resultOf(tx, claimed.id, sentAt as Date)
        await context.remember(tx, sent)
        return { sent }
      })
      await saveDays(db, claimed, verdict)
      return result?.sent ?? resultFrom(db, message, await waitForOutcome(db, actor, claimed.id, end, signal))
    }
    case 'failed':
      await transact(db, (tx) =>
        recordOutcome(tx, claimed, { wasSent: false, reason: verdict.reason, errorMessage: verdict.errorMessage }),
      )
      throw failed(claimed.id, verdict)
    case 'unknown':
    case 'unread':
    case 'found':
    case 'lost':
      await transact(db, (tx) => endWritten(tx, claimed))
      await record(db, [{ claimed, verdict, failures: 0 }])
      return resultFrom(db, message, await waitForOutcome(db, actor, claimed.id, end, signal))
    case 'skipped':
      await transact(db, (tx) => withdrawDirect(tx, claimed))
      throw await message.refusalOf(db, verdict.reason)
    case 'wait':
    case 'late':
      await transact(db, async (tx) => {
        await withdrawDirect(tx, claimed)
        if (verdict.kind === 'wait') await waitForX(tx, claimed, verdict)
      })
      if (verdict.kind === 'wait' && verdict.reason === 'funds') throw new Refusal('X_FUNDS', verdict.text)
      throw new Refusal('RATE_LIMITED', textOf(verdict), {
        retryAfterSeconds: Math.max(1, Math.ceil((verdict.until.getTime() - Date.now()) / 1000)),
      })
    case 'later':
      await transact(db, (tx) => withdrawDirect(tx, claimed))
      throw new Refusal('X_UNAVAILABLE')
    case 'stop':
    case 'paused':
      await transact(db, async (tx) => {
        await withdrawDirect(tx, claimed)
        if (verdict.kind === 'stop') await pauseCampaignsOf(tx, claimed, verdict)
      })
      throw new Refusal(
        'X_NOT_CONNECTED',
        verdict.kind === 'stop' && verdict.reason.code !== 'x_disconnected'
          ? pauseText(verdict.reason, verdict.xMessage)
          : CONNECTION_LOST,
      )
  }
}

/** Why a manual message has to wait, as a text; undefined: the default text of RATE_LIMITED. */
function textOf(verdict: Extract<Verdict, { kind: 'wait' | 'late' }>): string | undefined {
  if (verdict.kind === 'late') return undefined
  return verdict.reason === 'app' ? APP_DAY_USED : RATE_LIMITED_BY_X
}

/** Ends the lead's sequences, because a user has written to them by hand. */
async function endWritten(tx: Db, { workspaceId, lead }: Claimed): Promise<void> {
  if (!lead) return
  await lockEnrollmentsOfLead(tx, workspaceId, lead.id)
  await lockLeadAndCampaigns(tx, lead.id)
  await endAnswered(tx, workspaceId, [lead.id], { isReply: false, label: null, until: null, at: new Date() })
  await stopMessages(tx, workspaceId, sql`select ${lead.id}::uuid`)
}

type DmOutcome = Pick<
  typeof dms.$inferSelect,
  'id' | 'status' | 'sentAt' | 'reason' | 'errorMessage' | 'outcomeUnknown'
>

async function findMessage(db: Db, actor: Actor, id: string): Promise<DmOutcome | null> {
  const [row] = await db
    .select({
      id: dms.id,
      status: dms.status,
      sentAt: dms.sentAt,
      reason: dms.reason,
      errorMessage: dms.errorMessage,
      outcomeUnknown: dms.outcomeUnknown,
    })
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
    const outcome = await findMessage(db, actor, id)
    if (outcome && outcome.status !== 'queued') return outcome
    if (!outcome || performance.now() > end || signal?.aborted) throw unsettled(id)
    await sleep(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

function unsettled(dmId: string): Refusal {
  return new Refusal('DM_UNSETTLED', undefined, { retryAfterSeconds: 5, details: { dmId } })
}

function resultFrom<Result>(db: Db, message: ManualMessage<Result>, outcome: DmOutcome): Promise<Result> {
  if (outcome.sentAt) return message.resultOf(db, outcome.id, outcome.sentAt)
  if (outcome.outcomeUnknown) throw new Refusal('DM_UNSETTLED', OUTCOME_UNKNOWN, { details: { dmId: outcome.id } })
  throw failed(outcome.id, outcome)
}

function failed(dmId: string, { reason, errorMessage }: Partial<DmOutcome>): Refusal {
  const text = reason ? refusalText(reason) : (errorMessage ?? undefined)
  return new Refusal('DM_FAILED', text, { details: { dmId } })
}
