import type { InputOf } from '@x-automated/contract/contract'
import type { ErrorCode } from '@x-automated/contract/errors'
import { isPlanId } from '@x-automated/contract/platform/plans'
import { and, desc, eq, min } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { type PaidSubscription, type Payments, PaymentsError } from '../../../outside/payments.ts'
import { Refusal } from '../../../refusal.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { ownLinks, referenceOf, soldPlans } from './overview.ts'
import { INVOICES_PAGE, mergeInvoices, statusOf } from './rules.ts'
import { type SyncContext as Context, syncEvents, syncPlans, syncSubscription } from './sync.ts'
import { paidSubscriptions, subscriptions } from './tables.ts'

const CANCEL_FAILED = 'Failed to cancel subscription. Please try again.'
const UPGRADE_FAILED = 'Failed to upgrade plan. Please try again.'

/** @throws Refusal PAYMENTS_UNAVAILABLE if payments are not configured */
function requirePayments({ payments }: Context, message?: string): Payments {
  if (!payments) throw new Refusal('PAYMENTS_UNAVAILABLE', message)
  return payments
}

/** Turns the provider's errors into refusals. @param message used if the provider is unavailable */
async function asking<T>(
  call: () => Promise<T>,
  message?: string,
  { refused = 'SUBSCRIPTION_STATE', declined = refused }: { refused?: ErrorCode; declined?: ErrorCode } = {},
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error
    if (error.kind !== 'unavailable')
      throw new Refusal(error.kind === 'declined' ? declined : refused, error.message, { cause: error })
    throw new Refusal('PAYMENTS_UNAVAILABLE', message, { retryAfterSeconds: 5, cause: error })
  }
}

/** Finds a plan and its price. Asks the provider if they are unknown. */
async function findPlan(context: Context, payments: Payments, planId: string, message?: string) {
  const find = async () => (await soldPlans(context.db)).find(({ id }) => id === planId)
  const stored = await find()
  if (stored?.priceId) return { ...stored, priceId: stored.priceId }
  await asking(() => syncPlans(context.db, payments), message)
  const synced = await find()
  if (!synced?.priceId) throw new Refusal('PLAN_NOT_FOUND')
  return { ...synced, priceId: synced.priceId }
}

/** The workspace's current or last paid subscription; null if it never paid. */
async function findCurrentPaid(db: Db, { workspaceId }: Actor) {
  const [row] = await db
    .select({ paid: paidSubscriptions })
    .from(subscriptions)
    .innerJoin(paidSubscriptions, eq(paidSubscriptions.id, subscriptions.paidId))
    .where(eq(subscriptions.workspaceId, workspaceId))
  return row?.paid ?? null
}

/** Whether the subscription is running. A paused one, whose trial ended without a card, counts as ended. */
function runs({ status, endedAt }: { status: string; endedAt: Date | null }): boolean {
  return endedAt === null && statusOf(status) !== 'canceled'
}

/** The workspace's running subscription, if any. @param id finds this subscription instead, running or not */
async function findRunning(db: Db, actor: Actor, id?: string) {
  if (id === undefined) {
    const held = await findCurrentPaid(db, actor)
    return held && runs(held) ? held : null
  }
  const [row] = await db
    .select()
    .from(paidSubscriptions)
    .where(and(eq(paidSubscriptions.id, id), eq(paidSubscriptions.workspaceId, actor.workspaceId)))
  return row ?? null
}

/** Reads the running subscription from the provider. */
async function requireRunning(
  context: Context,
  payments: Payments,
  actor: Actor,
  { none, message, id }: { none: string; message?: string | undefined; id?: string | undefined },
): Promise<PaidSubscription> {
  const row = await findRunning(context.db, actor, id)
  const subscription = row && (await asking(() => payments.findSubscription(row.id), message))
  if (!subscription || !runs(subscription)) throw new Refusal('SUBSCRIPTION_STATE', none)
  return subscription
}

/**
 * Requires that no subscription is running. Reads the provider's events first: webhooks can be late
 * or lost, and nobody should pay twice. @returns the subscription that ended, if any @throws
 * Refusal SUBSCRIPTION_STATE
 */
async function requireNoneRunning(context: Context, actor: Actor) {
  await asking(() => syncEvents(context))
  const held = await findCurrentPaid(context.db, actor)
  if (held && runs(held))
    throw new Refusal('SUBSCRIPTION_STATE', 'You already have a subscription. Change its plan instead.')
  return held
}

