import { operator } from '../../../operations.ts'
import { findCredits } from '../../platform/x-costs/x-costs.ts'
import { listViews } from '../../waitlist/views/views.ts'
import { inviteNext, listHeld, refuseReferral, releaseReferral, undoDecision } from './decisions.ts'
import { listLog } from './log.ts'
import { growth, searchMembers } from './members.ts'
import { listUnreadable } from './unreadable.ts'

export const operatorRoutes = {
  growth: operator.operator.growth.handler(({ context, input }) => growth(context.db, input)),
  members: operator.operator.members.handler(({ context, input }) => searchMembers(context.db, input)),
  held: operator.operator.held.handler(({ context, input }) => listHeld(context.db, input)),
  release: operator.operator.release.handler(({ context, input }) =>
    releaseReferral(context, context.actor.userId, input.memberId),
  ),
  refuse: operator.operator.refuse.handler(({ context, input }) =>
    refuseReferral(context, context.actor.userId, input.memberId),
  ),
  undo: operator.operator.undo.handler(({ context, input }) =>
    undoDecision(context, context.actor.userId, input.memberId),
  ),
  invite: operator.operator.invite.handler(({ context, input }) =>
    inviteNext(context, context.actor.userId, input.count),
  ),
  views: operator.operator.views.handler(({ context, input }) => listViews(context.db, input)),
  unreadable: operator.operator.unreadable.handler(({ context, input }) => listUnreadable(context.db, input)),
  xCredits: operator.operator.xCredits.handler(({ context }) => findCredits(context.db)),
  log: operator.operator.log.handler(({ context, input }) => listLog(context.db, input)),
}
