import { signedInApi } from '../../operations.ts'
import { addLeads, create, duplicate, find, list, listLeads, members, remove, removeLeads, update } from './service.ts'

const api = signedInApi.lists

export const listRoutes = {
  list: api.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: api.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  create: api.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  duplicate: api.duplicate.handler(({ context, input }) => duplicate(context.db, context.actor, input)),
  update: api.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  remove: api.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  leads: api.leads.handler(({ context, input }) => listLeads(context.db, context.actor, input)),
  members: api.members.handler(({ context, input }) => members(context.db, context.actor, input)),
  addLeads: api.addLeads.handler(({ context, input }) => addLeads(context.db, context.actor, input)),
  removeLeads: api.removeLeads.handler(({ context, input }) => removeLeads(context.db, context.actor, input)),
}
