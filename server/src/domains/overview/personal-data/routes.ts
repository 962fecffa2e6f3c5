import { viewer } from '../../../operations.ts'
import { remove } from './personal-data.ts'

export const personalDataRoutes = {
  remove: viewer.personalData.remove.handler(({ context, input }) => remove(context, context.actor, input)),
}
