import { member } from '../../../operations.ts'
import { processQueue } from './service.ts'

export const simulatedQueueRoutes = {
  processQueue: member.campaigns.processQueue.handler(({ context, input }) =>
    processQueue(context, context.actor, input),
  ),
}
