import { viewer } from '../../../operations.ts'
import { find } from './analytics.ts'
import { breakdown, heatmap } from './breakdown.ts'

export const analyticsRoutes = {
  find: viewer.analytics.find.handler(({ context, input }) => find(context.db, context.actor, input)),
  breakdown: viewer.analytics.breakdown.handler(({ context, input }) => breakdown(context.db, context.actor, input)),
  heatmap: viewer.analytics.heatmap.handler(({ context, input }) => heatmap(context.db, context.actor, input)),
}
