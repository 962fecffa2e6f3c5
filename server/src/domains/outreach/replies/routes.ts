import { removeText } from '../../../core/replies/texts.ts'
import { admin, member, viewer } from '../../../operations.ts'
import { classifyTexts, detection } from './detection.ts'
import { consent, findMissingTexts, findSettings, saveSettings } from './texts.ts'

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

/**
 * Operations of X accounts that are implemented here: they concern texts, and the platform area
 * cannot import replies.
 */
export const xAccountConsentRoutes = {
  consent: member.xAccount.consent.handler(async ({ context, input }) =>
    context.pictures.withUrl(await consent(context, context.actor, input)),
  ),
  missingTexts: member.xAccount.missingTexts.handler(({ context, input }) =>
    findMissingTexts(context, context.actor, input),
  ),
}