/** The workspace's payment links. @throws Refusal SUBSCRIPTION_STATE if it already has a subscription */
export async function linksToBuy(context: Context, actor: Actor) {
  if (context.payments) await requireNoneRunning(context, actor)
  return ownLinks(context, actor)
}

/** The payment link of a built-in plan, or the URL of a new checkout page. */
export async function checkout(context: Context, actor: Actor, planId: string) {
  const payments = requirePayments(context)
  const { db, env, origin } = context
  const held = await requireNoneRunning(context, actor)
  const { links } = await ownLinks(context, actor)
  const link = isPlanId(planId) ? links[planId] : null
  if (link) return { success: true as const, checkoutUrl: link }
  const { priceId } = await findPlan(context, payments, planId)
  const [user] = await db.select({ email: authUsers.email }).from(authUsers).where(eq(authUsers.id, actor.userId))
  if (!user) throw new Refusal('UNAUTHORIZED')
  const checkoutUrl = await asking(async () =>
    payments.openCheckout({
      priceId,
      reference: referenceOf(env.authSecret, actor.workspaceId),
      email: user.email,
      customerId: held?.customerId ?? null,
      successUrl: `${origin}/billing?checkout=success`,
      cancelUrl: `${origin}/billing?checkout=cancelled`,
    }),
  )
  return { success: true as const, checkoutUrl }
}

const NOTHING_TO_CHANGE = 'There is no subscription to change. Choose a plan first.'

/**
 * The running subscription and the new plan. @throws Refusal PAYMENTS_UNAVAILABLE, PLAN_NOT_FOUND,
 * SUBSCRIPTION_STATE
 */
async function findChange(context: Context, actor: Actor, planId: string) {
  const payments = requirePayments(context, UPGRADE_FAILED)
  const plan = await findPlan(context, payments, planId, UPGRADE_FAILED)
  const running = await requireRunning(context, payments, actor, { none: NOTHING_TO_CHANGE, message: UPGRADE_FAILED })
  if (running.plan?.planId === planId) throw new Refusal('SUBSCRIPTION_STATE', `${plan.name} is already your plan.`)
  if (running.status !== 'active' && running.status !== 'trialing')
    throw new Refusal('SUBSCRIPTION_STATE', 'A payment is overdue. Pay the open invoice first.')
  return { payments, plan, running }
}

/** Previews a plan change. */
export async function previewUpgrade(context: Context, actor: Actor, planId: string) {
  const { payments, plan, running } = await findChange(context, actor, planId)
  // The provider counts time in seconds.
  const prorationDate = new Date(Math.floor(Date.now() / 1_000) * 1_000)
  const preview = await asking(
    () => payments.previewChange(running, plan.priceId, within(running, prorationDate)),
    UPGRADE_FAILED,
  )
  return {
    planId,
    name: plan.name,
    currency: preview.currency,
    dueNowCents: preview.totalCents,
    creditCents: -preview.lines.reduce((sum, { amountCents }) => sum + Math.min(0, amountCents), 0),
    lines: preview.lines,
    priceCents: plan.priceCents,
    billingCycle: plan.billingCycle,
    nextPaymentAt: running.status === 'trialing' && running.trialEnd ? running.trialEnd : preview.paidUntil,
    prorationDate,
  }
}

/** How long a preview is valid. An older proration date could make an upgrade free or refund used time. */
const PREVIEW_VALID_MS = 60 * 60_000
/** Tolerated clock difference between processes. */
const CLOCKS_DIFFER_MS = 60_000

/** Changes the plan immediately. */
export async function upgrade(
  context: Context,
  actor: Actor,
  { planId, prorationDate }: InputOf<'billing', 'upgrade'>,
) {
  const asOf = prorationDate ? new Date(prorationDate) : new Date()
  const ageMs = Date.now() - asOf.getTime()
  if (ageMs > PREVIEW_VALID_MS || ageMs < -CLOCKS_DIFFER_MS)
    throw new Refusal('SUBSCRIPTION_STATE', 'The price you saw is out of date. Review it again.')
  const { payments, plan, running } = await findChange(context, actor, planId)
  const at = within(running, asOf)
  const outcome = await asking(() => payments.change(running, plan.priceId, at), UPGRADE_FAILED, {
    declined: 'PAYMENT_DECLINED',
  })
  if (outcome.kind === 'declined') throw new Refusal('PAYMENT_DECLINED', outcome.text)
  if (outcome.kind === 'confirm')
    throw new Refusal('PAYMENT_CONFIRMATION_NEEDED', undefined, { details: { url: outcome.url } })
  await syncNow(context, running.id)
  return { success: true as const }
}

