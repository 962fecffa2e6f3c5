import { member, viewer } from '../../../operations.ts'
import { confirm, release } from '../extension/service.ts'
import { claim, claimAny, reportOutcome, requeue } from '../sending/service.ts'
import { withWait, withWaits } from '../sending-settings/service.ts'
import { isOffered, processQueue } from '../simulated-queue/service.ts'
import { create, dms, find, list, queue, update } from './service.ts'
import { duplicate, estimate, forecast, sendTest } from './service-preparing.ts'

export const campaignRoutes = {
  list: viewer.campaigns.list.handler(async ({ context, input }) => {
    const { campaigns, ...page } = await list(context.db, context.actor, input)
    return { ...page, campaigns: await withWaits(context, campaigns), simulatedQueue: isOffered(context) }
  }),
  create: member.campaigns.create.handler(async ({ context, input }) =>
    withWait(context, await create(context.db, context.actor, input)),
  ),
  find: viewer.campaigns.find.handler(async ({ context, input }) =>
    withWait(context, await find(context.db, context.actor, input.id)),
  ),
  update: member.campaigns.update.handler(async ({ context, input, signal }) =>
    withWait(context, await update(context, context.actor, input, signal)),
  ),
  estimate: viewer.campaigns.estimate.handler(({ context, input }) => estimate(context, context.actor, input)),
  forecast: viewer.campaigns.forecast.handler(({ context, input }) => forecast(context, context.actor, input.id)),
  duplicate: member.campaigns.duplicate.handler(async ({ context, input }) =>
    withWait(context, await duplicate(context.db, context.actor, input.id)),
  ),
  sendTest: member.campaigns.sendTest.handler(({ context, input }) => sendTest(context, context.actor, input)),
  processQueue: member.campaigns.processQueue.handler(({ context, input }) =>
    processQueue(context, context.actor, input),
  ),
  queue: member.campaigns.queue.handler(({ context, input }) =>
    queue(context.db, context.env, context.actor, input.id),
  ),
  dms: viewer.campaigns.dms.handler(({ context, input }) => dms(context.db, context.actor, input)),
  claim: member.campaigns.claim.handler(({ context, input }) => claim(context.db, context.env, context.actor, input)),
  claimAny: member.campaigns.claimAny.handler(({ context, input }) =>
    claimAny(context.db, context.env, context.actor, input),
  ),
  recordOutcome: member.campaigns.recordOutcome.handler(({ context, input }) =>
    reportOutcome(context.db, context.actor, input),
  ),
  confirm: member.campaigns.confirm.handler(({ context, input }) =>
    confirm(context.db, context.env, context.actor, input),
  ),
  release: member.campaigns.release.handler(({ context, input }) => release(context.db, context.actor, input)),
  requeue: member.campaigns.requeue.handler(({ context, input }) =>
    requeue(context.db, context.env, context.actor, input.id),
  ),
}
