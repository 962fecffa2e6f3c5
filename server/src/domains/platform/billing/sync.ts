import { DAY_MS } from '@x-automated/contract/time'
import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { Email } from '../../../emails/email.ts'
import {
  type PaidSubscription,
  type PaymentEvent,
  type Payments,
  PaymentsError,
  type PlanPrice,
} from '../../../outside/payments.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { hashToken } from '../../../sealing.ts'
import { workspaces } from '../../identity/workspaces/tables.ts'
import { notifyOwners } from '../notifications/notifications.ts'
import { referenceOf, workspaceIn } from './overview.ts'
import { bestOf, graceEnd, statusOf } from './rules.ts'
import { paidSubscriptions, paymentEvents, paymentLooks, planPrices, subscriptions } from './tables.ts'

/*
 * An event only says which subscription to sync; its state is always read from the provider, so
 * events may be lost, repeated or reordered. If two reads overlap, the one that started later wins.
 */

export type SyncContext = Pick<RequestContext, 'payments' | 'db' | 'outbox' | 'origin' | 'log' | 'env'>

type Paid = typeof paidSubscriptions.$inferSelect

/** How many times a sync reads if others keep overtaking it. */
const MAX_READS = 5
/** The provider announces the end of a trial three days before. */
const TRIAL_NOTICE_MS = 3.5 * DAY_MS

/** Stores a subscription as the provider has it, if it is for one of our plans. @throws PaymentsError */
export async function syncSubscription(context: SyncContext, id: string): Promise<void> {
  const { payments, db } = context
  if (!payments) return
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const { rows } = await db.execute<{ no: string }>(sql`select nextval('payment_read_no') as no`)
    const readNo = Number(one(rows).no)
    const subscription = await payments.findSubscription(id)
    const plan = subscription && (subscription.plan ?? (await findKnownPlan(db, subscription.priceId)))
    if (!subscription || !plan) return
    const [stored] = await db.select().from(paidSubscriptions).where(eq(paidSubscriptions.id, id))
    // The checkout may complete after the first event, so look it up until a workspace is known.
    const bought = stored?.workspaceId ? null : await payments.findCheckout(id)
    const workspaceId = await transact(db, (tx) =>
      storeSubscription(context, tx, { found: subscription, plan, bought, readNo }),
    )
    if (workspaceId === 'overtaken') continue
    if (workspaceId && bought && !subscription.endedAt) await expireCheckouts(context, payments, workspaceId)
    if (workspaceId) await cancelDuplicates(context, payments, { workspaceId, syncedId: id })
    return
  }
}

async function findKnownPlan(db: Db, priceId: string): Promise<PlanPrice | null> {
  const [row] = await db.select().from(planPrices).where(eq(planPrices.priceId, priceId))
  return row ?? null
}

interface SubscriptionRead {
  found: PaidSubscription
  plan: PlanPrice
  /** The checkout's reference and email; null if they are not needed or unknown. */
  bought: { reference: string | null; email: string | null } | null
  readNo: number
}

