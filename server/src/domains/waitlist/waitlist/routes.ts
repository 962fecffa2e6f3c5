import { anyone, viewer } from '../../../operations.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { authenticate } from '../../identity/auth/caller.ts'
import { leaderboard } from '../leaderboard/leaderboard.ts'
import { trackView } from '../views/views.ts'
import { count, dashboard, findPosition, join, setReferrer } from './waitlist.ts'

/** The optional caller. An expired token is rejected, so that the page renews it. */
async function findCaller(context: RequestContext): Promise<string | null> {
  const { authorization } = context.request
  return authorization ? (await authenticate(context, authorization)).userId : null
}

export const waitlistRoutes = {
  join: anyone.waitlist.join.handler(({ context, input }) => join(context, input)),
  position: anyone.waitlist.position.handler(({ context, input }) => findPosition(context, input)),
  count: anyone.waitlist.count.handler(({ context }) => count(context.db)),
  trackView: anyone.waitlist.trackView.handler(({ context, input }) => trackView(context.db, input)),
  leaderboard: anyone.waitlist.leaderboard.handler(async ({ context, input }) =>
    leaderboard(context, await findCaller(context), input),
  ),
  dashboard: viewer.waitlist.dashboard.handler(({ context }) => dashboard(context, context.actor)),
  refer: viewer.waitlist.refer.handler(({ context, input }) => setReferrer(context, context.actor, input)),
}
