import { viewer } from '../../../operations.ts'
import { find } from './search.ts'

export const searchRoutes = {
  find: viewer.search.find.handler(({ context, input }) => find(context, context.actor, input.q)),
}
