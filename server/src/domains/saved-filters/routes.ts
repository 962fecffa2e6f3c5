import { signedInApi } from '../../operations.ts'
import { create, list, remove, update } from './service.ts'

export const savedFilterRoutes = {
  list: signedInApi.savedFilters.list.handler(({ context }) => list(context.db, context.actor)),
  create: signedInApi.savedFilters.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  update: signedInApi.savedFilters.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  remove: signedInApi.savedFilters.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
