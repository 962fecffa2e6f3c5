import { member } from '../../../operations.ts'
import { accept, list, remove, restore } from './offers.ts'

export const conversationOfferRoutes = {
  list: member.conversationOffers.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  accept: member.conversationOffers.accept.handler(async ({ context, input }) =>
    context.pictures.withUrl(await accept(context.db, context.actor, input.id)),
  ),
  restore: member.conversationOffers.restore.handler(({ context, input }) =>
    restore(context.db, context.actor, input.id),
  ),
  remove: member.conversationOffers.remove.handler(({ context, input }) => remove(context.db, context.actor, input.id)),
}
