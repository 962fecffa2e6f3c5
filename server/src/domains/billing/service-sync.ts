import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import type { Env } from '../../env.ts'
import type { Outbox } from '../../jobs/mail.ts'
import {
  type PaidSubscription,
  type PaymentEvent,
  type Payments,
  PaymentsError,
  type PlanPrice,
} from '../../outside/payments.ts'
import { hashToken } from '../../sealing.ts'
import { notifyOwners } from '../notifications/service.ts'
import { workspaces } from '../workspaces/tables.ts'
import { planWaitsMail } from './mails.ts'
import { bestOf, graceEnd, statusOf } from './rules.ts'
import { workspaceIn } from './service-overview.ts'
import { paidSubscriptions, paymentEvents, paymentLooks, planPrices, subscriptions } from './tables.ts'

/*
 * How a workspace's subscription comes to be what it is at the payment provider.
 *
 * Whatever is heard (a webhook, a happening that was found when the provider was asked, a page that comes back from a payment) only says which subscription
 * to look at: it is read from the provider as it is then. So nothing depends on the order in which things are heard, how often, or whether at all.
 * Of two looks that cross, the one that began later is kept, and the other looks again.
 */

export interface SyncContext {
  /** Null where payments are not configured. */
  payments: Payments | null
  db: Db
  outbox: Outbox
  origin: string
  log: FastifyBaseLogger
  env: Pick<Env, 'authSecret' | 'payments'>
}

type Paid = typeof paidSubscriptions.$inferSelect

/** How often somebody who is overtaken looks again before leaving it to who overtook. */
const LOOKS = 5
const DAY_MS = 86_400_000
/** The provider tells of the end of a trial three days before it. */
const TRIAL_TOLD_BEFORE_MS = 3.5 * DAY_MS

/** Reads a subscription from the provider and keeps it. One that is no plan of ours is passed over. @throws PaymentsError */
export async function lookAtSubscription(context: SyncContext, id: string): Promise<void> {
  const { payments, db } = context
  if (!payments) return
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const { rows } = await db.execute<{ no: string }>(sql`select nextval('payment_read_no') as no`)
    const readNo = Number(rows[0]?.no)
    const found = await payments.findSubscription(id)
    const plan = found && (found.plan ?? (await findKnownPlan(db, found.priceId)))
    if (!found || !plan) return
    const [known] = await db.select().from(paidSubscriptions).where(eq(paidSubscriptions.id, id))
    // A subscription may be heard of before the purchase that it came from is complete: who bought it is asked for until it is somebody's.
    const bought = known?.workspaceId ? null : await payments.findCheckout(id)
    const workspaceId = await transact(db, (tx) => keep(context, tx, { found, plan, bought, readNo }))
    if (workspaceId === 'overtaken') continue
    if (workspaceId) await endDoubles(context, payments, { workspaceId, lookedAt: id })
    return
  }
}

async function findKnownPlan(db: Db, priceId: string): Promise<PlanPrice | null> {
  const [row] = await db.select().from(planPrices).where(eq(planPrices.priceId, priceId))
  return row ?? null
}

interface Look {
  found: PaidSubscription
  plan: PlanPrice
  /** What it was bought with; null where that is known already, or nothing. */
  bought: { reference: string | null; email: string | null } | null
  readNo: number
}

/** @returns the workspace whose it is, null where it is nobody's yet */
async function keep(context: SyncContext, tx: Db, look: Look): Promise<string | null | 'overtaken'> {
  const { found, plan, bought, readNo } = look
  await keepPlans(tx, [plan])
  const isMissing = found.status === 'past_due' || found.status === 'unpaid'
  const missingSince = found.openInvoice?.since ?? new Date()
  const state = {
    customerId: found.customerId,
    status: found.status,
    priceId: found.priceId,
    planId: plan.planId,
    level: plan.level,
    name: plan.name,
    priceCents: plan.amountCents,
    billingCycle: plan.billingCycle,
    startedAt: found.startedAt,
    currentPeriodEnd: found.currentPeriodEnd,
    cancelAtPeriodEnd: found.cancelAtPeriodEnd,
    trialEnd: found.trialEnd,
    payUrl: found.openInvoice?.url ?? null,
    endedAt: found.endedAt,
    readNo,
  }
  const [row] = await tx
    .insert(paidSubscriptions)
    .values({
      ...state,
      id: found.id,
      email: bought?.email ?? found.email,
      pastDueSince: isMissing ? missingSince : null,
    })
    .onConflictDoUpdate({
      target: paidSubscriptions.id,
      // Later invoices go unpaid too: what counts is the first.
      set: {
        ...state,
        pastDueSince: isMissing ? sql`coalesce(${paidSubscriptions.pastDueSince}, excluded.past_due_since)` : null,
        updatedAt: sql`now()`,
      },
      setWhere: lt(paidSubscriptions.readNo, readNo),
    })
    .returning()
  if (!row) return 'overtaken'
  const owned = row.workspaceId ? row : await claim(context, tx, row, bought?.reference ?? null)
  if (owned.workspaceId) await holdBest(tx, owned.workspaceId)
  else await invite(context, tx, owned)
  await tellOfTrial(tx, owned)
  return owned.workspaceId
}

