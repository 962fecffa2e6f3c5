import type { InputOf } from '@x-automated/contract/contract'
import { eq, inArray } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { optOutWordsOf } from '../../../core/classifier/classify-replies.ts'
import { findAccount } from '../../../core/messages/accounts.ts'
import { type AccountLimits, clockOf, minuteOf } from '../../../core/messages/limits.ts'
import {
  findLimits,
  findSendingState,
  protectionOf,
  type SendingEnv,
  warmUpOf,
} from '../../../core/messages/sending-state.ts'
import type { Db } from '../../../db/open.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { list } from '../../platform/x-account/x-account.ts'
import { OPERATOR_APP_ID } from '../../platform/x-apps/tables.ts'
import { findAppId, findUse } from '../../platform/x-apps/x-apps.ts'
import { replySettings, sendingLimits, sendingSettings } from './tables.ts'

// The settings

/** The sending settings of each connected X account or, if there is none, of the extension. */
export async function find(db: Db, env: SendingEnv, actor: Actor) {
  const connected = (await list(db, actor)).accounts
  const ids = connected.map(({ id }) => id)
  const rows = ids.length > 0 ? await db.select().from(xAccounts).where(inArray(xAccounts.id, ids)) : []
  const set = await db
    .select({ xAccountId: sendingLimits.xAccountId })
    .from(sendingLimits)
    .where(eq(sendingLimits.workspaceId, actor.workspaceId))
  const senders = ids.length > 0 ? ids.map((id) => rows.find((row) => row.id === id) ?? null) : [null]
  const accounts = []
  for (const account of senders) {
    const state = await findSendingState(db, env, { workspaceId: actor.workspaceId, account, channel: 'api' })
    const { accountLimits, cap, cooldown, sentInDay, countedInDay, appShare } = state
    const warmUpNow = warmUpOf(env, state)
    accounts.push({
      xAccountId: account?.id ?? null,
      handle: account?.handle ?? null,
      ...windowOf(accountLimits),
      dailyCap: accountLimits.dailyCap,
      warmUp: accountLimits.warmUp,
      pauseSeconds: accountLimits.pauseSeconds,
      isDefault: !set.some(({ xAccountId }) => xAccountId === (account?.id ?? null)),
      sentInDay,
      countedInDay,
      capNow: cap.cap,
      warmingUp: warmUpNow !== null,
      warmUpNow,
      appShare: account?.xAppId === OPERATOR_APP_ID ? appShare : null,
      waitingFor: cooldown,
    })
  }
  const [own] = await db
    .select({ settings: sendingSettings, liftedBy: authUsers.name })
    .from(sendingSettings)
    .leftJoin(authUsers, eq(authUsers.id, sendingSettings.basisLiftedBy))
    .where(eq(sendingSettings.workspaceId, actor.workspaceId))
  const xAppId = await findAppId(db, actor.workspaceId)
  return {
    accounts,
    xApp: { isOwn: xAppId !== OPERATOR_APP_ID, ...(await findUse(db, env, xAppId)) },
    limits: { dailyCap: env.dailyDmCap, pauseSeconds: env.sendIntervalSeconds },
    optOutWords: await optOutWordsOf(db, actor.workspaceId),
    basis: {
      required: own?.settings.basisRequired ?? env.isRealX,
      isRealX: env.isRealX,
      liftedBy: own?.liftedBy ?? null,
      liftedAt: own?.settings.basisLiftedAt ?? null,
    },
    protection: protectionOf(own?.settings),
  }
}

/** The sending window of an account with these limits. */
export function windowOf({ timeZone, workDays, startMinute, endMinute }: AccountLimits) {
  const isAllDay = startMinute === null || endMinute === null
  const hours = isAllDay ? null : { start: clockOf(startMinute), end: clockOf(endMinute) }
  return { timeZone, workDays: [...workDays], hours }
}

/** Sets an account's limits; a trigger makes it due again. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function saveLimits(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { xAccountId, hours, ...input }: InputOf<'sendingSettings', 'saveLimits'>,
) {
  return db.transaction(async (tx) => {
    if (xAccountId) await findAccount(tx, actor.workspaceId, xAccountId)
    // Default warm-up starts with the first message ever. Turning warm-up on restarts it now.
    const before = await findLimits(tx, env, actor.workspaceId, xAccountId)
    const accountLimits = {
      ...input,
      startMinute: hours ? minuteOf(hours.start) : null,
      endMinute: hours ? minuteOf(hours.end) : null,
      warmUpSince: !input.warmUp ? null : before.warmUp ? before.warmUpSince : new Date(),
      updatedAt: new Date(),
    }
    await tx
      .insert(sendingLimits)
      .values({ workspaceId: actor.workspaceId, xAccountId, ...accountLimits })
      .onConflictDoUpdate({ target: [sendingLimits.workspaceId, sendingLimits.xAccountId], set: accountLimits })
    return find(tx, env, actor)
  })
}

/** Sets the workspace's own opt-out words, ignoring case and duplicates. */
export async function saveOptOutWords(db: Db, env: SendingEnv, actor: Actor, words: string[]) {
  const own = [...new Map(words.map((word) => [word.toLowerCase(), word])).values()]
  const { workspaceId } = actor
  if (own.length === 0) await db.delete(replySettings).where(eq(replySettings.workspaceId, workspaceId))
  else
    await db
      .insert(replySettings)
      .values({ workspaceId, optOutWords: own })
      .onConflictDoUpdate({ target: replySettings.workspaceId, set: { optOutWords: own } })
  return find(db, env, actor)
}

/** Restricts campaigns to leads with a contact basis, or lifts the restriction. Queued messages are not affected. */
export async function saveBasis(db: Db, env: SendingEnv, actor: Actor, required: boolean) {
  const basis = {
    basisRequired: required,
    basisLiftedBy: required ? null : actor.userId,
    basisLiftedAt: required ? null : new Date(),
    updatedAt: new Date(),
  }
  await db
    .insert(sendingSettings)
    .values({ workspaceId: actor.workspaceId, ...basis })
    .onConflictDoUpdate({ target: sendingSettings.workspaceId, set: basis })
  return find(db, env, actor)
}

/** Sets the limits at which campaigns pause automatically. They apply from the next message. */
export async function saveProtection(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  protection: InputOf<'sendingSettings', 'saveProtection'>,
) {
  const set = { ...protection, updatedAt: new Date() }
  await db
    .insert(sendingSettings)
    .values({ workspaceId: actor.workspaceId, ...set })
    .onConflictDoUpdate({ target: sendingSettings.workspaceId, set })
  return find(db, env, actor)
}
