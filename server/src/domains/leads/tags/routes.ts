import { apply } from '../../../core/people/tagging.ts'
import { member, viewer } from '../../../operations.ts'
import { create, list, merge, remove, update } from './tags.ts'

export const tagRoutes = {
  list: viewer.tags.list.handler(({ context }) => list(context.db, context.actor)),
  create: member.tags.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  update: member.tags.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  merge: member.tags.merge.handler(({ context, input }) => merge(context.db, context.actor, input)),
  remove: member.tags.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  apply: member.tags.apply.handler(({ context, input }) => apply(context.db, context.actor, input)),
}
