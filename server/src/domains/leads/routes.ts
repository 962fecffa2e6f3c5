import { signedInApi } from '../../operations.ts'
import { find as findRemoval, removeMany, restore } from '../removals/service.ts'
import { queueDirect } from '../sending/service.ts'
import { find, history, list, remove, setBasis } from './service.ts'

export const leadRoutes = {
  list: signedInApi.leads.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: signedInApi.leads.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  history: signedInApi.leads.history.handler(({ context, input }) => history(context.db, context.actor, input)),
  setBasis: signedInApi.leads.setBasis.handler(({ context, input }) => setBasis(context.db, context.actor, input)),
  remove: signedInApi.leads.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  removeMany: signedInApi.leads.removeMany.handler(({ context, input }) =>
    removeMany(context.db, context.actor, input),
  ),
  findRemoval: signedInApi.leads.findRemoval.handler(({ context, input }) =>
    findRemoval(context.db, context.actor, input.id),
  ),
  restore: signedInApi.leads.restore.handler(({ context, input }) =>
    restore(context.db, context.actor, input.removalId),
  ),
  queue: signedInApi.leads.queue.handler(({ context, input }) => queueDirect(context.db, context.actor, input)),
}
