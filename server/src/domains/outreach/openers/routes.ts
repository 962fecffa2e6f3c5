import { approve } from '../../../core/openers/openers.ts'
import { member } from '../../../operations.ts'
import { list, regenerate, update } from './openers.ts'
import { create, estimate } from './writing.ts'

export const openerRoutes = {
  estimate: member.openers.estimate.handler(({ context, input }) => estimate(context, context.actor, input)),
  create: member.openers.create.handler(({ context, input }) => create(context, context.actor, input)),
  list: member.openers.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  approve: member.openers.approve.handler(({ context, input }) => approve(context.db, context.actor, input)),
  update: member.openers.update.handler(({ context, input }) => update(context.db, context.actor, input)),
  regenerate: member.openers.regenerate.handler(({ context, input, signal }) =>
    regenerate(context, context.actor, input.id, signal),
  ),
}
