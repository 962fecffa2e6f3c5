import { admin } from '../../../operations.ts'
import { adopt, create, list, remove } from './api-keys.ts'

export const apiKeyRoutes = {
  list: admin.apiKeys.list.handler(({ context }) => list(context.db, context.actor)),
  create: admin.apiKeys.create.handler(({ context, input }) => create(context, context.actor, input)),
  adopt: admin.apiKeys.adopt.handler(({ context, input }) => adopt(context.db, context.actor, input.id)),
  remove: admin.apiKeys.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
