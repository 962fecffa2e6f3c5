import { removeText } from '../../../core/replies/texts.ts'
import { admin, member, viewer } from '../../../operations.ts'
import { classifyTexts, detection } from './detection.ts'
import { consent, findSettings, saveSettings } from './texts.ts'

export const replyRoutes = {
  detection: viewer.replies.detection.handler(({ context }) => detection(context.db, context.actor)),
  classify: member.replies.classify.handler(({ context, input }) => classifyTexts(context, input)),
  removeText: member.replies.removeText.handler(({ context, input }) =>
    removeText(context.db, context.actor, input.id),
  ),
  settings: member.replies.settings.handler(({ context }) => findSettings(context.db, context.actor)),
  saveSettings: admin.replies.saveSettings.handler(({ context, input }) =>
    saveSettings(context.db, context.actor, input),
  ),
}

/** The area of X accounts comes before replies, so their operation that deletes texts is implemented here. */
export const xAccountConsentRoutes = {
  consent: member.xAccount.consent.handler(async ({ context, input }) =>
    context.pictures.withUrl(await consent(context.db, context.actor, input)),
  ),
}
