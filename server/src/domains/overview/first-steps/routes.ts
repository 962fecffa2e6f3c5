import { viewer } from '../../../operations.ts'
import { find, update } from './first-steps.ts'

export const firstStepsRoutes = {
  find: viewer.firstSteps.find.handler(({ context }) => find(context.db, context.actor)),
  update: viewer.firstSteps.update.handler(({ context, input }) => update(context.db, context.actor, input)),
}
