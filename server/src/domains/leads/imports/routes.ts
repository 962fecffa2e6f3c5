import { member, viewer } from '../../../operations.ts'
import { cancel, find, list } from './imports.ts'

export const importRoutes = {
  list: viewer.imports.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: viewer.imports.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  cancel: member.imports.cancel.handler(({ context, input }) => cancel(context.db, context.actor, input.id)),
}
