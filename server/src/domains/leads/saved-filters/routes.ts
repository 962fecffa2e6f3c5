import { member, viewer } from '../../../operations.ts'
import { create, list, remove, update } from './saved-filters.ts'

export const savedFilterRoutes = {
  list: viewer.savedFilters.list.handler(({ context }) => list(context.db, context.actor)),
  create: member.savedFilters.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  update: member.savedFilters.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  remove: member.savedFilters.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
