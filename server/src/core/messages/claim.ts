import type { WaitReason } from '@x-automated/contract/outreach/sending-settings'
import { leftoverIn } from '@x-automated/contract/outreach/template'
import type { SkipReason } from '@x-automated/contract/reason'
import type { Db } from '../../db/open.ts'
import { type AccountApp, type Locked, lockDue, lockFor } from './account-lock.ts'
import { leaseNext } from './lease.ts'
import { reschedule } from './schedule.ts'
import type { Sender } from './sender.ts'
import type { SendingEnv } from './sending-state.ts'

/** The result of a claim: a message, or why there is none. */
export type Answer =
  | ({ kind: 'claimed' } & ClaimedMessage)
  /** `isTurn`: an older campaign of the account sends first. */
  | { kind: 'wait'; until: Date; reason: WaitReason | null; now: Date; isTurn?: true; locked: Locked }
  /** Nothing can be claimed now. `locked`: null if the campaign may not send. */
  | { kind: 'nothing'; locked: Locked | null }
  /** No due account is free. */
  | { kind: 'idle' }

/**
 * A message that can never be sent as it is. `claimSendable` ends it. `delays`: how many messages
 * the transaction has postponed before this one.
 */
export type Unsendable = { kind: 'unsendable'; id: string; locked: Locked; delays: number } & (
  | {
      why: 'placeholder'
      lease: string
      /** The variable that was not filled in. */
      leftover: string
      /** The campaign to pause; null: only this message is skipped. */
      campaignId: string | null
    }
  | { why: 'no lead'; lease: string }
  | { why: 'stopped'; reason: SkipReason }
)

export interface ClaimedMessage {
  id: string
  lease: string
  leaseExpiresAt: Date
  message: string
  /** Null if the lead was deleted. */
  lead: { id: string; handle: string; xUserId: string | null; isIdChecked: boolean } | null
  suppressed: SkipReason | null
  /** When an earlier attempt may first have sent it; null: no attempt was made. */
  triedSince: Date | null
  /** Since that attempt, a person has looked at the conversation and queued the message again. */
  isDecided: boolean
  /** The interval to the account's next message, in seconds. */
  pauseSeconds: number
  sender: Sender
  locked: Locked
}

/** The campaign to claim from, which the caller has locked, optionally limited to one message. */
export interface Scope {
  /** `xAccountId` is the account whose follow-ups are claimed, or that sends the first messages. */
  campaign: { id: string; workspaceId: string; xAccountId: string | null }
  isFollowUp?: boolean
  dmId?: string
}

/** The maximum number of messages that a transaction postpones because it is too soon to message their leads. */
const DELAYS_MAX = 50

/**
 * Claims the next message of a campaign, or of the account that has been due longest, if the
 * account's limits allow it and no older campaign sends first. Senders call `claimSendable`.
 * @param ended the message that the transaction's previous claim returned, if it has been ended since
 */
export async function claim(
  tx: Db,
  env: SendingEnv,
  sender: Sender,
  scope: Scope | 'due',
  ended?: Unsendable,
): Promise<Answer | Unsendable> {
  const locked =
    ended?.locked ??
    (scope === 'due'
      ? await lockDue(tx, env)
      : await lockFor(tx, env, sender, scope.campaign, scope.isFollowUp ?? false))
  if (!locked) return { kind: 'idle' }
  const { account, campaignId, now } = locked
  let delays = ended?.delays ?? 0
  let next: Awaited<ReturnType<typeof leaseNext>>
  do {
    next = campaignId ? await leaseNext(tx, env, sender, locked, scope === 'due' ? null : scope.dmId) : null
  } while (next?.isDelayed && delays++ < DELAYS_MAX)
  if (next?.lease) {
    const { id, lease, lead, message, isOfCampaign } = next
    const leftover = lead && !next.isFilled ? leftoverIn(message) : null
    const unsendable = { kind: 'unsendable', id, lease, locked, delays } as const
    if (leftover) return { ...unsendable, why: 'placeholder', leftover, campaignId: isOfCampaign ? campaignId : null }
    if (!lead && sender.skips) return { ...unsendable, why: 'no lead' }
    return { kind: 'claimed', ...next, lease, sender, locked }
  }
  if (next?.stopped && !next.isWaiting && !next.isLocked)
    return { kind: 'unsendable', id: next.id, locked, delays, why: 'stopped', reason: next.stopped }
  const waitMs = next?.waitMs ?? null
  const until = waitMs === null ? (next?.until ?? null) : new Date(now.getTime() + waitMs)
  // Unlike `until`, this ignores when this message is due: another message of the account may be due earlier.
  const limitedUntil = waitMs === null ? (next?.limitedUntil ?? null) : until
  if (scope === 'due' && account) await reschedule(tx, account.id, now, limitedUntil)
  if (!until) return { kind: 'nothing', locked }
  const reason = waitMs === null ? (next?.limitedBy ?? null) : null
  return { kind: 'wait', until, reason, now, locked, ...(next?.isWaiting ? { isTurn: true } : {}) }
}

/**
 * The X id of the account that has to be read before its follow-up; null: no read is needed, or one
 * has been requested.
 */
export function unreadAccountOf(result: Answer): string | null {
  if (result.kind === 'idle' || !result.locked?.needsRead) return null
  return result.locked.account?.xUserId ?? null
}

/** A message that this process has claimed. */
export interface Claimed extends Omit<ClaimedMessage, 'leaseExpiresAt' | 'locked'> {
  campaignId: string
  workspaceId: string
  /** The X account that sends it. */
  accountId: string
  /** That account's user id at X. */
  senderId: string
  app: AccountApp
  /** `performance.now()` before the claim began. */
  claimedAt: number
  /** `performance.now()` once every other transaction sees the claim; by default `claimedAt`. */
  visibleAt?: number
}

/** Adds its account, app and campaign to a claimed message. @throws Error if one of them is missing */
export function claimedFrom({ locked, leaseExpiresAt: _, ...message }: ClaimedMessage): Omit<Claimed, 'claimedAt'> {
  const { account, app, campaignId, workspaceId } = locked
  if (!account || !app || !campaignId) throw new Error('a worker claimed without an account')
  return { ...message, campaignId, workspaceId, accountId: account.id, senderId: account.xUserId, app }
}

/** Seconds from one time to another. */
export function secondsOf({ until, now }: { until: Date; now: Date }): number {
  return (until.getTime() - now.getTime()) / 1_000
}
