import { signedInApi } from '../../operations.ts'
import { confirm, release } from '../extension/service.ts'
import { claim, claimAny, reportOutcome, requeue } from '../sending/service.ts'
import { withWait, withWaits } from '../sending-settings/service.ts'
import { isOffered, processQueue } from '../simulated-queue/service.ts'
import { create, dms, find, list, queue, update } from './service.ts'
import { duplicate, estimate, forecast, sendTest } from './service-preparing.ts'

const api = signedInApi.campaigns

export const campaignRoutes = {
  list: api.list.handler(async ({ context, input }) => {
    const { campaigns, ...page } = await list(context.db, context.actor, input)
    return { ...page, campaigns: await withWaits(context, campaigns), simulatedQueue: isOffered(context) }
  }),
  create: api.create.handler(async ({ context, input }) =>
    withWait(context, await create(context.db, context.actor, input)),
  ),
  find: api.find.handler(async ({ context, input }) =>
    withWait(context, await find(context.db, context.actor, input.id)),
  ),
  update: api.update.handler(async ({ context, input, signal }) =>
    withWait(context, await update(context, context.actor, input, signal)),
  ),
  estimate: api.estimate.handler(({ context, input }) => estimate(context, context.actor, input)),
  forecast: api.forecast.handler(({ context, input }) => forecast(context, context.actor, input.id)),
  duplicate: api.duplicate.handler(async ({ context, input }) =>
    withWait(context, await duplicate(context.db, context.actor, input.id)),
  ),
  sendTest: api.sendTest.handler(({ context, input }) => sendTest(context, context.actor, input)),
  processQueue: api.processQueue.handler(({ context, input }) => processQueue(context, context.actor, input)),
  queue: api.queue.handler(({ context, input }) => queue(context.db, context.env, context.actor, input.id)),
  dms: api.dms.handler(({ context, input }) => dms(context.db, context.actor, input)),
  claim: api.claim.handler(({ context, input }) => claim(context.db, context.env, context.actor, input)),
  claimAny: api.claimAny.handler(({ context, input }) => claimAny(context.db, context.env, context.actor, input)),
  recordOutcome: api.recordOutcome.handler(({ context, input }) => reportOutcome(context.db, context.actor, input)),
  confirm: api.confirm.handler(({ context, input }) => confirm(context.db, context.env, context.actor, input)),
  release: api.release.handler(({ context, input }) => release(context.db, context.actor, input)),
  requeue: api.requeue.handler(({ context, input }) => requeue(context.db, context.env, context.actor, input.id)),
}
