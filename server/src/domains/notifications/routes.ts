import { signedInApi } from '../../operations.ts'
import { countUnread, list, listPreferences, markRead, setPreference } from './service.ts'

const api = signedInApi.notifications

export const notificationRoutes = {
  list: api.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  countUnread: api.countUnread.handler(async ({ context }) => ({
    unread: await countUnread(context.db, context.actor),
  })),
  markRead: api.markRead.handler(({ context, input }) => markRead(context.db, context.actor, input.ids)),
  listPreferences: api.listPreferences.handler(({ context }) => listPreferences(context.db, context.actor)),
  setPreference: api.setPreference.handler(({ context, input }) => setPreference(context.db, context.actor, input)),
}
