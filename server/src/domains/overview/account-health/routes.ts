import { viewer } from '../../../operations.ts'
import { find } from './health.ts'

export const accountHealthRoutes = {
  find: viewer.accountHealth.find.handler(({ context, input }) => find(context, context.actor, input)),
}
