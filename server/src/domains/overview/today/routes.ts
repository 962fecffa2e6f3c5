import { viewer } from '../../../operations.ts'
import { find } from './today.ts'

export const todayRoutes = {
  find: viewer.today.find.handler(({ context, input }) => find(context, context.actor, input)),
}
