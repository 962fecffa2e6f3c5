import { claimAny, claimOne } from '../../../core/messages/claim-campaign.ts'
import { confirm, releaseClaim } from '../../../core/messages/deliver.ts'
import { queueDirect } from '../../../core/messages/direct.ts'
import { listMessages } from '../../../core/messages/read.ts'
import { reportOutcome } from '../../../core/messages/record.ts'
import { undoQueue } from '../../../core/messages/release.ts'
import { requeue } from '../../../core/messages/requeue.ts'
import { sendNow } from '../../../core/messages/send-now.ts'
import { renderAgain } from '../../../core/sequences/sequence.ts'
import { member, viewer } from '../../../operations.ts'
import { listByStanding } from '../../leads/leads/leads.ts'

/** The messages of campaigns, and their senders. */
export const sendingRoutes = {
  dms: viewer.campaigns.dms.handler(async ({ context, input }) => {
    const { dms, ...page } = await listMessages(context.db, context.env, context.actor, input)
    return { ...page, dms: dms.map((dm) => context.pictures.withLead(dm)) }
  }),
  claim: member.campaigns.claim.handler(({ context, input }) => claimOne(context, context.actor, input)),
  claimAny: member.campaigns.claimAny.handler(({ context, input }) => claimAny(context, context.actor, input)),
  recordOutcome: member.campaigns.recordOutcome.handler(({ context, input }) =>
    reportOutcome(context.db, context.actor, input),
  ),
  confirm: member.campaigns.confirm.handler(({ context, input }) =>
    confirm(context.db, context.env, context.actor, input),
  ),
  release: member.campaigns.release.handler(({ context, input }) => releaseClaim(context.db, context.actor, input)),
  requeue: member.campaigns.requeue.handler(async ({ context, input }) =>
    context.pictures.withLead(await requeue(context.db, context.env, context.actor, input.id, renderAgain)),
  ),
}

/** Maps the messenger's filter to the leads filter. */
const STANDINGS = { all: [], pending: ['not_sent', 'queued'], sent: ['sent'], failed: ['failed'] } as const

export const messageRoutes = {
  leads: viewer.messages.leads.handler(async ({ context, input: { status, ...page } }) => ({
    success: true as const,
    ...context.pictures.withUrls(await listByStanding(context.db, context.actor, STANDINGS[status], page)),
  })),
  send: member.messages.send.handler(({ context, input, signal }) => sendNow(context, context.actor, input, signal)),
}

/** Operations of /leads that queue messages. They are here because the leads domain does not depend on sending. */
export const leadQueueRoutes = {
  undoQueue: member.leads.undoQueue.handler(({ context, input }) => undoQueue(context.db, context.actor, input.undoId)),
  queue: member.leads.queue.handler(({ context, input }) => queueDirect(context.db, context.actor, input)),
}
