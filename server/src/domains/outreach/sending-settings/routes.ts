import { admin, owner, viewer } from '../../../operations.ts'
import { find, saveBasis, saveLimits, saveOptOutWords, saveProtection } from './settings.ts'

export const sendingSettingRoutes = {
  find: viewer.sendingSettings.find.handler(({ context }) => find(context.db, context.env, context.actor)),
  saveLimits: admin.sendingSettings.saveLimits.handler(({ context, input }) =>
    saveLimits(context.db, context.env, context.actor, input),
  ),
  saveOptOutWords: admin.sendingSettings.saveOptOutWords.handler(({ context, input }) =>
    saveOptOutWords(context.db, context.env, context.actor, input.words),
  ),
  saveProtection: admin.sendingSettings.saveProtection.handler(({ context, input }) =>
    saveProtection(context.db, context.env, context.actor, input),
  ),
  saveBasis: owner.sendingSettings.saveBasis.handler(({ context, input }) =>
    saveBasis(context.db, context.env, context.actor, input.required),
  ),
}
