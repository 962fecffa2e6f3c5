import type { ErrorCode } from '@x-automated/contract/errors'
import { isPlanId } from '@x-automated/contract/plans'
import { and, desc, eq, min } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { type PaidSubscription, type Payments, PaymentsError } from '../../outside/payments.ts'
import { Refusal } from '../../refusal.ts'
import { authUsers } from '../auth/tables.ts'
import { INVOICES_PAGE, mergeInvoices, statusOf } from './rules.ts'
import { ownLinks, referenceOf, soldPlans } from './service-overview.ts'
import { type SyncContext as Context, lookAtEvents, lookAtPlans, lookAtSubscription } from './service-sync.ts'
import { paidSubscriptions, subscriptions } from './tables.ts'

/** Specification §8. */
const CANCEL_FAILED = 'Failed to cancel subscription. Please try again.'
const UPGRADE_FAILED = 'Failed to upgrade plan. Please try again.'

/** @throws Refusal PAYMENTS_UNAVAILABLE: not configured */
function requirePayments({ payments }: Context, words?: string): Payments {
  if (!payments) throw new Refusal('PAYMENTS_UNAVAILABLE', words)
  return payments
}

/** What a call outside failed with becomes the refusal that says it. @param words of specification §8 */
async function asking<T>(
  call: () => Promise<T>,
  words?: string,
  { refused = 'SUBSCRIPTION_STATE', declined = refused }: { refused?: ErrorCode; declined?: ErrorCode } = {},
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error
    if (error.kind !== 'unavailable')
      throw new Refusal(error.kind === 'declined' ? declined : refused, error.message, { cause: error })
    throw new Refusal('PAYMENTS_UNAVAILABLE', words, { retryAfterSeconds: 5, cause: error })
  }
}

/** A plan that can be bought, with its price; where that is not known yet, the provider is asked. @throws Refusal PLAN_NOT_FOUND, PAYMENTS_UNAVAILABLE */
async function findPlan(context: Context, payments: Payments, planId: string, words?: string) {
  const find = async () => (await soldPlans(context.db)).find(({ id }) => id === planId)
  const known = await find()
  if (known?.priceId) return { ...known, priceId: known.priceId }
  await asking(() => lookAtPlans(context.db, payments), words)
  const found = await find()
  if (!found?.priceId) throw new Refusal('PLAN_NOT_FOUND')
  return { ...found, priceId: found.priceId }
}

/** What the workspace has, or had last, of the provider; null: it never paid. */
async function findHeld(db: Db, { workspaceId }: Actor) {
  const [row] = await db
    .select({ paid: paidSubscriptions })
    .from(subscriptions)
    .innerJoin(paidSubscriptions, eq(paidSubscriptions.id, subscriptions.paidId))
    .where(eq(subscriptions.workspaceId, workspaceId))
  return row?.paid ?? null
}

/** Whether it goes on being paid for. One that is paused, as its trial ended without a card, does not: the screens say that it has ended. */
function runs({ status, endedAt }: { status: string; endedAt: Date | null }): boolean {
  return endedAt === null && statusOf(status) !== 'canceled'
}

/** The subscription of the workspace that still runs at the provider; null: none does. @param id another one of the workspace's than what counts */
async function findRunning(db: Db, actor: Actor, id?: string) {
  if (id === undefined) {
    const held = await findHeld(db, actor)
    return held && runs(held) ? held : null
  }
  const [row] = await db
    .select()
    .from(paidSubscriptions)
    .where(and(eq(paidSubscriptions.id, id), eq(paidSubscriptions.workspaceId, actor.workspaceId)))
  return row ?? null
}

/** The running subscription as the provider has it at this moment. @throws Refusal SUBSCRIPTION_STATE, PAYMENTS_UNAVAILABLE */
async function requireRunning(
  context: Context,
  payments: Payments,
  actor: Actor,
  { none, words, id }: { none: string; words?: string | undefined; id?: string | undefined },
): Promise<PaidSubscription> {
  const row = await findRunning(context.db, actor, id)
  const found = row && (await asking(() => payments.findSubscription(row.id), words))
  if (!found || !runs(found)) throw new Refusal('SUBSCRIPTION_STATE', none)
  return found
}

/**
 * Where a plan is bought: the provider's own page of a built-in plan, else a page made for this purchase.
 * @throws Refusal PLAN_NOT_FOUND, SUBSCRIPTION_STATE (there is one already), PAYMENTS_UNAVAILABLE
 */
