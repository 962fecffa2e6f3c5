import { signedInApi } from '../../operations.ts'
import { claim, claimAny, reportOutcome, requeue } from '../sending/service.ts'
import { create, dms, find, list, queue, update } from './service.ts'

const api = signedInApi.campaigns

export const campaignRoutes = {
  list: api.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  create: api.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  find: api.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  update: api.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  queue: api.queue.handler(({ context, input }) => queue(context.db, context.actor, input.id)),
  dms: api.dms.handler(({ context, input }) => dms(context.db, context.actor, input)),
  claim: api.claim.handler(({ context, input }) => claim(context.db, context.env, context.actor, input)),
  claimAny: api.claimAny.handler(({ context, input }) =>
    claimAny(context.db, context.env, context.actor, input.holder),
  ),
  recordOutcome: api.recordOutcome.handler(({ context, input }) => reportOutcome(context.db, context.actor, input)),
  requeue: api.requeue.handler(({ context, input }) => requeue(context.db, context.actor, input.id)),
}
