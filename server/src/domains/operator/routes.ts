import { operatorApi } from '../../operations.ts'
import { listViews } from '../views/service.ts'
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

const { operator } = operatorApi

export const operatorRoutes = {
  growth: operator.growth.handler(({ context, input }) => growth(context.db, input)),
  members: operator.members.handler(({ context, input }) => searchMembers(context.db, input)),
  held: operator.held.handler(({ context, input }) => listHeld(context.db, input)),
  release: operator.release.handler(({ context, input }) =>
    releaseReferral(context, context.actor.userId, input.memberId),
  ),
  refuse: operator.refuse.handler(({ context, input }) =>
    refuseReferral(context, context.actor.userId, input.memberId),
  ),
  undo: operator.undo.handler(({ context, input }) => undoDecision(context, context.actor.userId, input.memberId)),
  invite: operator.invite.handler(({ context, input }) => inviteNext(context, context.actor.userId, input.count)),
  views: operator.views.handler(({ context, input }) => listViews(context.db, input)),
  log: operator.log.handler(({ context, input }) => listLog(context.db, input)),
}
