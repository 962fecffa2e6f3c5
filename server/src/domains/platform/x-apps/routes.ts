import { owner } from '../../../operations.ts'
import { find, remove, save } from './changes.ts'

export const xAppRoutes = {
  find: owner.xApp.find.handler(({ context }) => find(context, context.actor)),
  save: owner.xApp.save.handler(({ context, input }) => save(context, context.actor, input)),
  remove: owner.xApp.remove.handler(({ context, input }) => remove(context, context.actor, input)),
}
