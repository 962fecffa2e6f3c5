import { member, viewer } from '../../../operations.ts'
import { listByStanding } from '../../leads/leads/service.ts'
import { sendNow } from './engine-direct.ts'

/** Maps the messenger's filter to the leads filter. */
const STANDINGS = { all: [], pending: ['not_sent', 'queued'], sent: ['sent'], failed: ['failed'] } as const

export const messageRoutes = {
  leads: viewer.messages.leads.handler(async ({ context, input: { status, ...page } }) => ({
    success: true as const,
    ...(await listByStanding(context.db, context.actor, STANDINGS[status], page)),
  })),
  send: member.messages.send.handler(({ context, input, signal }) => sendNow(context, context.actor, input, signal)),
}
