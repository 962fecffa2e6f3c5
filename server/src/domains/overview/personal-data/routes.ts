import { viewer } from '../../../operations.ts'
import { remove } from './service.ts'

export const personalDataRoutes = {
  remove: viewer.personalData.remove.handler(({ context, input }) => remove(context, context.actor, input)),
}