// Whose it is

/** Gives it to the workspace that its link was made for, also where it is heard of only after its end; else, while it runs, to the account whose address the buyer's is. */
async function claim({ env }: SyncContext, tx: Db, row: Paid, reference: string | null): Promise<Paid> {
  const referred = reference ? workspaceIn(env.authSecret, reference) : null
  if (referred) {
    const [workspace] = await tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, referred))
    if (workspace) {
      const [claimed] = await tx
        .update(paidSubscriptions)
        .set({ workspaceId: workspace.id, claimedBy: 'reference' })
        .where(eq(paidSubscriptions.id, row.id))
        .returning()
      return claimed ?? row
    }
  }
  const [workspaceId] = await claimByAddress(tx, row.id)
  return workspaceId ? { ...row, workspaceId } : row
}

/** Gives what is nobody's to the accounts that have proved its buyer's address as theirs. @param id only this one @returns their workspaces */
async function claimByAddress(tx: Db, id: string | null): Promise<string[]> {
  const { rows } = await tx.execute<{ workspaceId: string }>(sql`
    update paid_subscriptions p set workspace_id = w.id, claimed_by = 'address', updated_at = now()
    from auth_users u join workspaces w on w.personal_of = u.id
    where p.workspace_id is null and p.email is not null and p.ended_at is null and p.email = u.email and u.email_verified
      and (${id}::text is null or p.id = ${id})
    returning w.id as "workspaceId"`)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Looks whether payments that are nobody's belong to somebody now. */
export async function claimPayments(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    for (const workspaceId of new Set(await claimByAddress(tx, null))) await holdBest(tx, workspaceId)
  })
}

/** As `claimPayments`, for one workspace: who has just proved an address finds what they paid for, and does not pay again. */
export async function claimWaiting(db: Db, { workspaceId }: Actor): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select p.id from workspaces w join auth_users u on u.id = w.personal_of join paid_subscriptions p on p.email = u.email
    where w.id = ${workspaceId} and u.email_verified and p.workspace_id is null and p.email is not null and p.ended_at is null`)
  if (rows.length === 0) return
  await transact(db, async (tx) => {
    for (const { id } of rows) await claimByAddress(tx, id)
    await holdBest(tx, workspaceId)
  })
}

/** Tells the buyer, once, that what they pay for waits for their account. */
async function invite({ outbox, origin }: SyncContext, tx: Db, row: Paid): Promise<void> {
  if (row.invitedAt || !row.email || row.endedAt || !statusOf(row.status)) return
  await tx.update(paidSubscriptions).set({ invitedAt: sql`now()` }).where(eq(paidSubscriptions.id, row.id))
  await outbox.post(tx, planWaitsMail(row.email, row.name, origin))
}

// What holds

/** Makes the best of what a workspace pays for what it has, and tells its owners where that is news that they have to act on. */
async function holdBest(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('subscription:' || ${workspaceId}::text, 0))`)
  const best = bestOf(await tx.select().from(paidSubscriptions).where(eq(paidSubscriptions.workspaceId, workspaceId)))
  const status = best && statusOf(best.status)
  if (!best || !status) return
  const [before] = await tx.select().from(subscriptions).where(eq(subscriptions.workspaceId, workspaceId))
  // A plan that was given outlasts one that has ended.
  if (status === 'canceled' && before && !before.paidId && before.currentPeriodEnd > new Date()) return
  const wasHeld = before !== undefined && before.status !== 'canceled'
  const isSameEnd = before?.paidId === best.id && before.status === 'canceled'
  const now = new Date()
  // The provider says so only once it is over: whatever its clock shows, it is over.
  const endedAt = isSameEnd ? before.currentPeriodEnd : best.endedAt && best.endedAt < now ? best.endedAt : now
  const state = {
    planId: best.planId,
    level: best.level,
    status,
    currentPeriodEnd: status === 'canceled' ? endedAt : best.currentPeriodEnd,
    cancelAtPeriodEnd: status !== 'canceled' && best.cancelAtPeriodEnd,
    pastDueSince: best.pastDueSince,
    paidId: best.id,
  }
  await tx
    .insert(subscriptions)
    .values({ workspaceId, ...state })
    .onConflictDoUpdate({ target: subscriptions.workspaceId, set: { ...state, updatedAt: sql`now()` } })
  if (status === 'past_due' && best.pastDueSince && before?.pastDueSince?.getTime() !== best.pastDueSince.getTime()) {
    const until = graceEnd(best.pastDueSince).toISOString()
    await notifyOwners(tx, workspaceId, 'payment_failed', { planName: best.name, until })
  }
  if (status === 'canceled' && wasHeld) await notifyOwners(tx, workspaceId, 'plan_ended', { planName: best.name })
}

