import { owner, viewer } from '../../../operations.ts'
import { find, saveLimit } from './x-costs.ts'

export const xCostRoutes = {
  find: viewer.xCosts.find.handler(({ context, input }) => find(context.db, context.actor, input)),
  saveLimit: owner.xCosts.saveLimit.handler(({ context, input }) => saveLimit(context, context.actor, input)),
}
