import { member, viewer } from '../../../operations.ts'
import { create, duplicate, list, remove, update } from './templates.ts'

export const templateRoutes = {
  list: viewer.templates.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  create: member.templates.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  update: member.templates.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  remove: member.templates.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  duplicate: member.templates.duplicate.handler(({ context, input }) => duplicate(context.db, context.actor, input)),
}
