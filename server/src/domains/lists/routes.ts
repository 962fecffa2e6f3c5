import { signedInApi } from '../../operations.ts'
import { addLeads, create, list, listLeads, remove, removeLeads, update } from './service.ts'

export const listRoutes = {
  list: signedInApi.lists.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  create: signedInApi.lists.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  update: signedInApi.lists.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  remove: signedInApi.lists.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  leads: signedInApi.lists.leads.handler(({ context, input }) => listLeads(context.db, context.actor, input)),
  addLeads: signedInApi.lists.addLeads.handler(({ context, input }) => addLeads(context.db, context.actor, input)),
  removeLeads: signedInApi.lists.removeLeads.handler(({ context, input }) =>
    removeLeads(context.db, context.actor, input),
  ),
}
