import { operator } from '../../../operations.ts'
import { create, list, listDeliveries, redeliver, remove, rotateSecret, sendTest, update } from './webhooks.ts'

export const webhookRoutes = {
  list: operator.webhooks.list.handler(({ context }) => list(context.db)),
  create: operator.webhooks.create.handler(({ context, input }) => create(context, context.actor.userId, input)),
  update: operator.webhooks.update.handler(({ context, input }) => update(context, input)),
  remove: operator.webhooks.remove.handler(({ context, input }) => remove(context, input.id)),
  test: operator.webhooks.test.handler(({ context, input }) => sendTest(context, input.id)),
  rotateSecret: operator.webhooks.rotateSecret.handler(({ context, input }) => rotateSecret(context, input.id)),
  deliveries: operator.webhooks.deliveries.handler(({ context, input }) => listDeliveries(context.db, input)),
  redeliver: operator.webhooks.redeliver.handler(({ context, input }) => redeliver(context, input.id)),
}
