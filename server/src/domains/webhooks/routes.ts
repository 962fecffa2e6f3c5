import { operatorApi } from '../../operations.ts'
import { create, list, listDeliveries, redeliver, remove, rotateSecret, sendTest, update } from './service.ts'

export const webhookRoutes = {
  list: operatorApi.webhooks.list.handler(({ context }) => list(context.db)),
  create: operatorApi.webhooks.create.handler(({ context, input }) => create(context, context.actor.userId, input)),
  update: operatorApi.webhooks.update.handler(({ context, input }) => update(context, input)),
  remove: operatorApi.webhooks.remove.handler(({ context, input }) => remove(context, input.id)),
  test: operatorApi.webhooks.test.handler(({ context, input }) => sendTest(context, input.id)),
  rotateSecret: operatorApi.webhooks.rotateSecret.handler(({ context, input }) => rotateSecret(context, input.id)),
  deliveries: operatorApi.webhooks.deliveries.handler(({ context, input }) => listDeliveries(context.db, input)),
  redeliver: operatorApi.webhooks.redeliver.handler(({ context, input }) => redeliver(context, input.id)),
}