/** @returns the workspace that owns the subscription; null if none does yet; 'overtaken' if a later read was stored */
async function storeSubscription(
  context: SyncContext,
  tx: Db,
  read: SubscriptionRead,
): Promise<string | null | 'overtaken'> {
  const { found: subscription, plan, bought, readNo } = read
  await storePlans(tx, [plan])
  const isMissing = subscription.status === 'past_due' || subscription.status === 'unpaid'
  const missingSince = subscription.openInvoice?.since ?? new Date()
  const state = {
    customerId: subscription.customerId,
    status: subscription.status,
    priceId: subscription.priceId,
    planId: plan.planId,
    level: plan.level,
    name: plan.name,
    priceCents: plan.amountCents,
    billingCycle: plan.billingCycle,
    startedAt: subscription.startedAt,
    currentPeriodEnd: subscription.currentPeriodEnd,
    cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
    trialEnd: subscription.trialEnd,
    payUrl: subscription.openInvoice?.url ?? null,
    endedAt: subscription.endedAt,
    readNo,
  }
  const [row] = await tx
    .insert(paidSubscriptions)
    .values({
      ...state,
      id: subscription.id,
      email: bought?.email ?? subscription.email,
      pastDueSince: isMissing ? missingSince : null,
    })
    .onConflictDoUpdate({
      target: paidSubscriptions.id,
      // Later invoices may be unpaid, too, but the first one counts.
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
  if (owned.workspaceId) await makeBestCurrent(tx, owned.workspaceId)
  else await invite(context, tx, owned)
  await notifyTrialEnd(tx, owned)
  return owned.workspaceId
}

// Ownership

/** Assigns a subscription to its reference's workspace or, while it runs, to the buyer's account. */
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

/**
 * Assigns unowned subscriptions to the account with the buyer's verified address. @param id limits
 * it to one subscription
 */
async function claimByAddress(tx: Db, id: string | null): Promise<string[]> {
  const { rows } = await tx.execute<{ workspaceId: string }>(sql`
    update paid_subscriptions p set workspace_id = w.id, claimed_by = 'address', updated_at = now()
    from auth_users u join workspaces w on w.personal_of = u.id
    where p.workspace_id is null
      and p.email is not null
      and p.ended_at is null
      and p.email = u.email
      and u.email_verified
      and (${id}::text is null or p.id = ${id})
    returning w.id as "workspaceId"`)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Assigns unowned subscriptions to accounts that were created or verified after the purchase. */
export async function claimPayments(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    for (const workspaceId of new Set(await claimByAddress(tx, null))) await makeBestCurrent(tx, workspaceId)
  })
}

/** Like `claimPayments`, but for one workspace, so that a new user does not pay again. */
export async function claimWaiting(db: Db, { workspaceId }: Actor): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select p.id
    from workspaces w
    join auth_users u on u.id = w.personal_of
    join paid_subscriptions p on p.email = u.email
    where w.id = ${workspaceId}
      and u.email_verified
      and p.workspace_id is null
      and p.email is not null
      and p.ended_at is null`)
  if (rows.length === 0) return
  await transact(db, async (tx) => {
    for (const { id } of rows) await claimByAddress(tx, id)
    await makeBestCurrent(tx, workspaceId)
  })
}

/** Emails the buyer once that the plan waits for their account. */
async function invite({ outbox, origin }: SyncContext, tx: Db, row: Paid): Promise<void> {
  if (row.invitedAt || !row.email || row.endedAt || !statusOf(row.status)) return
  await tx.update(paidSubscriptions).set({ invitedAt: sql`now()` }).where(eq(paidSubscriptions.id, row.id))
  await outbox.post(tx, planWaitingEmail(row.email, row.name, origin))
}

// The current subscription

/** Makes a workspace's best subscription the current one, and notifies its owners of problems. */
async function makeBestCurrent(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('subscription:' || ${workspaceId}::text, 0))`)
  const best = bestOf(await tx.select().from(paidSubscriptions).where(eq(paidSubscriptions.workspaceId, workspaceId)))
  const status = best && statusOf(best.status)
  if (!best || !status) return
  const [before] = await tx.select().from(subscriptions).where(eq(subscriptions.workspaceId, workspaceId))
  // A granted plan stays when a subscription ends.
  if (status === 'canceled' && before && !before.paidId && before.currentPeriodEnd > new Date()) return
  const wasHeld = before !== undefined && before.status !== 'canceled'
  const isSameEnd = before?.paidId === best.id && before.status === 'canceled'
  const now = new Date()
  // An end in the future only means that the provider's clock is ahead: it never reports an end before it happens.
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

async function notifyTrialEnd(tx: Db, { id, workspaceId, status, trialEnd, trialToldAt, name }: Paid): Promise<void> {
  if (!workspaceId || trialToldAt || status !== 'trialing' || !trialEnd) return
  if (trialEnd.getTime() - Date.now() > TRIAL_NOTICE_MS) return
  await tx.update(paidSubscriptions).set({ trialToldAt: sql`now()` }).where(eq(paidSubscriptions.id, id))
  await notifyOwners(tx, workspaceId, 'trial_ending', { planName: name, until: trialEnd.toISOString() })
}

/**
 * Cancels all but the best subscription bought from inside the product. Those claimed by address
 * stay, because anyone can type an address. @param subject.syncedId the subscription synced last
 */
async function cancelDuplicates(
  context: SyncContext,
  payments: Payments,
  { workspaceId, syncedId }: { workspaceId: string; syncedId: string },
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
  // Sync the best one first, because it may have ended unnoticed.
  if (best.id !== syncedId) return syncSubscription(context, best.id)
  for (const { id } of rows) {
    if (id === best.id) continue
    log.info({ subscription: id }, "canceling a workspace's second subscription")
    await payments.setCancelled(id, true)
  }
}

/**
 * Expires the workspace's other checkout pages after a purchase. If that fails, a payment made
 * there is canceled later.
 */
async function expireCheckouts({ env, log }: SyncContext, payments: Payments, workspaceId: string): Promise<void> {
  try {
    await payments.expireCheckouts(referenceOf(env.authSecret, workspaceId))
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error
    log.warn({ err: error }, "could not expire a workspace's other checkout pages")
  }
}

// Events

