import { remove } from '../../../core/people/lead.ts'
import { find as findRemoval, removeMany, restore } from '../../../core/people/removal.ts'
import { member, viewer } from '../../../operations.ts'
import { history } from './history.ts'
import { countMatching, fields, find, list, setBasis } from './leads.ts'

export const leadRoutes = {
  list: viewer.leads.list.handler(async ({ context, input }) =>
    context.pictures.withUrls(await list(context.db, context.actor, input)),
  ),
  count: viewer.leads.count.handler(({ context, input }) => countMatching(context.db, context.actor, input)),
  fields: viewer.leads.fields.handler(({ context }) => fields(context.db, context.actor)),
  find: viewer.leads.find.handler(async ({ context, input }) =>
    context.pictures.withUrl(await find(context.db, context.actor, input.id)),
  ),
  history: viewer.leads.history.handler(({ context, input }) => history(context.db, context.actor, input)),
  setBasis: member.leads.setBasis.handler(({ context, input }) => setBasis(context.db, context.actor, input)),
  remove: member.leads.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  removeMany: member.leads.removeMany.handler(({ context, input }) => removeMany(context.db, context.actor, input)),
  findRemoval: member.leads.findRemoval.handler(({ context, input }) =>
    findRemoval(context.db, context.actor, input.id),
  ),
  restore: member.leads.restore.handler(({ context, input }) => restore(context, context.actor, input.removalId)),
}
