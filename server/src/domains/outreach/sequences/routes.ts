import { member, viewer } from '../../../operations.ts'
import { find, save } from './service.ts'

/** The steps of campaigns. */
export const sequenceRoutes = {
  find: viewer.sequences.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  save: member.sequences.save.handler(({ context, input }) => save(context.db, context.actor, input)),
}
