import { member } from '../../../operations.ts'
import { find, list } from './service.ts'
import { update } from './service-changes.ts'

export const conversationRoutes = {
  list: member.conversations.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  find: member.conversations.find.handler(({ context, input }) => find(context.db, context.actor, input)),
  update: member.conversations.update.handler(({ context, input }) => update(context.db, context.actor, input)),
}
