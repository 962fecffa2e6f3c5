import { member, viewer } from '../../../operations.ts'
import { addLeads, create, duplicate, find, list, listLeads, members, remove, removeLeads, update } from './lists.ts'

export const listRoutes = {
  list: viewer.lists.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: viewer.lists.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  create: member.lists.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  duplicate: member.lists.duplicate.handler(({ context, input }) => duplicate(context.db, context.actor, input)),
  update: member.lists.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  remove: member.lists.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  leads: viewer.lists.leads.handler(async ({ context, input }) =>
    context.pictures.withUrls(await listLeads(context.db, context.actor, input)),
  ),
  members: viewer.lists.members.handler(({ context, input }) => members(context.db, context.actor, input)),
  addLeads: member.lists.addLeads.handler(({ context, input }) => addLeads(context.db, context.actor, input)),
  removeLeads: member.lists.removeLeads.handler(({ context, input }) => removeLeads(context.db, context.actor, input)),
}
