import { anyone, owner, viewer } from '../../../operations.ts'
import { cancel, checkout, invoices, linksToBuy, portal, previewUpgrade, refresh, resume, upgrade } from './changes.ts'
import { findSubscription, linksFor, listPlans, overview } from './overview.ts'
import { rewards } from './rewards.ts'
import { claimWaiting } from './sync.ts'

export const billingRoutes = {
  plans: anyone.billing.plans.handler(({ context, input }) => listPlans(context.db, input.cycle)),
  links: anyone.billing.links.handler(({ context }) => linksFor(context)),
  ownLinks: owner.billing.ownLinks.handler(({ context }) => linksToBuy(context, context.actor)),
  subscription: viewer.billing.subscription.handler(async ({ context }) => {
    await claimWaiting(context.db, context.actor)
    return findSubscription(context.db, context.actor)
  }),
  overview: viewer.billing.overview.handler(async ({ context }) => {
    await claimWaiting(context.db, context.actor)
    return overview(context, context.actor)
  }),
  rewards: viewer.billing.rewards.handler(({ context }) => rewards(context, context.actor)),
  checkout: owner.billing.checkout.handler(({ context, input }) => checkout(context, context.actor, input.planId)),
  previewUpgrade: owner.billing.previewUpgrade.handler(({ context, input }) =>
    previewUpgrade(context, context.actor, input.planId),
  ),
  upgrade: owner.billing.upgrade.handler(({ context, input }) => upgrade(context, context.actor, input)),
  cancel: owner.billing.cancel.handler(({ context, input }) => cancel(context, context.actor, input.subscriptionId)),
  resume: owner.billing.resume.handler(({ context }) => resume(context, context.actor)),
  portal: owner.billing.portal.handler(({ context }) => portal(context, context.actor)),
  invoices: owner.billing.invoices.handler(({ context, input }) => invoices(context, context.actor, input.cursor)),
  refresh: owner.billing.refresh.handler(({ context }) => refresh(context, context.actor)),
}
