import { signedInApi } from '../../operations.ts'
import { create, list, remove } from './service.ts'

export const suppressionRoutes = {
  list: signedInApi.suppressions.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  create: signedInApi.suppressions.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  remove: signedInApi.suppressions.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
