import { signedInApi } from '../../operations.ts'
import { find, update } from './service.ts'

const api = signedInApi.firstSteps

export const firstStepsRoutes = {
  find: api.find.handler(({ context }) => find(context.db, context.actor)),
  update: api.update.handler(({ context, input }) => update(context.db, context.actor, input)),
}
