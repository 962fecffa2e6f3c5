import { signedInApi } from '../../operations.ts'
import { detection, removeText } from './service.ts'

export const replyRoutes = {
  detection: signedInApi.replies.detection.handler(({ context }) => detection(context.db, context.actor)),
  removeText: signedInApi.replies.removeText.handler(({ context, input }) =>
    removeText(context.db, context.actor, input.id),
  ),
}
