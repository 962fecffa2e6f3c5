import { signedInApi } from '../../operations.ts'
import { cancel, find, list } from './service.ts'

export const importRoutes = {
  list: signedInApi.imports.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: signedInApi.imports.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  cancel: signedInApi.imports.cancel.handler(({ context, input }) => cancel(context.db, context.actor, input.id)),
}
