import { viewer } from '../../../operations.ts'
import { countUnread, list, listPreferences, markRead, setPreference } from './notifications.ts'

export const notificationRoutes = {
  list: viewer.notifications.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  countUnread: viewer.notifications.countUnread.handler(async ({ context }) => ({
    unread: await countUnread(context.db, context.actor),
  })),
  markRead: viewer.notifications.markRead.handler(({ context, input }) =>
    markRead(context.db, context.actor, input.ids),
  ),
  listPreferences: viewer.notifications.listPreferences.handler(({ context }) =>
    listPreferences(context.db, context.actor),
  ),
  setPreference: viewer.notifications.setPreference.handler(({ context, input }) =>
    setPreference(context.db, context.actor, input),
  ),
}