/** Records an event and queues a sync, unless the event is known. */
export async function recordEvent(
  db: Db,
  { id, subscriptionId }: PaymentEvent,
  enqueue: (tx: Db, subscriptionId: string) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const added = await tx.insert(paymentEvents).values({ id }).onConflictDoNothing().returning()
    if (added.length > 0 && subscriptionId) await enqueue(tx, subscriptionId)
  })
}

/** Allows for clock differences and unordered events. */
const OVERLAP_MS = 10 * 60_000
/** How far back the first poll goes: as long as the provider retries webhooks. */
const FIRST_POLL_MS = 3 * DAY_MS

/**
 * Syncs one subscription, so that its failure does not block others. @returns whether it succeeded
 * @throws PaymentsError if the provider is unavailable
 */
async function syncOneOfMany(context: SyncContext, id: string): Promise<boolean> {
  try {
    await syncSubscription(context, id)
    return true
  } catch (error) {
    if (error instanceof PaymentsError && error.kind === 'unavailable') throw error
    context.log.warn({ err: error, subscription: id }, 'could not sync a subscription')
    return false
  }
}

/**
 * Syncs events missed since the last poll, and purchases whose job has not run yet. @throws
 * PaymentsError if the provider is unavailable
 */
export async function syncEvents(context: SyncContext): Promise<void> {
  const { payments, db, env } = context
  if (!payments || !env.payments) return
  const accountHash = hashToken(`${env.payments.apiUrl}\n${env.payments.secretKey}`)
  const [last] = await db.select().from(paymentLooks).where(eq(paymentLooks.accountHash, accountHash))
  const since = last ? last.eventsUntil.getTime() - OVERLAP_MS : Date.now() - FIRST_POLL_MS
  const events = await payments.listEvents(new Date(since))
  const ids = sql.param(events.map(({ id }) => id))
  const subscriptionIds = sql.param(events.map(({ subscriptionId }) => subscriptionId))
  // A webhook's job may not have stored a new subscription yet. Subscriptions to other products in
  // the same account are never stored, so only recent events are considered.
  const { rows: knownEvents } = await db.execute<{ id: string }>(sql`
    select e.id
    from payment_events e
    join unnest(${ids}::text[], ${subscriptionIds}::text[]) listed (id, subscription_id) using (id)
    where listed.subscription_id is null or e.created_at < now() - make_interval(secs => ${OVERLAP_MS / 1_000})
      or exists (select from paid_subscriptions p where p.id = listed.subscription_id)`)
  const isKnown = new Set(knownEvents.map(({ id }) => id))
  const news = events.filter(({ id }) => !isKnown.has(id))
  const failed = new Set<string | null>()
  for (const id of new Set(news.flatMap(({ subscriptionId }) => subscriptionId ?? [])))
    if (!(await syncOneOfMany(context, id))) failed.add(id)
  // Failed events stay unknown: the next polls retry them, and later `syncOverdue`.
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

/** How many subscriptions one run syncs. */
const OVERDUE_BATCH = 50

/** Syncs subscriptions whose period ended without an event. @throws PaymentsError if the provider is unavailable */
export async function syncOverdue(context: SyncContext): Promise<void> {
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
    // Mark the row even if the sync fails. Otherwise a missing subscription would block the queue forever.
    await context.db.update(paidSubscriptions).set({ updatedAt: sql`now()` }).where(eq(paidSubscriptions.id, id))
    await syncOneOfMany(context, id)
  }
}

/** Reads the prices for sale. Discontinued ones stay, for their subscribers. @throws PaymentsError */
export async function syncPlans(db: Db, payments: Payments): Promise<void> {
  const plans = await payments.listPlans()
  await db.transaction(async (tx) => {
    await tx.update(planPrices).set({ active: false })
    await storePlans(tx, plans)
  })
}

async function storePlans(tx: Db, plans: readonly PlanPrice[]): Promise<void> {
  for (const plan of plans)
    await tx
      .insert(planPrices)
      .values(plan)
      .onConflictDoUpdate({ target: planPrices.priceId, set: { ...plan, updatedAt: sql`now()` } })
}

/** Deletes recorded events that the provider no longer lists. */
export async function purgePaymentEvents(db: Db): Promise<void> {
  await db.delete(paymentEvents).where(sql`${paymentEvents.createdAt} < now() - interval '40 days'`)
}

/** The email to someone who paid without an account. */
function planWaitingEmail(to: string, planName: string, origin: string): Email {
  return {
    to,
    subject: `Your ${planName} plan is waiting for you`,
    lines: [
      `Thank you for buying ${planName}. There's no X-Automated account with this email address yet.`,
      'Sign up with this address and confirm it, and the plan is yours. Already have an account with another address? Change it to this one, or contact us.',
    ],
    action: { label: 'Create your account', link: `${origin}/auth` },
    closing: "You're receiving this because a payment was made with this address.",
  }
}
