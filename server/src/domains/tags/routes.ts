import { signedInApi } from '../../operations.ts'
import { apply, create, list, merge, remove, update } from './service.ts'

export const tagRoutes = {
  list: signedInApi.tags.list.handler(({ context }) => list(context.db, context.actor)),
  create: signedInApi.tags.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  update: signedInApi.tags.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  merge: signedInApi.tags.merge.handler(({ context, input }) => merge(context.db, context.actor, input)),
  remove: signedInApi.tags.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  apply: signedInApi.tags.apply.handler(({ context, input }) => apply(context.db, context.actor, input)),
}
