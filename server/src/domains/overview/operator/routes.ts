import { operator } from '../../../operations.ts'
import { findCredits } from '../../platform/x-costs/x-costs.ts'
import { listViews } from '../../waitlist/views/views.ts'
import * as service from './operator.ts'
import { listUnreadable } from './unreadable.ts'

export const operatorRoutes = {
  growth: operator.operator.growth.handler(({ context, input }) => service.growth(context.db, input)),
  members: operator.operator.members.handler(({ context, input }) => service.searchMembers(context.db, input)),
  held: operator.operator.held.handler(({ context, input }) => service.listHeld(context.db, input)),
  release: operator.operator.release.handler(({ context, input }) =>
    service.releaseReferral(context, context.actor.userId, input.memberId),
  ),
  refuse: operator.operator.refuse.handler(({ context, input }) =>
    service.refuseReferral(context, context.actor.userId, input.memberId),
  ),
  undo: operator.operator.undo.handler(({ context, input }) =>
    service.undoDecision(context, context.actor.userId, input.memberId),
  ),
  invite: operator.operator.invite.handler(({ context, input }) =>
    service.inviteNext(context, context.actor.userId, input.count),
  ),
  views: operator.operator.views.handler(({ context, input }) => listViews(context.db, input)),
  unreadable: operator.operator.unreadable.handler(({ context, input }) => listUnreadable(context.db, input)),
  xCredits: operator.operator.xCredits.handler(({ context }) => findCredits(context.db)),
  log: operator.operator.log.handler(({ context, input }) => service.listLog(context.db, input)),
}
