import { publicApi, signedInApi } from '../../operations.ts'
import { cancel, checkout, invoices, portal, previewUpgrade, refresh, resume, upgrade } from './service-changes.ts'
import { findSubscription, linksFor, listPlans, overview, ownLinks } from './service-overview.ts'
import { claimWaiting } from './service-sync.ts'

export const billingRoutes = {
  plans: publicApi.billing.plans.handler(({ context, input }) => listPlans(context.db, input.cycle)),
  links: publicApi.billing.links.handler(({ context }) => linksFor(context)),
  ownLinks: signedInApi.billing.ownLinks.handler(({ context }) => ownLinks(context, context.actor)),
  subscription: signedInApi.billing.subscription.handler(async ({ context }) => {
    await claimWaiting(context.db, context.actor)
    return findSubscription(context.db, context.actor)
  }),
  overview: signedInApi.billing.overview.handler(async ({ context }) => {
    await claimWaiting(context.db, context.actor)
    return overview(context, context.actor)
  }),
  checkout: signedInApi.billing.checkout.handler(({ context, input }) =>
    checkout(context, context.actor, input.planId),
  ),
  previewUpgrade: signedInApi.billing.previewUpgrade.handler(({ context, input }) =>
    previewUpgrade(context, context.actor, input.planId),
  ),
  upgrade: signedInApi.billing.upgrade.handler(({ context, input }) => upgrade(context, context.actor, input)),
  cancel: signedInApi.billing.cancel.handler(({ context, input }) =>
    cancel(context, context.actor, input.subscriptionId),
  ),
  resume: signedInApi.billing.resume.handler(({ context }) => resume(context, context.actor)),
  portal: signedInApi.billing.portal.handler(({ context }) => portal(context, context.actor)),
  invoices: signedInApi.billing.invoices.handler(({ context, input }) =>
    invoices(context, context.actor, input.cursor),
  ),
  refresh: signedInApi.billing.refresh.handler(({ context }) => refresh(context, context.actor)),
}
