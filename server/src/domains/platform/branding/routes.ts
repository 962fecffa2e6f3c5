import { admin, viewer } from '../../../operations.ts'
import { find, save } from './branding.ts'

export const brandingRoutes = {
  find: viewer.branding.find.handler(({ context }) => find(context.db, context.actor)),
  save: admin.branding.save.handler(({ context, input }) => save(context.db, context.actor, input)),
}