export async function checkout(context: Context, actor: Actor, planId: string) {
  const payments = requirePayments(context)
  const { db, env, origin } = context
  const held = await findHeld(db, actor)
  if (held && runs(held))
    throw new Refusal('SUBSCRIPTION_STATE', 'You have a subscription already. Change its plan instead.')
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

/** The subscription, and the plan that it may be changed to. @throws as `previewUpgrade` */
async function findChange(context: Context, actor: Actor, planId: string) {
  const payments = requirePayments(context, UPGRADE_FAILED)
  const plan = await findPlan(context, payments, planId, UPGRADE_FAILED)
  const running = await requireRunning(context, payments, actor, { none: NOTHING_TO_CHANGE, words: UPGRADE_FAILED })
  if (running.plan?.planId === planId) throw new Refusal('SUBSCRIPTION_STATE', `${plan.name} is your plan already.`)
  if (running.status !== 'active' && running.status !== 'trialing')
    throw new Refusal('SUBSCRIPTION_STATE', 'A payment is missing. Pay the open invoice first.')
  return { payments, plan, running }
}

/** What a change of plan costs. @throws Refusal PLAN_NOT_FOUND, SUBSCRIPTION_STATE (none, the same plan, a missing payment), PAYMENTS_UNAVAILABLE */
export async function previewUpgrade(context: Context, actor: Actor, planId: string) {
  const { payments, plan, running } = await findChange(context, actor, planId)
  // The provider counts by the second.
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

/**
 * How long what a preview said may be confirmed. The provider reckons to whatever moment of the period it is told: told its end, a dearer plan costs
 * nothing now; told its beginning, all that was used of the old one is given back.
 */
const PREVIEW_HOLDS_MS = 60 * 60_000
/** Another process has shown it. */
const CLOCKS_DIFFER_MS = 60_000

/** Changes to another plan at once. @throws Refusal as `previewUpgrade`, PAYMENT_DECLINED, PAYMENT_CONFIRMATION_NEEDED (details {url}) */
export async function upgrade(
  context: Context,
  actor: Actor,
  { planId, prorationDate }: { planId: string; prorationDate?: string },
) {
  const asOf = prorationDate ? new Date(prorationDate) : new Date()
  const ageMs = Date.now() - asOf.getTime()
  if (ageMs > PREVIEW_HOLDS_MS || ageMs < -CLOCKS_DIFFER_MS)
    throw new Refusal('SUBSCRIPTION_STATE', 'The price that you were shown is out of date. Look at it again.')
  const { payments, plan, running } = await findChange(context, actor, planId)
  const at = within(running, asOf)
  const outcome = await asking(() => payments.change(running, plan.priceId, at), UPGRADE_FAILED, {
    declined: 'PAYMENT_DECLINED',
  })
  if (outcome.kind === 'declined') throw new Refusal('PAYMENT_DECLINED', outcome.text)
  if (outcome.kind === 'confirm')
    throw new Refusal('PAYMENT_CONFIRMATION_NEEDED', undefined, { details: { url: outcome.url } })
  await lookAgain(context, running.id)
  return { success: true as const }
}

/** A moment of the period that runs: no other can be reckoned with. */
function within({ startedAt, currentPeriodEnd }: PaidSubscription, at: Date): Date {
  return new Date(Math.min(Math.max(at.getTime(), startedAt.getTime()), currentPeriodEnd.getTime() - 1_000))
}

/**
 * Lets the subscription end with what is paid for.
 * @param subscriptionId another one that the workspace pays for
 * @throws Refusal SUBSCRIPTION_STATE (none, or not the workspace's), PAYMENTS_UNAVAILABLE
 */
export async function cancel(context: Context, actor: Actor, subscriptionId?: string) {
  const none = 'There is no subscription to cancel.'
  return setCancelled(context, actor, true, { none, words: CANCEL_FAILED, id: subscriptionId })
}

/** Takes the cancellation back. @throws Refusal SUBSCRIPTION_STATE (none, or over), PAYMENTS_UNAVAILABLE */
export async function resume(context: Context, actor: Actor) {
  return setCancelled(context, actor, false, { none: 'There is no subscription to go on with. Choose a plan.' })
}

async function setCancelled(
  context: Context,
  actor: Actor,
  isCancelled: boolean,
  which: { none: string; words?: string; id?: string | undefined },
) {
  const { words } = which
  const payments = requirePayments(context, words)
  const running = await requireRunning(context, payments, actor, which)
  if (running.cancelAtPeriodEnd !== isCancelled)
    await asking(() => payments.setCancelled(running.id, isCancelled), words)
  await lookAgain(context, running.id)
  return { success: true as const }
}

/** Shows at once what was changed. Should it fail now, the provider's own word of it brings it. */
async function lookAgain(context: Context, subscriptionId: string): Promise<void> {
  await lookAtSubscription(context, subscriptionId).catch((error) =>
    context.log.warn({ err: error }, 'a changed subscription could not be read again yet'),
  )
}

/** A page of the provider where card and address are changed. @throws Refusal SUBSCRIPTION_STATE (never paid), PAYMENTS_UNAVAILABLE */
export async function portal(context: Context, actor: Actor) {
  const payments = requirePayments(context)
  const held = await findHeld(context.db, actor)
  if (!held) throw new Refusal('SUBSCRIPTION_STATE', 'There is nothing to manage yet: nothing was ever paid.')
  return { url: await asking(() => payments.openPortal(held.customerId, `${context.origin}/billing`)) }
}

/** More than anybody becomes by buying again; of more the newest are asked for. */
const MAX_CUSTOMERS = 10

/** The customers that the workspace was at the provider, in the order in which it became them: whoever buys by a link becomes a new one. */
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

/** Invoices, newest first; none where nothing was ever paid. @throws Refusal PAYMENTS_UNAVAILABLE, INVALID_INPUT (the cursor is none of ours) */
export async function invoices(context: Context, actor: Actor, cursor: string | undefined) {
  const payments = requirePayments(context)
  const customers = await findCustomers(context.db, actor)
  if (customers.length === 0) return { invoices: [], cursor: null }
  // Of each customer the last one that was shown, in their order; empty where none was.
  const shown = cursor?.split(',') ?? []
  if (shown.length > customers.length) throw new Refusal('INVALID_INPUT')
  const after = customers.map((_, i) => shown[i] || null)
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

/** Asks the provider for what has happened since it was asked last, and for this workspace's subscription. @throws Refusal PAYMENTS_UNAVAILABLE */
export async function refresh(context: Context, actor: Actor) {
  requirePayments(context)
  const held = await findHeld(context.db, actor)
  await asking(async () => {
    await lookAtEvents(context)
    // One that is paused may have been taken up again.
    if (held && !held.endedAt) await lookAtSubscription(context, held.id)
  })
  return { success: true as const }
}
