import { member } from '../../../operations.ts'
import { create } from './service.ts'

export const bulkRoutes = {
  create: member.jobs.create.handler(({ context, input }) => create(context, context.actor, input)),
}
