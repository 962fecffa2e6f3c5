import { member, viewer } from '../../../operations.ts'
import { detection, removeText } from './service.ts'

export const replyRoutes = {
  detection: viewer.replies.detection.handler(({ context }) => detection(context.db, context.actor)),
  removeText: member.replies.removeText.handler(({ context, input }) =>
    removeText(context.db, context.actor, input.id),
  ),
}