/** Clamps a moment to the running period, which the provider requires. */
function within({ startedAt, currentPeriodEnd }: PaidSubscription, at: Date): Date {
  return new Date(Math.min(Math.max(at.getTime(), startedAt.getTime()), currentPeriodEnd.getTime() - 1_000))
}

/** Cancels at the end of the period. @param subscriptionId chooses another of the workspace's subscriptions */
export async function cancel(context: Context, actor: Actor, subscriptionId?: string) {
  const none = 'There is no subscription to cancel.'
  return setCancelled(context, actor, true, { none, message: CANCEL_FAILED, id: subscriptionId })
}

/** Reverts a cancellation. */
export async function resume(context: Context, actor: Actor) {
  return setCancelled(context, actor, false, { none: 'There is no subscription to resume. Choose a plan.' })
}

async function setCancelled(
  context: Context,
  actor: Actor,
  isCancelled: boolean,
  which: { none: string; message?: string; id?: string | undefined },
) {
  const { message } = which
  const payments = requirePayments(context, message)
  const running = await requireRunning(context, payments, actor, which)
  if (running.cancelAtPeriodEnd !== isCancelled)
    await asking(() => payments.setCancelled(running.id, isCancelled), message)
  await syncNow(context, running.id)
  return { success: true as const }
}

/** Syncs a changed subscription immediately. If this fails, the provider's event will sync it. */
async function syncNow(context: Context, subscriptionId: string): Promise<void> {
  await syncSubscription(context, subscriptionId).catch((error) =>
    context.log.warn({ err: error }, 'could not sync a changed subscription yet'),
  )
}

/** The provider's portal for card and address. */
export async function portal(context: Context, actor: Actor) {
  const payments = requirePayments(context)
  const held = await findCurrentPaid(context.db, actor)
  if (!held) throw new Refusal('SUBSCRIPTION_STATE', 'There is nothing to manage yet. Choose a plan first.')
  return { url: await asking(() => payments.openPortal(held.customerId, `${context.origin}/billing`)) }
}

/** The newest customers to consider. Every purchase by link creates one. */
const MAX_CUSTOMERS = 10

/** The workspace's customers at the provider, oldest first. */
async function findCustomers(db: Db, { workspaceId }: Actor): Promise<string[]> {
  const rows = await db
    .select({ customerId: paidSubscriptions.customerId })
    .from(paidSubscriptions)
    .where(eq(paidSubscriptions.workspaceId, workspaceId))
    .groupBy(paidSubscriptions.customerId)
    .orderBy(desc(min(paidSubscriptions.startedAt)), desc(paidSubscriptions.customerId))
    .limit(MAX_CUSTOMERS)
  return rows.map(({ customerId }) => customerId).reverse()
}

/** Invoices, newest first. @throws Refusal PAYMENTS_UNAVAILABLE, INVALID_INPUT for a bad cursor */
export async function invoices(context: Context, actor: Actor, cursor: string | undefined) {
  const payments = requirePayments(context)
  const customers = await findCustomers(context.db, actor)
  if (customers.length === 0) return { invoices: [], cursor: null }
  // The cursor has each customer's last shown invoice, or an empty string.
  const lastShown = cursor?.split(',') ?? []
  if (lastShown.length > customers.length) throw new Refusal('INVALID_INPUT')
  const after = customers.map((_, i) => lastShown[i] || null)
  const pages = await asking(
    () =>
      Promise.all(
        customers.map((customerId, i) =>
          payments.listInvoices(customerId, { after: after[i] ?? null, limit: INVOICES_PAGE }),
        ),
      ),
    undefined,
    { refused: 'INVALID_INPUT' },
  )
  const merged = mergeInvoices(pages, after)
  return { invoices: merged.invoices, cursor: merged.hasMore ? merged.after.map((id) => id ?? '').join(',') : null }
}

/** Syncs missed events and this workspace's subscription. @throws Refusal PAYMENTS_UNAVAILABLE */
export async function refresh(context: Context, actor: Actor) {
  requirePayments(context)
  const held = await findCurrentPaid(context.db, actor)
  await asking(async () => {
    await syncEvents(context)
    // A paused subscription may have been resumed.
    if (held && !held.endedAt) await syncSubscription(context, held.id)
  })
  return { success: true as const }
}
