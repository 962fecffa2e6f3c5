import { viewer } from '../../../operations.ts'
import { find } from './service.ts'

export const analyticsRoutes = {
  find: viewer.analytics.find.handler(({ context, input }) => find(context.db, context.actor, input)),
}
