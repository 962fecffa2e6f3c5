import { signedInApi } from '../../operations.ts'
import { remove } from './service.ts'

export const personalDataRoutes = {
  remove: signedInApi.personalData.remove.handler(({ context, input }) => remove(context, context.actor, input)),
}
