import { member } from '../../../operations.ts'
import { find, list, remove, save } from './drafts.ts'

export const campaignDraftRoutes = {
  list: member.campaignDrafts.list.handler(({ context }) => list(context.db, context.actor)),
  find: member.campaignDrafts.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  save: member.campaignDrafts.save.handler(({ context, input }) => save(context.db, context.actor, input)),
  remove: member.campaignDrafts.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
