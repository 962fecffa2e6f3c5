import { member } from '../../../operations.ts'
import { processQueue } from './simulated-queue.ts'

export const simulatedQueueRoutes = {
  processQueue: member.campaigns.processQueue.handler(({ context, input }) =>
    processQueue(context, context.actor, input),
  ),
}
