import { member } from '../../../operations.ts'
import { create, list, remove, update } from './snippets.ts'

export const snippetRoutes = {
  list: member.snippets.list.handler(({ context }) => list(context.db, context.actor)),
  create: member.snippets.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  update: member.snippets.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  remove: member.snippets.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
