import { find, queue, undoLaunch } from '../../../core/campaigns/campaign.ts'
import { withWait, withWaits } from '../../../core/messages/waits.ts'
import { member, viewer } from '../../../operations.ts'
import { remove, removeIfAny, withoutDraft } from '../campaign-drafts/drafts.ts'
import { isOffered } from '../simulated-queue/simulated-queue.ts'
import { create, list, update } from './campaigns.ts'
import { preflight, preflightOf } from './preflight.ts'
import { duplicate, sendTest } from './preparing.ts'

export const campaignRoutes = {
  list: viewer.campaigns.list.handler(async ({ context, input }) => {
    const { campaigns, ...page } = await list(context.db, context.actor, input)
    return { ...page, campaigns: await withWaits(context, campaigns), simulatedQueue: isOffered(context) }
  }),
  create: member.campaigns.create.handler(async ({ context, input }) =>
    withWait(
      context,
      await withoutDraft(context.db, context.actor, input, remove, (db, rest) => create(db, context.actor, rest)),
    ),
  ),
  find: viewer.campaigns.find.handler(async ({ context, input }) =>
    withWait(context, await find(context.db, context.actor, input.id)),
  ),
  update: member.campaigns.update.handler(async ({ context, input, signal }) =>
    withWait(context, await update(context, context.actor, input, signal)),
  ),
  preflight: viewer.campaigns.preflight.handler(({ context, input }) => preflight(context, context.actor, input)),
  findPreflight: viewer.campaigns.findPreflight.handler(({ context, input }) =>
    preflightOf(context, context.actor, input.id),
  ),
  duplicate: member.campaigns.duplicate.handler(async ({ context, input }) =>
    withWait(context, await duplicate(context.db, context.actor, input.id)),
  ),
  sendTest: member.campaigns.sendTest.handler(({ context, input }) => sendTest(context, context.actor, input)),
  queue: member.campaigns.queue.handler(({ context, input }) =>
    // A repeated launch, whose draft is gone, gets the same response.
    withoutDraft(context.db, context.actor, input, removeIfAny, (db, rest) =>
      queue(db, context.env, context.actor, rest),
    ),
  ),
  undoLaunch: member.campaigns.undoLaunch.handler(async ({ context, input }) =>
    withWait(context, await undoLaunch(context.db, context.actor, input.id)),
  ),
}