async function tellOfTrial(tx: Db, { id, workspaceId, status, trialEnd, trialToldAt, name }: Paid): Promise<void> {
  if (!workspaceId || trialToldAt || status !== 'trialing' || !trialEnd) return
  if (trialEnd.getTime() - Date.now() > TRIAL_TOLD_BEFORE_MS) return
  await tx.update(paidSubscriptions).set({ trialToldAt: sql`now()` }).where(eq(paidSubscriptions.id, id))
  await notifyOwners(tx, workspaceId, 'trial_ending', { planName: name, until: trialEnd.toISOString() })
}

/**
 * Who bought twice from inside the product pays twice: of what would be renewed only the best is. What is cancelled already is no double:
 * it makes way for what was bought after it.
 * What was paid without being signed in is let be, as anybody can type an address.
 * @param subject.lookedAt the subscription that was read from the provider last
 */
async function endDoubles(
  context: SyncContext,
  payments: Payments,
  { workspaceId, lookedAt }: { workspaceId: string; lookedAt: string },
): Promise<void> {
  const { db, log } = context
  const rows = await db
    .select()
    .from(paidSubscriptions)
    .where(
      and(
        eq(paidSubscriptions.workspaceId, workspaceId),
        eq(paidSubscriptions.claimedBy, 'reference'),
        eq(paidSubscriptions.cancelAtPeriodEnd, false),
        inArray(paidSubscriptions.status, ['active', 'trialing', 'past_due']),
      ),
    )
  const best = bestOf(rows)
  if (!best || rows.length < 2) return
  // The others end for its sake: it may be over, and nobody has heard of that yet.
  if (best.id !== lookedAt) return lookAtSubscription(context, best.id)
  for (const { id } of rows) {
    if (id === best.id) continue
    log.info({ subscription: id }, 'a second subscription of a workspace is not renewed')
    await payments.setCancelled(id, true)
  }
}

// What is heard

/** Keeps that something has happened, and queues a look at what it is about; what is known already is passed over. */
export async function hear(
  db: Db,
  { id, subscriptionId }: PaymentEvent,
  enqueue: (tx: Db, subscriptionId: string) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const added = await tx.insert(paymentEvents).values({ id }).onConflictDoNothing().returning()
    if (added.length > 0 && subscriptionId) await enqueue(tx, subscriptionId)
  })
}

/** Its clock and ours need not agree, nor need it tell of things in their order. */
const OVERLAP_MS = 10 * 60_000
/** How far back a provider is asked that was never asked: as long as it tries to deliver a webhook. */
const FIRST_LOOK_MS = 3 * DAY_MS

/** Looks at a subscription among others: one that cannot be kept holds up none of them. @returns whether it could @throws PaymentsError: the provider does not answer */
async function lookAmongOthers(context: SyncContext, id: string): Promise<boolean> {
  try {
    await lookAtSubscription(context, id)
    return true
  } catch (error) {
    if (error instanceof PaymentsError && error.kind === 'unavailable') throw error
    context.log.error({ err: error, subscription: id }, 'a subscription could not be looked at')
    return false
  }
}

