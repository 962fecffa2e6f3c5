import { admin } from '../../../operations.ts'
import { create, list, remove } from './service.ts'

export const apiKeyRoutes = {
  list: admin.apiKeys.list.handler(({ context }) => list(context.db, context.actor)),
  create: admin.apiKeys.create.handler(({ context, input }) => create(context.db, context.actor, input)),
  remove: admin.apiKeys.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
