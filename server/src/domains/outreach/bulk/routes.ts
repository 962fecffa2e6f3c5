import { member } from '../../../operations.ts'
import { create } from './orders.ts'

export const bulkRoutes = {
  create: member.jobs.create.handler(({ context, input }) => create(context, context.actor, input)),
}