/**
 * Asks the provider for what has happened since it was asked last, and looks at whatever no webhook has told of.
 * @throws PaymentsError: the provider does not answer; it is asked for the same again
 */
export async function lookAtEvents(context: SyncContext): Promise<void> {
  const { payments, db, env } = context
  if (!payments || !env.payments) return
  const accountHash = hashToken(`${env.payments.apiUrl}\n${env.payments.secretKey}`)
  const [last] = await db.select().from(paymentLooks).where(eq(paymentLooks.accountHash, accountHash))
  const since = last ? last.eventsUntil.getTime() - OVERLAP_MS : Date.now() - FIRST_LOOK_MS
  const events = await payments.listEvents(new Date(since))
  const ids = events.map(({ id }) => id)
  const known = await db.select({ id: paymentEvents.id }).from(paymentEvents).where(inArray(paymentEvents.id, ids))
  const isKnown = new Set(known.map(({ id }) => id))
  const news = events.filter(({ id }) => !isKnown.has(id))
  const failed = new Set<string | null>()
  for (const id of new Set(news.flatMap(({ subscriptionId }) => subscriptionId ?? [])))
    if (!(await lookAmongOthers(context, id))) failed.add(id)
  // What has failed stays news for as long as it is told of again, and is looked at once its period is over.
  const done = news.filter(({ subscriptionId }) => !failed.has(subscriptionId))
  await db.transaction(async (tx) => {
    if (done.length > 0)
      await tx
        .insert(paymentEvents)
        .values(done.map(({ id }) => ({ id })))
        .onConflictDoNothing()
    const eventsUntil = events.at(-1)?.createdAt ?? new Date(since + OVERLAP_MS)
    const lookedAt = sql`now()`
    await tx
      .insert(paymentLooks)
      .values({ accountHash, eventsUntil, lookedAt })
      .onConflictDoUpdate({
        target: paymentLooks.accountHash,
        set: { eventsUntil: sql`greatest(${paymentLooks.eventsUntil}, excluded.events_until)`, lookedAt },
      })
  })
}

/** Of one look; the next one takes others. */
const OVERDUE_BATCH = 50

/** Looks again at subscriptions whose period is over without any news, those first that have waited longest. @throws PaymentsError: the provider does not answer */
export async function lookAtOverdue(context: SyncContext): Promise<void> {
  const anHourAgo = sql`now() - interval '1 hour'`
  const rows = await context.db
    .select({ id: paidSubscriptions.id })
    .from(paidSubscriptions)
    .where(
      and(
        isNull(paidSubscriptions.endedAt),
        lt(paidSubscriptions.currentPeriodEnd, anHourAgo),
        lt(paidSubscriptions.updatedAt, anHourAgo),
      ),
    )
    .orderBy(paidSubscriptions.updatedAt)
    .limit(OVERDUE_BATCH)
  for (const { id } of rows) {
    // Its turn is over, also where nothing comes of it: what the provider has no more would stand before all others for ever.
    await context.db.update(paidSubscriptions).set({ updatedAt: sql`now()` }).where(eq(paidSubscriptions.id, id))
    await lookAmongOthers(context, id)
  }
}

/** Reads what can be bought. Prices that the provider has no more, or sells no more, stay for who has them. @throws PaymentsError */
export async function lookAtPlans(db: Db, payments: Payments): Promise<void> {
  const plans = await payments.listPlans()
  await db.transaction(async (tx) => {
    await tx.update(planPrices).set({ active: false })
    await keepPlans(tx, plans)
  })
}

async function keepPlans(tx: Db, plans: readonly PlanPrice[]): Promise<void> {
  for (const plan of plans)
    await tx
      .insert(planPrices)
      .values(plan)
      .onConflictDoUpdate({ target: planPrices.priceId, set: { ...plan, updatedAt: sql`now()` } })
}

/** Forgets happenings that the provider does not tell of any more. */
export async function forgetOldPaymentEvents(db: Db): Promise<void> {
  await db.delete(paymentEvents).where(sql`${paymentEvents.createdAt} < now() - interval '40 days'`)
}
