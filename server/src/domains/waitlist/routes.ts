import { publicApi, signedInApi } from '../../operations.ts'
import type { RequestContext } from '../../requests/context.ts'
import { authenticate } from '../auth/service.ts'
import { leaderboard } from '../leaderboard/service.ts'
import { trackView } from '../views/service.ts'
import { count, dashboard, findPosition, join, setReferrer } from './service.ts'

/**
 * The optional caller of a public operation. An expired token is rejected, so that the page renews
 * it.
 */
async function findCaller(context: RequestContext): Promise<string | null> {
  const { authorization } = context.request
  return authorization ? (await authenticate(context, authorization)).userId : null
}

export const waitlistRoutes = {
  join: publicApi.waitlist.join.handler(({ context, input }) => join(context, input)),
  position: publicApi.waitlist.position.handler(({ context, input }) => findPosition(context, input)),
  count: publicApi.waitlist.count.handler(({ context }) => count(context.db)),
  trackView: publicApi.waitlist.trackView.handler(({ context, input }) => trackView(context.db, input)),
  leaderboard: publicApi.waitlist.leaderboard.handler(async ({ context, input }) =>
    leaderboard(context, await findCaller(context), input),
  ),
  dashboard: signedInApi.waitlist.dashboard.handler(({ context }) => dashboard(context, context.actor)),
  refer: signedInApi.waitlist.refer.handler(({ context, input }) => setReferrer(context, context.actor, input)),
}
