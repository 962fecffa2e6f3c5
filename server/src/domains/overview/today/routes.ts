import { viewer } from '../../../operations.ts'
import { find } from './service.ts'

export const todayRoutes = {
  find: viewer.today.find.handler(({ context, input }) => find(context, context.actor, input)),
}
