import { admin, anyone, member } from '../../../operations.ts'
import { create, find, list, remove } from './reports.ts'

export const reportRoutes = {
  list: member.reports.list.handler(({ context, input }) => list(context, context.actor, input)),
  create: admin.reports.create.handler(({ context, input }) => create(context, context.actor, input)),
  remove: admin.reports.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
  find: anyone.reports.find.handler(({ context, input }) => find(context, input.token)),
}
