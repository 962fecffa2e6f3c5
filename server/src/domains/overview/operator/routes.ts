import { operator } from '../../../operations.ts'
import { listViews } from '../../waitlist/views/service.ts'
import {
  growth,
  inviteNext,
  listHeld,
  listLog,
  refuseReferral,
  releaseReferral,
  searchMembers,
  undoDecision,
} from './service.ts'

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
  log: operator.operator.log.handler(({ context, input }) => listLog(context.db, input)),
}
