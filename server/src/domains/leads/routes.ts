import { signedInApi } from '../../operations.ts'
import { queueDirect } from '../sending/service.ts'
import { list, remove } from './service.ts'

export const leadRoutes = {
  list: signedInApi.leads.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  remove: signedInApi.leads.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  queue: signedInApi.leads.queue.handler(({ context, input }) => queueDirect(context.db, context.actor, input)),
}
