import { member, viewer } from '../../../operations.ts'
import { cancel, find, list, undo } from './jobs.ts'

export const jobRoutes = {
  list: viewer.jobs.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: viewer.jobs.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  cancel: member.jobs.cancel.handler(({ context, input }) => cancel(context.db, context.jobs, context.actor, input.id)),
  undo: member.jobs.undo.handler(({ context, input }) => undo(context.db, context.jobs, context.actor, input.id)),
}
