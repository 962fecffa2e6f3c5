import { create, list, remove } from '../../../core/people/suppression.ts'
import { member, viewer } from '../../../operations.ts'

export const suppressionRoutes = {
  list: viewer.suppressions.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  create: member.suppressions.create.handler(({ context, input }) => create(context, context.actor, input)),
  remove: member.suppressions.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
